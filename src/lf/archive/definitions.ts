// What a module defines: synonyms, data types, values, templates, exceptions and interfaces, each from its Def… message
// of daml_lf2.proto. Types are read at once, expressions on demand.
import type {
  Body,
  Choice,
  DataConstructors,
  DataType,
  Exception,
  Interface,
  InterfaceInstance,
  Template,
  Type,
  TypeSynonym,
  Value,
} from '../syntax/ast.ts'
import { refuse } from './archive-error.ts'
import { bodyOf, slice } from './bodies.ts'
import type { Content } from './content.ts'
import { bool, internedDottedName, internedName, unit } from './contents.ts'
import { type Decoding, shown } from './decoding.ts'
import { identifier } from './identifiers.ts'
import { archiveLimits } from './limits.ts'
import { location } from './locations.ts'
import { many, mapped, maybe, message, once, refuseVersion } from './message.ts'
import { fieldType, parameter, type, typeParameter } from './types.ts'

export const typeSynonym: Content<TypeSynonym> = message(
  'DefTypeSyn',
  [
    maybe(1, 'location', location),
    once(2, 'name_interned_dname', internedDottedName),
    many(3, 'params', typeParameter),
    once(4, 'type', type),
  ],
  (_, name, parameters, type) => ({ name, parameters, type }),
)

// ── Data types

const fields = mapped(
  message('DefDataType.Fields', [many(1, 'fields', fieldType)], (fields) => fields),
  (fields, decoding) => {
    const { fieldsMax } = archiveLimits
    return fields.length > fieldsMax ? refuse(decoding, `a data type has more than ${fieldsMax} fields`) : fields
  },
)
const enumConstructors = message(
  'DefDataType.EnumConstructors',
  [many(2, 'constructors_interned_str', internedName)],
  (names): DataConstructors => ({ kind: 'enum', names }),
)
const record = mapped(fields, (fields): DataConstructors => ({ kind: 'record', fields }))
const variant = mapped(fields, (fields): DataConstructors => ({ kind: 'variant', fields }))
const interfaceMarker = mapped(unit, (): DataConstructors => ({ kind: 'interface' }))

export const dataType: Content<DataType> = mapped(
  message(
    'DefDataType',
    [
      maybe(1, 'location', location),
      once(2, 'name_interned_dname', internedDottedName),
      many(3, 'params', typeParameter),
      once(4, 'serializable', bool),
      maybe(5, 'record', record),
      maybe(6, 'variant', variant),
      maybe(7, 'enum', enumConstructors),
      maybe(8, 'interface', interfaceMarker),
    ],
    (_, name, parameters, isSerializable, ...given) => ({ name, parameters, isSerializable, given }),
  ),
  ({ name, parameters, isSerializable, given }, decoding) => {
    const [constructors, more] = given.filter((one) => one !== undefined)
    if (!constructors) return refuse(decoding, `the data type ${name} has no constructors`)
    if (more) refuse(decoding, `the data type ${name} is both a ${constructors.kind} and a ${more.kind}`)
    if (constructors.kind === 'enum' && parameters.length > 0) refuse(decoding, `the enum ${name} has type parameters`)
    return { name, parameters, isSerializable, constructors }
  },
)

// ── Values

const nameWithType = message(
  'DefValue.NameWithType',
  [once(1, 'name_interned_dname', internedDottedName), once(2, 'type', type)],
  (name, type) => ({ name, type }),
)

export const value: Content<Value> = mapped(
  message(
    'DefValue',
    [maybe(1, 'location', location), once(2, 'name_with_type', nameWithType), once(3, 'expr', slice)],
    (_, { name, type }, expr) => ({ name, type, expr }),
  ),
  ({ name, type, expr }, decoding) => ({ name, type, body: bodyOf(decoding, expr, `value ${name}`) }),
)

// ── Templates and interfaces

const choiceParts = message(
  'TemplateChoice',
  [
    maybe(1, 'location', location),
    once(2, 'name_interned_str', internedName),
    once(3, 'consuming', bool),
    once(4, 'controllers', slice),
    once(5, 'observers', slice),
    once(6, 'arg_binder', parameter),
    once(8, 'ret_type', type),
    once(9, 'update', slice),
    once(10, 'self_binder_interned_str', internedName),
  ],
  (_, name, isConsuming, controllers, observers, argument, returnType, update, selfBinder) => {
    return { name, isConsuming, controllers, observers, argument, returnType, update, selfBinder }
  },
)

/** The name of the template or interface is known only once all of it is read, so choices wait for it. */
type ChoiceOf = (owner: string) => Choice

const choice: Content<ChoiceOf> = mapped(choiceParts, (parts, decoding) => (owner) => {
  const what = `${owner}, choice ${parts.name}`
  return {
    ...parts,
    controllers: bodyOf(decoding, parts.controllers, `${what}, controllers`),
    observers: bodyOf(decoding, parts.observers, `${what}, observers`),
    update: bodyOf(decoding, parts.update, what),
  }
})

const method = message(
  'InterfaceInstanceBody.InterfaceInstanceMethod',
  [once(1, 'method_interned_name', internedName), once(2, 'value', slice)],
  (name, value) => ({ name, value }),
)

const instanceBody = message(
  'InterfaceInstanceBody',
  [many(1, 'methods', method), once(2, 'view', slice)],
  (methods, view) => ({ methods, view }),
)

const implementation = message(
  'DefTemplate.Implements',
  [once(1, 'interface', identifier), once(2, 'body', instanceBody), maybe(3, 'location', location)],
  (iface, { methods, view }) => ({ interface: iface, methods, view }),
)

type InstanceOf = (owner: string) => InterfaceInstance

const interfaceInstance: Content<InstanceOf> = mapped(implementation, (parts, decoding) => (owner) => {
  const what = `${owner}, interface instance ${parts.interface.name}`
  const methods = parts.methods.map(({ name, value }): [string, Body] => {
    return [name, bodyOf(decoding, value, `${what}, method ${name}`)]
  })
  return {
    interface: parts.interface,
    methods: uniquely(decoding, `method of ${what}`, methods),
    view: bodyOf(decoding, parts.view, `${what}, view`),
  }
})

const key = message(
  'DefTemplate.DefKey',
  [once(1, 'type', type), once(3, 'maintainers', slice), once(4, 'key_expr', slice)],
  (type, maintainers, body) => ({ type, maintainers, body }),
)

export const template: Content<Template> = mapped(
  message(
    'DefTemplate',
    [
      once(1, 'tycon_interned_dname', internedDottedName),
      once(2, 'param_interned_str', internedName),
      maybe(3, 'precond', slice),
      once(4, 'signatories', slice),
      many(6, 'choices', choice),
      once(7, 'observers', slice),
      maybe(8, 'location', location),
      maybe(9, 'key', key),
      many(10, 'implements', interfaceInstance),
    ],
    (name, parameter, precondition, signatories, choices, observers, _, key, instances) => {
      return { name, parameter, precondition, signatories, choices, observers, key, instances }
    },
  ),
  ({ name, parameter, precondition, signatories, choices, observers, key, instances }, decoding) => {
    const what = `template ${name}`
    if (key && decoding.minor < 3) refuseVersion(decoding, `the contract key of ${what}`)
    const interfaceInstances = instances.map((instance) => instance(what))
    const interfaces = interfaceInstances.map(({ interface: id }): [string, true] => [fullName(id), true])
    uniquely(decoding, `interface instance of ${what}`, interfaces)
    return {
      name,
      parameter,
      precondition: precondition && bodyOf(decoding, precondition, `${what}, precondition`),
      signatories: bodyOf(decoding, signatories, `${what}, signatories`),
      observers: bodyOf(decoding, observers, `${what}, observers`),
      choices: choicesByName(decoding, what, choices),
      key: key && {
        type: key.type,
        body: bodyOf(decoding, key.body, `${what}, key`),
        maintainers: bodyOf(decoding, key.maintainers, `${what}, maintainers`),
      },
      interfaceInstances,
    }
  },
)

const interfaceMethod = message(
  'InterfaceMethod',
  [maybe(1, 'location', location), once(2, 'method_interned_name', internedName), once(3, 'type', type)],
  (_, name, returned): [string, Type] => [name, returned],
)

export const interfaceDefinition: Content<Interface> = mapped(
  message(
    'DefInterface',
    [
      maybe(1, 'location', location),
      once(2, 'tycon_interned_dname', internedDottedName),
      many(3, 'methods', interfaceMethod),
      once(4, 'param_interned_str', internedName),
      many(5, 'choices', choice),
      once(6, 'view', type),
      many(7, 'requires', identifier),
    ],
    (_, name, methods, parameter, choices, viewType, requires) => {
      return { name, methods, parameter, choices, viewType, requires }
    },
  ),
  ({ name, methods, parameter, choices, viewType, requires }, decoding) => {
    const what = `interface ${name}`
    const required = requires.map((id): [string, true] => [fullName(id), true])
    uniquely(decoding, `required interface of ${what}`, required)
    return {
      name,
      parameter,
      requires,
      methods: uniquely(decoding, `method of ${what}`, methods),
      choices: choicesByName(decoding, what, choices),
      viewType,
    }
  },
)

export const exception: Content<Exception> = mapped(
  message(
    'DefException',
    [once(1, 'name_interned_dname', internedDottedName), maybe(2, 'location', location), once(3, 'message', slice)],
    (name, _, message) => ({ name, message }),
  ),
  ({ name, message }, decoding) => ({ name, message: bodyOf(decoding, message, `exception ${name}, message`) }),
)

/** Entries by name; a duplicate name is refused. */
export function uniquely<T>(
  decoding: Decoding,
  what: string,
  entries: Iterable<readonly [string, T]>,
): ReadonlyMap<string, T> {
  const byName = new Map<string, T>()
  for (const [name, entry] of entries) {
    if (byName.has(name)) refuse(decoding, `the ${what} ${shown(name)} is defined twice`)
    byName.set(name, entry)
  }
  return byName
}

function choicesByName(decoding: Decoding, owner: string, choices: readonly ChoiceOf[]): ReadonlyMap<string, Choice> {
  const built = choices.map((choice) => choice(owner))
  return uniquely(
    decoding,
    `choice of ${owner}`,
    built.map((choice): [string, Choice] => [choice.name, choice]),
  )
}

const fullName = (id: { packageId: string; module: string; name: string }): string => {
  return `${id.packageId}:${id.module}:${id.name}`
}
