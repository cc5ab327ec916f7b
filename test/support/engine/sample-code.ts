// Templates made by hand, for tests of ledger effects without a compiler. A choice takes its body as an argument, and
// every part of a template can be told to fail, so a new case needs no new template.
import { createHash } from 'node:crypto'
import type {
  ChoiceCode,
  Code,
  Effects,
  InterfaceCode,
  PackageFacts,
  TemplateCode,
  Update,
} from '../../../src/engine/code/code.ts'
import { DamlException, Failure } from '../../../src/engine/failures/failures.ts'
import type { StoredContract } from '../../../src/engine/transaction/contracts.ts'
import { partiesOf, union } from '../../../src/engine/transaction/parties.ts'
import type { TypedValue } from '../../../src/engine/values/typed-value.ts'
import type { Identifier, Type } from '../../../src/lf/syntax/ast.ts'
import { fullName } from '../../../src/lf/syntax/names.ts'
import { createRecordType } from '../../../src/lf/values/structures.ts'
import {
  Any,
  type ContractId,
  type LfRecord,
  type LfValue,
  type List,
  listFromArray,
  none,
  Some,
  unit,
} from '../../../src/lf/values/values.ts'

export type Body = (effects: Effects, self: ContractId) => LfValue
export type Fault = 'lies' | 'throws' | 'errors'
type TargetFaults = { precondition?: Fault; signatories?: Fault; observers?: Fault; key?: Fault; maintainers?: Fault }
type TargetFields = {
  signatories: readonly string[]
  observers?: readonly string[]
  note?: string
  faults?: TargetFaults
}
type DoFields = {
  controllers: readonly string[]
  observers?: readonly string[]
  faults?: { controllers?: Fault; observers?: Fault }
  body?: Body
}
type KeyFields = { maintainers: readonly string[]; name: string; fault?: Fault }

export type SampleCode = ReturnType<typeof createSampleCode>

export function createSampleCode({ module = 'Effects', ...facts }: Partial<PackageFacts> & { module?: string } = {}) {
  const pkg: PackageFacts = { id: 'ab'.repeat(32), name: 'sample', version: '1.0.0', minor: 3, ...facts }
  const id = (name: string): Identifier => ({ packageId: pkg.id, module, name })
  const typeOf = (name: string): Type => ({ kind: 'constructor', id: id(name), args: [] })
  const types = {
    target: createRecordType(id('Target'), ['signatories', 'observers', 'note', 'faults']),
    keyed: createRecordType(id('Keyed'), ['signatories', 'observers', 'note', 'faults', 'key']),
    key: createRecordType(id('Key'), ['maintainers', 'name', 'fault']),
    other: createRecordType(id('Other'), ['owner']),
    doing: createRecordType(id('Do'), ['controllers', 'observers', 'faults', 'body']),
    oops: createRecordType(id('Oops'), ['text']),
    speechless: createRecordType(id('Speechless'), ['text']),
  }

  function raise(text: string, type: 'oops' | 'speechless' = 'oops'): never {
    const record = types[type]
    throw new DamlException(new Any({ kind: 'constructor', id: record.id, args: [] }, new record.create(text)))
  }

  function guard<Value>(fault: Fault | undefined, where: string, value: Value): Value {
    if (fault === 'throws') raise(where)
    if (fault === 'errors') throw new Failure('INTERPRETATION_USER_ERROR', `User abort: ${where}`)
    return value
  }

  const targetFields = (record: LfRecord) => {
    const [signatories, observers, note, faults, key] = record.type.fieldsOf(record)
    return { signatories, observers, note, faults: faults as TargetFaults, key } as {
      signatories: List
      observers: List
      note: string
      faults: TargetFaults
      key: LfRecord
    }
  }
  const doFields = (record: LfValue) => {
    const [controllers, observers, faults, body] = types.doing.fieldsOf(record as LfRecord)
    return { controllers: controllers as List, observers: observers as List, faults, body: body as Body } as {
      controllers: List
      observers: List
      faults: { controllers?: Fault; observers?: Fault }
      body: Body
    }
  }
  const keyFields = (key: LfValue) => {
    const [maintainers, name, fault] = types.key.fieldsOf(key as LfRecord)
    return { maintainers: maintainers as List, name: name as string, fault: fault as Fault | undefined }
  }

  const running = (name: string, isConsuming: boolean): [string, ChoiceCode] => [
    name,
    {
      name,
      isConsuming,
      argumentType: typeOf('Do'),
      returnType: typeOf('State'),
      controllers(_, argument) {
        const { faults, controllers } = doFields(argument)
        return guard(faults.controllers, 'controllers', controllers)
      },
      observers(_, argument) {
        const { faults, observers } = doFields(argument)
        return guard(faults.observers, 'choice observers', observers)
      },
      update: (self, _, argument) => updateOf((effects) => doFields(argument).body(effects, self)),
    },
  ]
  const archive = (controllers: (contract: LfRecord) => List): [string, ChoiceCode] => [
    'Archive',
    {
      name: 'Archive',
      isConsuming: true,
      argumentType: { kind: 'builtin', name: 'Unit', args: [] },
      returnType: { kind: 'builtin', name: 'Unit', args: [] },
      controllers,
      observers: () => listFromArray([]),
      update: () => () => unit,
    },
  ]
  const asset: InterfaceCode = {
    id: id('Asset'),
    key: fullName(id('Asset')),
    package: pkg,
    viewType: typeOf('AssetView'),
    requires: [],
    choices: new Map([running('Asset_Consume', true), running('Asset_Keep', false)]),
  }
  const badge: InterfaceCode = {
    ...asset,
    id: id('Badge'),
    key: fullName(id('Badge')),
    choices: new Map([running('Badge_Keep', false)]),
  }
  const instanceOf = (of: InterfaceCode) =>
    new Map([[`${of.id.packageId}:${of.id.module}:${of.id.name}`, { methods: new Map(), view: () => unit }]])

  const target: TemplateCode = {
    id: id('Target'),
    package: pkg,
    type: types.target,
    precondition: (contract) => {
      const { faults } = targetFields(contract)
      return guard(faults.precondition, 'precondition', faults.precondition !== 'lies')
    },
    signatories: (contract) => {
      const { faults, signatories } = targetFields(contract)
      return guard(faults.signatories, 'signatories', signatories)
    },
    observers: (contract) => {
      const { faults, observers } = targetFields(contract)
      return guard(faults.observers, 'observers', observers)
    },
    key: undefined,
    choices: new Map([
      running('Consume', true),
      running('Keep', false),
      archive((contract) => targetFields(contract).signatories),
    ]),
    instances: instanceOf(asset),
  }
  const keyed: TemplateCode = {
    ...target,
    id: id('Keyed'),
    type: types.keyed,
    key: {
      type: typeOf('Key'),
      of: (contract) => guard(targetFields(contract).faults.key, 'key', targetFields(contract).key),
      maintainers: (key) => guard(keyFields(key).fault, 'maintainers', keyFields(key).maintainers),
    },
    instances: new Map(),
  }
  const owner = (contract: LfRecord) => listFromArray([types.other.fieldsOf(contract)[0]])
  const other: TemplateCode = {
    ...target,
    id: id('Other'),
    type: types.other,
    precondition: () => true,
    signatories: owner,
    observers: () => listFromArray([]),
    choices: new Map([archive(owner)]),
    instances: instanceOf(badge),
  }

  const templates = [target, keyed, other]
  const code: Code = {
    template({ module, name, packageId }) {
      const found = templates.find((template) => template.id.module === module && template.id.name === name)
      if (found === undefined || packageId !== pkg.id) throw new Error(`there is no template ${packageId}:${name}`)
      return found
    },
    interface: ({ name }) => (name === 'Asset' ? asset : badge),
    exceptionMessage(type, exception) {
      const text = types.oops.fieldsOf(exception as LfRecord)[0] as string
      return type.name === 'Speechless' ? raise(text) : `Oops: ${text}`
    },
  }

  return {
    code,
    package: pkg,
    target,
    keyed,
    other,
    asset,
    badge,
    raise,

    targetOf: ({ signatories, observers = [], note = '', faults = {} }: TargetFields): LfRecord =>
      new types.target.create(listFromArray(signatories), listFromArray(observers), note, faults),
    keyedOf: ({
      signatories,
      observers = [],
      note = '',
      faults = {},
      key,
    }: TargetFields & { key: LfValue }): LfRecord =>
      new types.keyed.create(listFromArray(signatories), listFromArray(observers), note, faults, key),
    keyNamed: ({ maintainers, name, fault }: KeyFields): LfRecord =>
      new types.key.create(listFromArray(maintainers), name, fault),
    otherOf: (party: string): LfRecord => new types.other.create(party),
    doing: ({ controllers, observers = [], faults = {}, body = () => unit }: DoFields): LfRecord =>
      new types.doing.create(listFromArray(controllers), listFromArray(observers), faults, body),

    /** As the ledger stores it, with the metadata that its argument implies, unless told otherwise. */
    stored(
      number: number,
      template: TemplateCode,
      argument: LfRecord,
      differing: Partial<StoredContract> = {},
    ): StoredContract {
      const fields = template === other ? undefined : targetFields(argument)
      const signatories = partiesOf(listTexts(template === other ? owner(argument) : fields!.signatories))
      const observers = template === other ? [] : partiesOf(listTexts(fields!.observers))
      const key = template === keyed ? fields!.key : undefined
      return {
        id: contractIdOf(number),
        templateId: template.id,
        packageName: pkg.name,
        argument,
        signatories,
        stakeholders: union(signatories, observers),
        key: key && {
          type: keyed.key!.type,
          value: key,
          hash: hashKey(template, { type: keyed.key!.type, value: key }),
          maintainers: partiesOf(listTexts(keyFields(key).maintainers)),
        },
        ...differing,
      }
    },
  }
}

/** A full contract id in Canton's form, different for every number. */
export function contractIdOf(number: number): string {
  const hex = number.toString(16).padStart(64, '0')
  return `00${hex}ca121220${hex}`
}

/** Not Canton's hash, but different for each name of a key. */
export function hashKey(template: TemplateCode, { value }: TypedValue): string {
  const [, name] = (value as LfRecord).type.fieldsOf(value as LfRecord)
  return createHash('sha256')
    .update(`${template.id.name}:${String(name)}`)
    .digest('hex')
}

/** Updates have no parameter that counts in `length`. */
const updateOf =
  (body: Update): Update =>
  (...effects) =>
    body(...effects)

export const handleWith = (body: (effects: Effects) => LfValue) => (): LfValue => new Some(updateOf(body))
export const rethrow = (): LfValue => none

function listTexts(list: List): string[] {
  const texts: string[] = []
  for (let rest = list as { head?: unknown; tail?: List }; rest.tail !== undefined; rest = rest.tail) {
    texts.push(rest.head as string)
  }
  return texts
}
