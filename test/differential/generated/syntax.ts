// Short names for the syntax of LF, for programs that generate it.
import type {
  Expression,
  Identifier,
  Literal,
  Parameter,
  Pattern,
  Type,
  TypeApplication,
  TypeParameter,
  Update,
} from '../../../src/lf/syntax/ast.ts'
import type { BuiltinName, BuiltinTypeName } from '../../../src/lf/syntax/builtins.ts'

/** The id of the generated package in its own syntax. */
export const self = 'self'
const location = undefined
const identifiers = new Map<string, Identifier>()

export function own(name: string): Identifier {
  const known = identifiers.get(name) ?? { packageId: self, module: 'Main', name }
  identifiers.set(name, known)
  return known
}

// ── Types

const builtinType = (name: BuiltinTypeName, ...args: Type[]): Type => ({ kind: 'builtin', name, args })

export const types = {
  unit: builtinType('Unit'),
  bool: builtinType('Bool'),
  int64: builtinType('Int64'),
  text: builtinType('Text'),
  date: builtinType('Date'),
  timestamp: builtinType('Timestamp'),
  party: builtinType('Party'),
  any: builtinType('Any'),
  anyException: builtinType('AnyException'),
  typeRep: builtinType('TypeRep'),
  numeric: (scale: number): Type => builtinType('Numeric', { kind: 'nat', value: scale }),
  list: (element: Type): Type => builtinType('List', element),
  optional: (element: Type): Type => builtinType('Optional', element),
  textMap: (element: Type): Type => builtinType('TextMap', element),
  genMap: (key: Type, element: Type): Type => builtinType('GenMap', key, element),
  update: (result: Type): Type => builtinType('Update', result),
  contractId: (of: Type): Type => builtinType('ContractId', of),
  to: (...parts: Type[]): Type => parts.reduceRight((result, parameter) => builtinType('Arrow', parameter, result)),
  data: (name: string, ...args: Type[]): Type => ({ kind: 'constructor', id: own(name), args }),
  variable: (name: string): Type => ({ kind: 'variable', name, args: [] }),
  forall: (names: readonly string[], body: Type): Type => ({ kind: 'forall', parameters: names.map(ofStar), body }),
  struct: (...fields: [string, Type][]): Type => ({
    kind: 'struct',
    fields: fields.map(([name, type]) => ({ name, type })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }),
}

export const ofStar = (name: string): TypeParameter => ({ name, kind: { kind: 'star' } })

const keys = new WeakMap<Type, string>()

/** Equal for equal types. */
export function keyOf(type: Type): string {
  const known = keys.get(type) ?? JSON.stringify(type)
  keys.set(type, known)
  return known
}

// ── Expressions

const literal = (of: Literal): Expression => ({ kind: 'literal', literal: of, location })
const applied = (type: Type): TypeApplication => {
  if (type.kind !== 'constructor') throw new Error(`${type.kind} has no constructors`)
  return { id: type.id, args: type.args }
}

export const e = {
  variable: (name: string): Expression => ({ kind: 'variable', name, location }),
  value: (name: string): Expression => ({ kind: 'value', id: own(name), location }),
  builtin: (name: BuiltinName): Expression => ({ kind: 'builtin', name, location }),
  unit: { kind: 'builtin-constructor', name: 'unit', location } as Expression,
  bool: (value: boolean): Expression => ({ kind: 'builtin-constructor', name: value ? 'true' : 'false', location }),
  int64: (value: bigint | number): Expression => literal({ kind: 'int64', value: BigInt(value) }),
  numeric: (unscaled: bigint, scale: number): Expression => literal({ kind: 'numeric', unscaled, scale }),
  text: (value: string): Expression => literal({ kind: 'text', value }),
  date: (days: number): Expression => literal({ kind: 'date', days }),
  timestamp: (micros: bigint): Expression => literal({ kind: 'timestamp', micros }),
  category: (isIndependent: boolean): Expression =>
    literal({
      kind: 'failure-category',
      category: isIndependent ? 'InvalidIndependentOfSystemState' : 'InvalidGivenCurrentSystemStateOther',
    }),
  record: (type: Type, ...fields: [string, Expression][]): Expression => {
    return { kind: 'record', type: applied(type), fields: fields.map(([name, value]) => ({ name, value })), location }
  },
  field: (type: Type, field: string, record: Expression): Expression => {
    return { kind: 'record-projection', type: applied(type), field, record, location }
  },
  with: (type: Type, field: string, record: Expression, value: Expression): Expression => {
    return { kind: 'record-update', type: applied(type), field, record, value, location }
  },
  variant: (type: Type, tag: string, value: Expression): Expression => {
    return { kind: 'variant', type: applied(type), tag, value, location }
  },
  enum: (type: Type, tag: string): Expression => ({ kind: 'enum', id: applied(type).id, tag, location }),
  struct: (...fields: [string, Expression][]): Expression => {
    return { kind: 'struct', fields: fields.map(([name, value]) => ({ name, value })), location }
  },
  structField: (field: string, struct: Expression): Expression => ({
    kind: 'struct-projection',
    field,
    struct,
    location,
  }),
  structWith: (field: string, struct: Expression, value: Expression): Expression => {
    return { kind: 'struct-update', field, struct, value, location }
  },
  call: (called: Expression, ...args: Expression[]): Expression => {
    return { kind: 'application', function: called, args, location }
  },
  at: (of: Expression, ...those: Type[]): Expression => {
    return { kind: 'type-application', expression: of, types: those, location }
  },
  lambda: (parameters: readonly Parameter[], body: Expression): Expression => {
    return { kind: 'abstraction', parameters, body, location }
  },
  typeLambda: (names: readonly string[], body: Expression): Expression => {
    return { kind: 'type-abstraction', parameters: names.map(ofStar), body, location }
  },
  let: (name: string, type: Type, bound: Expression, body: Expression): Expression => {
    return { kind: 'let', bindings: [{ name, type, bound }], body, location }
  },
  match: (scrutinee: Expression, ...alternatives: [Pattern, Expression][]): Expression => {
    return {
      kind: 'case',
      scrutinee,
      alternatives: alternatives.map(([pattern, body]) => ({ pattern, body })),
      location,
    }
  },
  nil: (type: Type): Expression => ({ kind: 'nil', type, location }),
  cons: (type: Type, front: Expression[], tail: Expression): Expression => ({
    kind: 'cons',
    type,
    front,
    tail,
    location,
  }),
  none: (type: Type): Expression => ({ kind: 'none', type, location }),
  some: (type: Type, value: Expression): Expression => ({ kind: 'some', type, value, location }),
  toAny: (type: Type, value: Expression): Expression => ({ kind: 'to-any', type, value, location }),
  fromAny: (type: Type, value: Expression): Expression => ({ kind: 'from-any', type, value, location }),
  typeRep: (type: Type): Expression => ({ kind: 'type-rep', type, location }),
  toAnyException: (type: Type, value: Expression): Expression => ({ kind: 'to-any-exception', type, value, location }),
  fromAnyException: (type: Type, value: Expression): Expression => ({
    kind: 'from-any-exception',
    type,
    value,
    location,
  }),
  throw: (returnType: Type, exceptionType: Type, exception: Expression): Expression => {
    return { kind: 'throw', returnType, exceptionType, exception, location }
  },
  update: (update: Update): Expression => ({ kind: 'update', update, location }),
}

/** A builtin with its types and arguments. */
export function builtin(name: BuiltinName, those: readonly Type[], ...args: Expression[]): Expression {
  const head = those.length > 0 ? e.at(e.builtin(name), ...those) : e.builtin(name)
  return args.length > 0 ? e.call(head, ...args) : head
}

export const p = {
  default: { kind: 'default' } as Pattern,
  true: { kind: 'builtin-constructor', name: 'true' } as Pattern,
  false: { kind: 'builtin-constructor', name: 'false' } as Pattern,
  unit: { kind: 'builtin-constructor', name: 'unit' } as Pattern,
  nil: { kind: 'nil' } as Pattern,
  cons: (head: string, tail: string): Pattern => ({ kind: 'cons', head, tail }),
  none: { kind: 'none' } as Pattern,
  some: (binder: string): Pattern => ({ kind: 'some', binder }),
  variant: (type: Type, tag: string, binder: string): Pattern => ({
    kind: 'variant',
    id: applied(type).id,
    tag,
    binder,
  }),
  enum: (type: Type, tag: string): Pattern => ({ kind: 'enum', id: applied(type).id, tag }),
}
