// Makes the values that scripts get as answers: those of the library's own types, of the packages that never change, and
// of templates and choices, from the JSON of the Ledger API.
import type { Engine } from '../engine/engine.ts'
import { compareValues } from '../engine/values/order.ts'
import { createJsonCodec } from '../lf/codec/json.ts'
import { createProtobufCodec } from '../lf/codec/protobuf.ts'
import type { Choice, Identifier, Module, Type } from '../lf/syntax/ast.ts'
import type { Packages } from '../lf/values/data-types.ts'
import { asRecordOf } from '../lf/values/kinds.ts'
import { OrderedMap } from '../lf/values/ordered-map.ts'
import {
  Any,
  ContractId,
  type LfRecord,
  type LfValue,
  listFromArray,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../lf/values/values.ts'
import { Unanswered } from './failures.ts'
import { createResultJson } from './result-json.ts'
import { fieldsIn, typeRepIn, type ValueOfType, wrong } from './shapes.ts'

export type ScriptValues = ReturnType<typeof createScriptValues>

/** Fields by their names. */
export type Fields = readonly (readonly [name: string, value: LfValue])[]

export type ContractKey = { readonly templateId: Identifier; readonly key: ValueOfType }

type Parts = { readonly packages: Packages; readonly engine: Engine; readonly libraryId: string }

const daTypes = '5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4'
const anyTypes = '6f8e6085f5769861ae7a40dccd618d6f747297d59b37cab89b93e2fa80b0c024'

/** Types of the packages that every Daml program shares. */
const stable = {
  either: { packageId: daTypes, module: 'DA.Types', name: 'Either' },
  tuple2: { packageId: daTypes, module: 'DA.Types', name: 'Tuple2' },
  tuple3: { packageId: daTypes, module: 'DA.Types', name: 'Tuple3' },
  anyTemplate: { packageId: anyTypes, module: 'DA.Internal.Any', name: 'AnyTemplate' },
  anyChoice: { packageId: anyTypes, module: 'DA.Internal.Any', name: 'AnyChoice' },
  anyContractKey: { packageId: anyTypes, module: 'DA.Internal.Any', name: 'AnyContractKey' },
  templateTypeRep: { packageId: anyTypes, module: 'DA.Internal.Any', name: 'TemplateTypeRep' },
  nonEmpty: {
    packageId: 'bde4bd30749e99603e5afa354706608601029e225d4983324d617825b634253a',
    module: 'DA.NonEmpty.Types',
    name: 'NonEmpty',
  },
  failureStatus: {
    packageId: '7adc4c2d07fa3a51173c843cba36e610c1168b2dbbf53076e20c0092eae8763d',
    module: 'DA.Internal.Fail.Types',
    name: 'FailureStatus',
  },
} as const satisfies Record<string, Identifier>

export function createScriptValues({ packages, engine, libraryId }: Parts) {
  const { dataTypes } = engine
  const codecParts = { dataTypes, compare: compareValues }
  const json = createJsonCodec({ ...codecParts, isLenient: true }) // Inputs are written by hand.
  const protobuf = createProtobufCodec(codecParts)

  /** A type of the library, by its module below `Daml.Script.Internal` and its name. */
  const ofLibrary = (module: string, name: string): Identifier => ({
    packageId: libraryId,
    module: `Daml.Script.Internal.${module}`,
    name,
  })

  function positional(id: Identifier, ...fields: LfValue[]): LfRecord {
    return new (dataTypes.record(id).create)(...fields)
  }

  function record(id: Identifier, fields: Fields): LfRecord {
    const byName = new Map(fields)
    const { create, fieldNames } = dataTypes.record(id)
    return new create(...fieldNames.map((name) => (byName.has(name) ? byName.get(name) : wrong(`the field ${name}`))))
  }

  function variantOf(id: Identifier, tag: string, value: LfValue): Variant {
    const type = dataTypes.variant(id)
    const rank = type.tags.indexOf(tag)
    return rank < 0 ? wrong(`the constructor ${tag} of ${id.name}`) : new Variant(type, rank, value)
  }

  /** A constructor with fields, or one without. */
  function variant(id: Identifier, tag: string, fields: Fields = []): Variant {
    const { constructors } = dataTypes.definition(id)
    const declared = constructors.kind === 'variant' ? constructors.fields.find(({ name }) => name === tag) : undefined
    if (declared === undefined) return wrong(`the constructor ${tag} of ${id.name}`)
    const { type } = declared
    return variantOf(id, tag, type.kind === 'constructor' ? record(type.id, fields) : unit)
  }

  const hasConstructor = (id: Identifier, tag: string): boolean => {
    const { constructors } = dataTypes.definition(id)
    return constructors.kind === 'variant' && constructors.fields.some(({ name }) => name === tag)
  }

  function enumOf(id: Identifier, tag: string): LfValue {
    const { tags, values } = dataTypes.enum(id)
    return values[tags.indexOf(tag)] ?? wrong(`the constructor ${tag} of ${id.name}`)
  }

  const typeOf = (id: Identifier): Type => ({ kind: 'constructor', id, args: [] })
  const any = (id: Identifier, value: LfValue) => new Any(typeOf(id), value)
  const typeRep = (id: Identifier) => positional(stable.templateTypeRep, new TypeRep(typeOf(id)))
  const anyTemplate = (id: Identifier, argument: LfValue) => positional(stable.anyTemplate, any(id, argument))

  function anyContractKey({ templateId, key }: ContractKey, isLegacy: boolean): LfRecord {
    return isLegacy
      ? positional(stable.anyContractKey, new Any(key.type, key.value), typeRep(templateId))
      : positional(ofLibrary('Questions.Commands', 'AnyContractKey'), key.value, typeRep(templateId))
  }

  const moduleOf = ({ packageId, module }: Identifier): Module | undefined =>
    packages.get(packageId)?.modules.get(module)

  function keyTypeOf(template: Identifier): Type {
    const key = moduleOf(template)?.templates.get(template.name)?.key
    if (key === undefined) throw new Unanswered(`${template.module}:${template.name} has no key`, 'ConverterException')
    return key.type
  }

  function choiceOf(template: Identifier, interfaceId: Identifier | undefined, name: string): Choice {
    const choices =
      interfaceId === undefined
        ? moduleOf(template)?.templates.get(template.name)?.choices
        : moduleOf(interfaceId)?.interfaces.get(interfaceId.name)?.choices
    const choice = choices?.get(name)
    if (choice === undefined) {
      throw new Unanswered(`the DAR has no choice ${name} of ${template.module}:${template.name}`, 'ConverterException')
    }
    return choice
  }

  return {
    ofLibrary,
    record,
    positional,
    variant,
    variantOf,
    hasConstructor,
    enumOf,
    typeRep,
    any,
    anyTemplate,
    anyContractKey,
    keyTypeOf,
    choiceOf,
    hash: engine.hash,

    list: listFromArray,
    optional: (value: LfValue | undefined): LfValue => (value === undefined ? none : new Some(value)),
    tuple2: (first: LfValue, second: LfValue) => positional(stable.tuple2, first, second),
    tuple3: (first: LfValue, second: LfValue, third: LfValue) => positional(stable.tuple3, first, second, third),
    left: (value: LfValue) => variantOf(stable.either, 'Left', value),
    right: (value: LfValue) => variantOf(stable.either, 'Right', value),
    textMap: (entries: readonly (readonly [string, LfValue])[]) =>
      entries.reduce((map, [key, value]) => map.with(key, value), OrderedMap.empty(compareValues)),
    nonEmpty: ([first, ...others]: readonly LfValue[]) => positional(stable.nonEmpty, first, listFromArray(others)),
    contractId: (text: string) => new ContractId(text),
    failureStatus: (fields: Fields) => record(stable.failureStatus, fields),
    anyContractId: (templateId: Identifier, contractId: string) =>
      record(ofLibrary('Questions.Util', 'AnyContractId'), [
        ['templateId', typeRep(templateId)],
        ['contractId', new ContractId(contractId)],
      ]),
    anyChoice: ({ argument }: Choice, of: Identifier, value: LfValue) =>
      positional(stable.anyChoice, new Any(argument.type, value), typeRep(of)),

    /** An AnyContractKey of the library or, in scripts of an older one, of the standard library. */
    contractKeyIn(value: LfValue, isLegacy: boolean): ContractKey {
      const [key, rep] = fieldsIn(value, 2, 'an AnyContractKey')
      const templateId = typeRepIn(rep)
      if (!isLegacy) return { templateId, key: { type: keyTypeOf(templateId), value: key } }
      return key instanceof Any ? { templateId, key } : wrong('the Any of a key')
    },

    /** The version of the package that has the template: the wanted one if it has. */
    inPackage(id: Identifier, packageId: string): Identifier {
      const wanted = { ...id, packageId }
      return moduleOf(wanted)?.templates.has(id.name) ? wanted : id
    },
    viewTypeOf(id: Identifier): Type {
      const found = moduleOf(id)?.interfaces.get(id.name)
      if (found === undefined)
        throw new Unanswered(`there is no interface ${id.module}:${id.name}`, 'ConverterException')
      return found.viewType
    },

    /** As commands and filters name it: by the package's name, unless a certain package is meant. */
    reference({ packageId, module, name }: Identifier, isExact = false): string {
      const packageName = isExact ? undefined : packages.get(packageId)?.name
      return `${packageName === undefined ? packageId : `#${packageName}`}:${module}:${name}`
    },
    packageOf: (id: string) => packages.get(id),

    /** The value as the Ledger API takes it. */
    toJson({ type, value }: ValueOfType): unknown {
      return JSON.parse(json.codecFor(type).encode(value))
    },
    /** The value as files have it. */
    toFile: createResultJson(dataTypes, json),
    fromJson: (type: Type, value: unknown): LfValue => json.codecFor(type).decode(value),
    contractFromJson: (id: Identifier, value: unknown): LfRecord =>
      asRecordOf(dataTypes.record(id), json.codecFor(typeOf(id)).decode(value)),
    /** A value in the resources of an error. */
    fromBase64: (type: Type, text: string): LfValue => protobuf.decode(Buffer.from(text, 'base64'), type),
    typeOf,
  }
}

/** `package-id:Module:Entity`. */
export function identifierIn(text: string): Identifier {
  const [packageId = '', module = '', name = ''] = text.split(':')
  return { packageId, module, name }
}
