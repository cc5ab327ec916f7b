// What the parts of the expression checker know of each other.
import type { Expression, Type as SyntaxType, Update } from '../syntax/ast.ts'
import type { TypeScope } from './kinding.ts'
import type { Type } from './type.ts'
import type { Variables } from './variables.ts'

export type ExpressionChecker = {
  /** The type of an expression whose variables are bound. */
  typeOf(scope: TypeScope, expression: Expression): Type
  /** Refuses an expression of another type. Returns its type, which may name synonyms and variables differently. */
  check(scope: TypeScope, expression: Expression, expected: Type): Type
  /** A type as it is written, which must be of kind `*`. */
  properType(scope: TypeScope, syntax: SyntaxType): Type
  failMismatch(found: Type, expected: Type): never
  readonly variables: Variables
}

type InterfaceExpression = Extract<
  Expression,
  | { kind: 'to-interface' | 'from-interface' }
  | { kind: 'unsafe-from-interface' }
  | { kind: 'call-interface' }
  | { kind: 'view-interface' | 'signatory-interface' | 'observer-interface' | 'interface-template-type-rep' }
  | { kind: 'to-required-interface' | 'from-required-interface' }
  | { kind: 'unsafe-from-required-interface' }
>

export type InterfaceExpressions = (scope: TypeScope, expression: InterfaceExpression) => Type

export type UpdateExpressions = (scope: TypeScope, update: Update) => Type
