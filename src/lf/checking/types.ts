// Types as the checker holds them: each exists once, so equal types are the same object and shared parts stay shared.
// Applications are binary, as in the reference, because its rules and texts see them so.
import { type Identifier, illKinded, type Type as SyntaxType } from '../syntax/ast.ts'
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { createKinds, type Kind } from './kinds.ts'
import { type Budget, CheckLimitReached, checkLimits, spend } from './limits.ts'

export type TypeTag = 'variable' | 'nat' | 'constructor' | 'builtin' | 'application' | 'forall' | 'struct' | 'synonym'

export class Type {
  readonly tag: TypeTag
  readonly id: number
  /** Of a variable, a builtin type, or the bound variable of a forall. */
  name = ''
  /** Of a constructor or synonym. */
  identifier: Identifier | undefined = undefined
  /** An application's function and argument; a forall's body is `left`. */
  left: Type | undefined = undefined
  right: Type | undefined = undefined
  /** The kind of a forall's variable. */
  kind: Kind | undefined = undefined
  /** The fields of a struct, or the arguments of a synonym. */
  parts: readonly Type[] = noParts
  fieldNames: readonly string[] = noNames
  value = 0
  depth = 1
  hasVariables = false
  hasForall = false
  hasSynonym = false
  /** Applications of this type by argument. */
  applications: Map<Type, Type> | undefined = undefined
  /** The kind, once it is known, of a type without variables. */
  knownKind: Kind | undefined = undefined
  /** The type with its synonyms expanded, once it is known, of a type without variables. */
  expansion: Type | undefined = undefined

  /** What a synonym stands for, with its arguments filled in, once it is known. */
  meaning: Type | undefined = undefined
  /** The body of a forall for its arguments, as far as it is known. */
  instances: Map<Type, Type> | undefined = undefined

  constructor(tag: TypeTag, id: number) {
    this.tag = tag
    this.id = id
  }
}

const noParts: readonly Type[] = []
const noNames: readonly string[] = []

export type Types = ReturnType<typeof createTypes>

export function createTypes(budget: Budget) {
  const kinds = createKinds()
  const byKey = new Map<string, Type>()
  const nats: Type[] = []
  const variables = new Map<string, Type>()
  const builtins = new Map<BuiltinTypeName, Type>()
  /** Numbers of lists of field names: by the list, and by what it holds. */
  const nameLists = new Map<readonly string[], number>()
  const nameListsByText = new Map<string, number>()
  const constructors = new Map<Identifier, Type>()
  const converted = new Map<SyntaxType, Type>()
  let count = 0

  function create(tag: TypeTag): Type {
    spend(budget)
    if (count >= checkLimits.typesMax) throw new CheckLimitReached('the package has too many types')
    return new Type(tag, count++)
  }

  function holding(type: Type, parts: readonly Type[]): Type {
    for (const part of parts) {
      if (part.depth >= type.depth) type.depth = part.depth + 1
      if (part.hasVariables) type.hasVariables = true
      if (part.hasForall) type.hasForall = true
      if (part.hasSynonym) type.hasSynonym = true
    }
    if (type.depth > checkLimits.typeDepthMax) throw new CheckLimitReached('a type is nested too deep')
    return type
  }

  function keyed(key: string, build: () => Type): Type {
    const known = byKey.get(key)
    if (known !== undefined) return known
    const created = build()
    byKey.set(key, created)
    return created
  }

  function variable(name: string): Type {
    const known = variables.get(name)
    if (known !== undefined) return known
    const created = create('variable')
    created.name = name
    created.hasVariables = true
    variables.set(name, created)
    return created
  }

  function nat(value: number): Type {
    const known = nats[value]
    if (known !== undefined) return known
    const created = create('nat')
    created.value = value
    nats[value] = created
    return created
  }

  function named(identifier: Identifier): Type {
    const known = constructors.get(identifier)
    if (known !== undefined) return known
    const found = keyed(`c ${identifier.packageId}:${identifier.module}:${identifier.name}`, () => {
      const created = create('constructor')
      created.identifier = identifier
      return created
    })
    constructors.set(identifier, found)
    return found
  }

  function builtin(name: BuiltinTypeName): Type {
    const known = builtins.get(name)
    if (known !== undefined) return known
    const created = create('builtin')
    created.name = name
    builtins.set(name, created)
    return created
  }

  function apply(left: Type, right: Type): Type {
    left.applications ??= new Map()
    const known = left.applications.get(right)
    if (known !== undefined) return known
    const created = create('application')
    created.left = left
    created.right = right
    left.applications.set(right, holding(created, [left, right]))
    return created
  }

  function forall(name: string, kind: Kind, body: Type): Type {
    return keyed(`f ${name} ${kind.id} ${body.id}`, () => {
      const created = create('forall')
      created.name = name
      created.kind = kind
      created.left = body
      created.hasForall = true
      return holding(created, [body])
    })
  }

  function numberOf(fieldNames: readonly string[]): number {
    const known = nameLists.get(fieldNames)
    if (known !== undefined) return known
    const text = fieldNames.join(',')
    const number = nameListsByText.get(text) ?? nameListsByText.size
    nameListsByText.set(text, number)
    nameLists.set(fieldNames, number)
    return number
  }

  /** The names must be sorted and distinct. */
  function struct(fieldNames: readonly string[], parts: readonly Type[]): Type {
    return keyed(`s ${numberOf(fieldNames)} ${idsOf(parts)}`, () => {
      const created = create('struct')
      created.fieldNames = fieldNames
      created.parts = parts
      return holding(created, parts)
    })
  }

  function synonym(identifier: Identifier, parts: readonly Type[]): Type {
    const name = `${identifier.packageId}:${identifier.module}:${identifier.name}`
    return keyed(`a ${name} ${idsOf(parts)}`, () => {
      const created = create('synonym')
      created.identifier = identifier
      created.parts = parts
      created.hasSynonym = true
      return holding(created, parts)
    })
  }

  const applyAll = (head: Type, args: readonly Type[]): Type => args.reduce(apply, head)

  /** A type of a package; the archive bounds its depth. */
  function from(syntax: SyntaxType): Type {
    const known = converted.get(syntax)
    if (known !== undefined) return known
    const type = convert(syntax)
    converted.set(syntax, type)
    return type
  }

  function convert(syntax: SyntaxType): Type {
    switch (syntax.kind) {
      case 'variable': {
        const args = syntax.args.map(from)
        return syntax.name === illKinded ? args.reduce(apply) : applyAll(variable(syntax.name), args)
      }
      case 'constructor':
        return applyAll(named(syntax.id), syntax.args.map(from))
      case 'builtin':
        return applyAll(builtin(syntax.name), syntax.args.map(from))
      case 'synonym':
        return synonym(syntax.id, syntax.args.map(from))
      case 'nat':
        return nat(syntax.value)
      case 'struct':
        return struct(
          syntax.fields.map((field) => field.name),
          syntax.fields.map((field) => from(field.type)),
        )
      case 'forall':
        return syntax.parameters.reduceRight(
          (body, parameter) => forall(parameter.name, kinds.from(parameter.kind), body),
          from(syntax.body),
        )
    }
  }

  const arrow = builtin('Arrow')
  const list = builtin('List')
  const optional = builtin('Optional')
  const update = builtin('Update')
  const contractId = builtin('ContractId')

  return {
    budget,
    kinds,
    variable,
    nat,
    named,
    builtin,
    apply,
    applyAll,
    forall,
    struct,
    synonym,
    from,
    arrow,
    unit: builtin('Unit'),
    bool: builtin('Bool'),
    int64: builtin('Int64'),
    text: builtin('Text'),
    timestamp: builtin('Timestamp'),
    date: builtin('Date'),
    any: builtin('Any'),
    anyException: builtin('AnyException'),
    typeRep: builtin('TypeRep'),
    failureCategory: builtin('FailureCategory'),
    parties: apply(list, builtin('Party')),
    list,
    optional,
    update,
    function: (parameter: Type, result: Type): Type => apply(apply(arrow, parameter), result),
    listOf: (element: Type): Type => apply(list, element),
    optionalOf: (element: Type): Type => apply(optional, element),
    updateOf: (result: Type): Type => apply(update, result),
    contractIdOf: (template: Type): Type => apply(contractId, template),
    numericOf: (scale: Type): Type => apply(builtin('Numeric'), scale),
  }
}

function idsOf(parts: readonly Type[]): string {
  let ids = ''
  for (const { id } of parts) ids += `,${id}`
  return ids
}

/** `package-id:Module:Entity` */
export const fullName = ({ packageId, module, name }: Identifier): string => `${packageId}:${module}:${name}`

/** `Module:Entity` */
export const qualifiedName = ({ module, name }: Identifier): string => `${module}:${name}`

export function isSameIdentifier(a: Identifier, b: Identifier): boolean {
  return a === b || (a.name === b.name && a.module === b.module && a.packageId === b.packageId)
}
