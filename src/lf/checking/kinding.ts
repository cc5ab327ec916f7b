// The kinds of types, and the expansion of type synonyms, in the scope of some type variables.

import type { TypeParameter } from '../syntax/ast.ts'
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { qualifiedName } from '../syntax/names.ts'
import { isEquivalent, substitute } from './bound-variables.ts'
import { type Kind, prettyKind } from './kinds.ts'
import { spend, textOf } from './limits.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import { prettyTypes } from './type-text.ts'
import type { Types } from './types.ts'
import { ValidationError, type ValidationErrorName } from './validation-error.ts'

/** Type variables with their kinds, the last one first, and a cache of the kinds and expansions of types in that scope. */
export type TypeScope = {
  readonly outer: TypeScope | undefined
  readonly name: string
  readonly kind: Kind
  readonly kinds: Map<Type, Kind>
  readonly expansions: Map<Type, Type>
  /** Scopes with one more variable, by its name. */
  readonly inner: Map<string, TypeScope>
}

/** Definitions often use the same names for variables, so we keep scopes with their caches. Published DARs: 2,500. */
const scopesKeptMax = 10_000

export type Kinding = ReturnType<typeof createKinding>

type Parts = { readonly types: Types; readonly signatures: Signatures; readonly context: () => string }

export const pretty = (kind: Kind): string => textOf((to) => prettyKind(to, kind))

export function createKinding({ types, signatures, context }: Parts) {
  const { star, nat, arrow } = types.kinds
  const toStar = arrow(star, star)
  const builtinKinds = new Map<BuiltinTypeName, Kind>([
    ['Numeric', arrow(nat, star)],
    ['List', toStar],
    ['Update', toStar],
    ['ContractId', toStar],
    ['Optional', toStar],
    ['TextMap', toStar],
    ['Arrow', arrow(star, toStar)],
    ['GenMap', arrow(star, toStar)],
  ])
  const emptyScope = createScope(undefined, '', star)
  let scopesKept = 0

  function fail(name: ValidationErrorName, problem: string): never {
    throw new ValidationError(name, context(), problem)
  }

  function extend(scope: TypeScope, name: string, kind: Kind): TypeScope {
    const known = scope.inner.get(name)
    if (known?.kind === kind) return known
    spend(types.budget)
    const created = createScope(scope, name, kind)
    if (known === undefined && scopesKept < scopesKeptMax) {
      scopesKept += 1
      scope.inner.set(name, created)
    }
    return created
  }

  function kindOfVariable(scope: TypeScope, name: string): Kind {
    for (let at = scope; at.outer !== undefined; at = at.outer) {
      if (at.name === name) return at.kind
      spend(types.budget)
    }
    return fail('EUnknownTypeVar', `unknown type variable: ${name}`)
  }

  /** Refuses a kind with `nat` right of an arrow, from left to right. */
  function checkKind(kind: Kind): void {
    const pending = [kind]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next.tag !== 'arrow') continue
      if (next.result!.tag === 'nat') fail('ENatKindRightOfArrow', `invalid kind ${pretty(next)}`)
      spend(types.budget)
      pending.push(next.result!, next.parameter!)
    }
  }

  function checkType(scope: TypeScope, type: Type, kind: Kind): void {
    const found = kindOf(scope, type)
    if (found === kind) return
    fail('EKindMismatch', `kind mismatch:\n * expected kind: ${pretty(kind)}\n * found Kind: ${pretty(found)}`)
  }

  function kindOf(scope: TypeScope, type: Type): Kind {
    const known = type.hasVariables ? scope.kinds.get(type) : type.knownKind
    if (known !== undefined) return known
    spend(types.budget)
    const kind = findKind(scope, type)
    if (type.hasVariables) scope.kinds.set(type, kind)
    else type.knownKind = kind
    return kind
  }

  function findKind(scope: TypeScope, type: Type): Kind {
    switch (type.tag) {
      case 'variable':
        return kindOfVariable(scope, type.name)
      case 'nat':
        return nat
      case 'builtin':
        return builtinKinds.get(type.name as BuiltinTypeName) ?? star
      case 'constructor':
        return kindOfParameters(signatures.dataType(type.identifier!).parameters)
      case 'application': {
        const kind = kindOf(scope, type.left!)
        if (kind.tag !== 'arrow') return fail('EExpectedHigherKind', 'expected higher kinded type, but found: *')
        checkType(scope, type.right!, kind.parameter!)
        return kind.result!
      }
      case 'forall':
        checkKind(type.kind!)
        checkType(extend(scope, type.name, type.kind!), type.left!, star)
        return star
      case 'struct':
        for (const part of type.parts) checkType(scope, part, star)
        return star
      case 'synonym':
        checkType(scope, unfold(scope, type), star)
        return star
    }
  }

  function kindOfParameters(parameters: readonly TypeParameter[]): Kind {
    return parameters.reduceRight((result, parameter) => arrow(types.kinds.from(parameter.kind), result), star)
  }

  /** The definition of a synonym, with its arguments filled in. */
  function unfold(scope: TypeScope, synonym: Type): Type {
    const { identifier, parts: args } = synonym
    const id = identifier!
    const { parameters, type } = signatures.synonym(id)
    if (parameters.length !== args.length) {
      const application = `${qualifiedName(id)} ${prettyTypes(args)}`
      fail('ETypeSynAppWrongArity', `wrong arity in type synonym application: ${application}`)
    }
    for (const [index, arg] of args.entries()) checkType(scope, arg, types.kinds.from(parameters[index]!.kind))
    if (synonym.meaning !== undefined) return synonym.meaning
    const filled = new Map(parameters.map(({ name }, index) => [name, args[index]!]))
    const meaning = substitute(types, filled, types.from(type))
    synonym.meaning = meaning
    return meaning
  }

  /** The type without synonyms. */
  function expand(scope: TypeScope, type: Type): Type {
    if (!type.hasSynonym) return type
    const known = type.hasVariables ? scope.expansions.get(type) : type.expansion
    if (known !== undefined) return known
    spend(types.budget)
    const expanded = expandParts(scope, type)
    if (type.hasVariables) scope.expansions.set(type, expanded)
    else type.expansion = expanded
    return expanded
  }

  function expandParts(scope: TypeScope, type: Type): Type {
    switch (type.tag) {
      case 'synonym':
        return expand(scope, unfold(scope, type))
      case 'application':
        return types.apply(expand(scope, type.left!), expand(scope, type.right!))
      case 'forall': {
        const body = expand(extend(scope, type.name, type.kind!), type.left!)
        return types.forall(type.name, type.kind!, body)
      }
      case 'struct':
        return types.withParts(
          type,
          type.parts.map((part) => expand(scope, part)),
        )
      default:
        return type
    }
  }

  function isEqual(scope: TypeScope, left: Type, right: Type): boolean {
    if (left === right) return true
    if (isEquivalent(types.budget, left, right)) return true
    if (!left.hasSynonym && !right.hasSynonym) return false
    return isEquivalent(types.budget, expand(scope, left), expand(scope, right))
  }

  return { emptyScope, extend, checkKind, checkType, expand, isEqual, fail }
}

function createScope(outer: TypeScope | undefined, name: string, kind: Kind): TypeScope {
  return { outer, name, kind, kinds: new Map(), expansions: new Map(), inner: new Map() }
}
