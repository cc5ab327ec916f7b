// Checks the patterns of case expressions: which variables they bind, whether they fit the matched type, and whether they
// are exhaustive.
import type { Alternative, BuiltinConstructor, FieldType, Identifier, Pattern } from '../syntax/ast.ts'
import { fullName, isSameIdentifier, qualifiedName } from '../syntax/names.ts'
import type { DataTypes, Instance } from './data-types.ts'
import type { Kinding } from './kinding.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import type { Types } from './types.ts'

export type Bound = readonly (readonly [name: string, type: Type])[]

/** How one scrutinee is matched. */
type Matching = {
  /** The variables of a pattern; undefined if the pattern does not fit. */
  readonly fit: (pattern: Pattern) => Bound | undefined
  /** The patterns that cover everything, in the order of their ranks. */
  readonly expected: () => readonly Pattern[]
  readonly count: number
  /** The type that the reference names when a pattern does not fit. */
  readonly shownType: Type
}

export type Patterns = ReturnType<typeof createPatterns>

type Parts = {
  readonly types: Types
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly dataTypes: DataTypes
}

const nothing: Bound = []
const constructorPattern = (name: BuiltinConstructor): Pattern => ({ kind: 'builtin-constructor', name })
const wildcard = '_'

export function createPatterns({ types, signatures, kinding, dataTypes }: Parts) {
  const { fail } = kinding

  function matchingOf(type: Type): Matching {
    const { head, args } = headOf(type)
    if (head.tag === 'constructor') return matchingData(type, head.identifier!, args)
    const isWhole = (count: number) => args.length === count
    if (head === types.unit && isWhole(0)) return builtinMatching(type, ['unit'])
    if (head === types.bool && isWhole(0)) return builtinMatching(type, ['false', 'true'])
    if (head === types.list && isWhole(1)) return matchingList(type, args[0]!)
    if (head === types.optional && isWhole(1)) return matchingOptional(type, args[0]!)
    return defaultMatching(type)
  }

  function matchingData(type: Type, id: Identifier, args: readonly Type[]): Matching {
    const dataType = signatures.dataType(id)
    const { constructors } = dataType
    switch (constructors.kind) {
      case 'variant':
        return matchingVariant({ dataType, type, args }, id, constructors.fields)
      case 'enum':
        return {
          count: constructors.names.length,
          expected: () => constructors.names.map((tag): Pattern => ({ kind: 'enum', id, tag })),
          shownType: types.named(id),
          fit: (pattern) => {
            if (pattern.kind !== 'enum' || !isSameIdentifier(pattern.id, id)) return undefined
            if (!constructors.names.includes(pattern.tag)) failUnknownEnumConstructor(pattern.tag)
            return nothing
          },
        }
      default:
        return defaultMatching(type)
    }
  }

  function matchingVariant(instance: Instance, id: Identifier, constructors: readonly FieldType[]): Matching {
    return {
      count: constructors.length,
      expected: () => constructors.map(({ name }): Pattern => ({ kind: 'variant', id, tag: name, binder: wildcard })),
      shownType: instance.type,
      fit: (pattern) => {
        if (pattern.kind !== 'variant' || !isSameIdentifier(pattern.id, id)) return undefined
        const index = constructors.findIndex(({ name }) => name === pattern.tag)
        if (index < 0) return failUnknownConstructor(pattern.tag)
        return [[pattern.binder, dataTypes.carried(instance, constructors[index]!, index)]]
      },
    }
  }

  function builtinMatching(type: Type, names: readonly BuiltinConstructor[]): Matching {
    return {
      count: names.length,
      expected: () => names.map(constructorPattern),
      shownType: type,
      fit: (pattern) => (pattern.kind === 'builtin-constructor' && names.includes(pattern.name) ? nothing : undefined),
    }
  }

  function matchingList(type: Type, element: Type): Matching {
    return {
      count: 2,
      expected: () => [{ kind: 'nil' }, { kind: 'cons', head: wildcard, tail: wildcard }],
      shownType: type,
      fit: (pattern) => {
        if (pattern.kind === 'nil') return nothing
        if (pattern.kind !== 'cons') return undefined
        const { head, tail } = pattern
        if (head === tail) fail('EClashingPatternVariables', `${head} is used more than one in pattern`)
        return [
          [head, element],
          [tail, type],
        ]
      },
    }
  }

  function matchingOptional(type: Type, element: Type): Matching {
    return {
      count: 2,
      expected: () => [{ kind: 'none' }, { kind: 'some', binder: wildcard }],
      shownType: type,
      fit: (pattern) => {
        if (pattern.kind === 'none') return nothing
        return pattern.kind === 'some' ? [[pattern.binder, element]] : undefined
      },
    }
  }

  function defaultMatching(type: Type): Matching {
    return { count: 1, expected: () => [{ kind: 'default' }], shownType: type, fit: () => undefined }
  }

  /** Ranks of `true` and `false` are the reference's, whose text then names the wrong one as missing. */
  function rankOf(pattern: Exclude<Pattern, { kind: 'default' }>): number {
    switch (pattern.kind) {
      case 'variant':
        return signatures.variantRank(pattern.id, pattern.tag)
      case 'enum':
        return signatures.enumRank(pattern.id, pattern.tag)
      case 'builtin-constructor':
        return pattern.name === 'true' ? 0 : 1
      case 'cons':
      case 'some':
        return 1
      case 'nil':
      case 'none':
        return 0
    }
  }

  function checkExhaustive(matching: Matching, alternatives: readonly Alternative[], type: Type): void {
    const ranks = new Set<number>()
    for (const { pattern } of alternatives) {
      if (pattern.kind === 'default') return
      ranks.add(rankOf(pattern))
    }
    if (ranks.size >= matching.count) return
    const missing = matching.expected().filter((_, rank) => !ranks.has(rank))
    const shown = missing.map(patternText).join(', ')
    const problem = `non-exhaustive pattern match:\n * missing patterns: ${shown}`
    fail('ENonExhaustivePatterns', `${problem}\n * scrutinee type: ${prettyType(type)}`)
  }

  function failUnknownConstructor(tag: string): never {
    return fail('EUnknownVariantCon', `unknown variant constructor: ${tag}`)
  }

  function failUnknownEnumConstructor(tag: string): never {
    return fail('EUnknownEnumCon', `unknown enum constructor: ${tag}`)
  }

  return {
    failUnknownConstructor,
    failUnknownEnumConstructor,
    failNotVariant: (id: Identifier): never => {
      return fail('EExpectedVariantType', `expected variant type: ${qualifiedName(id)}`)
    },
    failNotEnum: (id: Identifier): never => fail('EExpectedEnumType', `expected enum type: ${qualifiedName(id)}`),

    /** How patterns match a value of a type. Synonyms are not expanded here, as in the reference. */
    matching(type: Type) {
      const matching = matchingOf(type)
      return {
        bind(pattern: Pattern): Bound {
          if (pattern.kind === 'default') return nothing
          const bound = matching.fit(pattern)
          if (bound !== undefined) return bound
          const problem = `pattern type mismatch:\n * pattern: ${patternText(pattern)}`
          return fail('EPatternTypeMismatch', `${problem}\n * scrutinee type: ${prettyType(matching.shownType)}`)
        },
        checkExhaustive: (alternatives: readonly Alternative[]) => checkExhaustive(matching, alternatives, type),
      }
    },
  }
}

/** The head of a type application, and its arguments. */
function headOf(type: Type): { head: Type; args: readonly Type[] } {
  if (type.tag !== 'application') return { head: type, args: [] }
  const args: Type[] = []
  let head = type
  while (head.tag === 'application') {
    args.push(head.right!)
    head = head.left!
  }
  return { head, args: args.reverse() }
}

const constructorNames: Readonly<Record<BuiltinConstructor, string>> = {
  unit: 'BCUnit',
  false: 'BCFalse',
  true: 'BCTrue',
}

/** As the reference prints its own data. */
function patternText(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'default':
      return 'CPDefault'
    case 'variant':
      return `CPVariant(${fullName(pattern.id)},${pattern.tag},${pattern.binder})`
    case 'enum':
      return `CPEnum(${fullName(pattern.id)},${pattern.tag})`
    case 'builtin-constructor':
      return `CPBuiltinCon(${constructorNames[pattern.name]})`
    case 'nil':
      return 'CPNil'
    case 'cons':
      return `CPCons(${pattern.head},${pattern.tail})`
    case 'none':
      return 'CPNone'
    case 'some':
      return `CPSome(${pattern.binder})`
  }
}
