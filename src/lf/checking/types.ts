// Types as the checker holds them: each exists once, so equal types are the same object and shared parts stay shared.
// Applications are binary, as in the reference, because its rules and texts see them so.

import { type Identifier, illKinded, type Type as SyntaxType } from '../syntax/ast.ts'
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { fullName } from '../syntax/names.ts'
import { createKinds, type Kind } from './kinds.ts'
import { type Budget, CheckLimitReached, checkLimits, spend } from './limits.ts'
import type { ModuleUses } from './module-uses.ts'
import { createNameLists, createTypeTable, Type, type TypeTag } from './type.ts'

export type Types = ReturnType<typeof createTypes>

export function createTypes(budget: Budget, uses: ModuleUses) {
  const kinds = createKinds()
  const table = createTypeTable(budget)
  const nats: Type[] = []
  const variables = new Map<string, Type>()
  const builtins = new Map<BuiltinTypeName, Type>()
  const constructors = new Map<Identifier, Type>()
  const constructorsByName = new Map<string, Type>()
  const numberOfNames = createNameLists()
  const converted = new Map<SyntaxType, Type>()
  let count = 0
  let numbers = 0

  function create(tag: TypeTag): Type {
    spend(budget)
    if (count >= checkLimits.typesMax) throw new CheckLimitReached('the package has too many types')
    return new Type(tag, count++)
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
    const name = fullName(identifier)
    const found = constructorsByName.get(name) ?? create('constructor')
    found.identifier ??= identifier
    constructorsByName.set(name, found)
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
    const known = table.application(left, right)
    if (known !== undefined) return known
    const created = create('application')
    created.left = left
    created.right = right
    hold(created, left)
    hold(created, right)
    table.add(created)
    return created
  }

  function forall(name: string, kind: Kind, body: Type): Type {
    const known = table.forall(name, kind, body)
    if (known !== undefined) return known
    const created = create('forall')
    created.name = name
    created.kind = kind
    created.left = body
    created.hasForall = true
    hold(created, body)
    table.add(created)
    return created
  }

  /** The names must be sorted and distinct. */
  function struct(fieldNames: readonly string[], parts: readonly Type[]): Type {
    const value = numberOfNames(fieldNames)
    const known = table.withParts('struct', value, parts)
    if (known !== undefined) return known
    const created = create('struct')
    created.fieldNames = fieldNames
    return added(created, value, parts)
  }

  function synonym(identifier: Identifier, parts: readonly Type[]): Type {
    const { id: value } = named(identifier)
    const known = table.withParts('synonym', value, parts)
    if (known !== undefined) return known
    const created = create('synonym')
    created.identifier = identifier
    created.hasSynonym = true
    return added(created, value, parts)
  }

  /** The same struct or synonym with other parts. */
  function withParts({ tag, value, fieldNames, identifier }: Type, parts: readonly Type[]): Type {
    const known = table.withParts(tag as 'struct' | 'synonym', value, parts)
    if (known !== undefined) return known
    const created = create(tag)
    created.fieldNames = fieldNames
    created.identifier = identifier
    created.hasSynonym = tag === 'synonym'
    return added(created, value, parts)
  }

  function added(type: Type, value: number, parts: readonly Type[]): Type {
    type.value = value
    type.parts = parts
    for (const part of parts) hold(type, part)
    table.add(type)
    return type
  }

  const applyAll = (head: Type, args: readonly Type[]): Type => args.reduce(apply, head)

  /** A type that the module being checked names; the archive bounds its depth. */
  function from(syntax: SyntaxType): Type {
    const type = converted.get(syntax) ?? convert(syntax)
    uses.type(type)
    return type
  }

  function convert(syntax: SyntaxType): Type {
    const known = converted.get(syntax)
    if (known !== undefined) return known
    const type = converting(syntax)
    converted.set(syntax, type)
    return type
  }

  function converting(syntax: SyntaxType): Type {
    switch (syntax.kind) {
      case 'variable': {
        const args = syntax.args.map(convert)
        return syntax.name === illKinded ? args.reduce(apply) : applyAll(variable(syntax.name), args)
      }
      case 'constructor':
        return applyAll(named(syntax.id), syntax.args.map(convert))
      case 'builtin':
        return applyAll(builtin(syntax.name), syntax.args.map(convert))
      case 'synonym':
        return synonym(syntax.id, syntax.args.map(convert))
      case 'nat':
        return nat(syntax.value)
      case 'struct':
        return struct(
          syntax.fields.map((field) => field.name),
          syntax.fields.map((field) => convert(field.type)),
        )
      case 'forall':
        return syntax.parameters.reduceRight(
          (body, parameter) => forall(parameter.name, kinds.from(parameter.kind), body),
          convert(syntax.body),
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
    /** A number that was not used before, for a substitution or another walk over types. */
    nextNumber: (): number => ++numbers,
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
    withParts,
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

/** Sets the properties that a type has because a part has them. */
function hold(type: Type, part: Type): void {
  if (part.depth >= type.depth) type.depth = part.depth + 1
  if (part.hasVariables) type.hasVariables = true
  if (part.hasForall) type.hasForall = true
  if (part.hasSynonym) type.hasSynonym = true
  if (type.depth > checkLimits.typeDepthMax) throw new CheckLimitReached('a type is nested too deep')
}
