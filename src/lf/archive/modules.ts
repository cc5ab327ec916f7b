// Modules: Module of daml_lf2.proto.

import { readInt32, readLength, wireTypes } from '../../protobuf/wire-reading.ts'
import type { Module, Value } from '../syntax/ast.ts'
import { refuse } from './archive-error.ts'
import type { Content } from './content.ts'
import { bool, internedDottedName } from './contents.ts'
import { type Decoding, dottedNameAt, seek } from './decoding.ts'
import { dataType, exception, interfaceDefinition, template, typeSynonym, uniquely } from './definitions.ts'
import { lateValues, type ValuePlace, valueOrPlace } from './late-reading.ts'
import { many, mapped, message, once, readPart } from './message.ts'

const flags = mapped(
  message(
    'FeatureFlags',
    [
      once(1, 'forbidPartyLiterals', bool),
      once(2, 'dontDivulgeContractIdsInCreateArguments', bool),
      once(3, 'dontDiscloseNonConsumingChoicesToObservers', bool),
    ],
    (...flags) => flags,
  ),
  (flags, decoding) => flags.every(Boolean) || refuse(decoding, 'a feature flag is off; all three must be on'),
)

const moduleContent: Content<Module> = mapped(
  message(
    'Module',
    [
      once(1, 'name_interned_dname', internedDottedName),
      once(2, 'flags', flags),
      many(3, 'synonyms', typeSynonym),
      many(4, 'data_types', dataType),
      many(5, 'values', valueOrPlace),
      many(6, 'templates', template),
      many(7, 'exceptions', exception),
      many(8, 'interfaces', interfaceDefinition),
    ],
    (name, _, synonyms, dataTypes, values, templates, exceptions, interfaces) => {
      return { name, synonyms, dataTypes, values, templates, exceptions, interfaces }
    },
  ),
  ({ name, ...definitions }, decoding) => {
    const byName = <T extends { readonly name: string }>(what: string, list: readonly T[]) => {
      return uniquely(
        decoding,
        what,
        list.map((definition): [string, T] => [definition.name, definition]),
      )
    }
    const { synonyms, dataTypes } = definitions
    const values = definitions.values as readonly Value[]
    if (decoding.late === undefined) byName('definition', [...synonyms, ...dataTypes, ...values])
    return {
      name,
      synonyms: byName('type synonym', synonyms),
      dataTypes: byName('data type', dataTypes),
      values:
        decoding.late === undefined
          ? byName('value', values)
          : lateValues(decoding, definitions.values as readonly ValuePlace[]),
      templates: byName('template', definitions.templates),
      exceptions: byName('exception', definitions.exceptions),
      interfaces: byName('interface', definitions.interfaces),
    }
  },
)

export function readModule(decoding: Decoding, start: number): Module {
  decoding.module = moduleName(decoding, start)
  decoding.place = `package ${decoding.packageId}, module ${decoding.module}`
  return readPart(decoding, start, moduleContent)
}

/** Definitions keep the name of their module, so it is read before them, wherever it is written. */
export function moduleName(decoding: Decoding, start: number): string {
  const nameTag = 0x08
  seek(decoding, start)
  const end = readLength(decoding)
  let name = 0
  while (decoding.position < end) {
    const tag = readInt32(decoding)
    if (tag === nameTag) name = readInt32(decoding)
    else if ((tag & 7) === wireTypes.bytes) decoding.position = readLength(decoding)
    else break
  }
  return dottedNameAt(decoding, name)
}
