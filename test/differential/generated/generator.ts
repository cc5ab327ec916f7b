// The parts of the generator of expressions know each other by these types.
import type { Expression, Parameter, Type } from '../../../src/lf/syntax/ast.ts'
import type { Random } from './random.ts'
import type { DataTypes } from './random-types.ts'

/** A function of the package that may be called: its name, its type parameters and its type. */
export type Callable = { readonly name: string; readonly parameters: readonly Type[]; readonly result: Type }

export type Scope = {
  readonly variables: readonly Parameter[]
  /** Type variables; there is a variable `given_…` of each. */
  readonly types: readonly Type[]
  /** How many loops this is in. */
  readonly loops: number
}

export type Generator = {
  readonly random: Random
  readonly data: DataTypes
  readonly callables: Callable[]
  readonly minor: number
  expression(type: Type, scope: Scope, levels: number): Expression
  /** One that begins with a builtin. */
  operation(type: Type, scope: Scope, levels: number): Expression
  type(scope: Scope, levels?: number): Type
  /** A data type without parameters: only those are held by Any and have a TypeRep. */
  plain(): Type
  /** An expression with variables that it can use. */
  under(variables: readonly Parameter[], type: Type, scope: Scope, levels: number): Expression
  /** A name that may hide another. */
  name(): string
  nameBut(other: string): string
  loop(scope: Scope): Scope
  /** Further ways to make a type, where there is a ledger. */
  more: Options
}

export type Option = readonly [weight: number, make: () => Expression]
export type Options = (type: Type, scope: Scope, levels: number) => readonly Option[]
