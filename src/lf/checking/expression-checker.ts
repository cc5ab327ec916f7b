// What the parts of the expression checker know of each other.
import type { Expression, Update } from '../syntax/ast.ts'
import type { TypeScope } from './kinding.ts'
import type { Type } from './types.ts'

export type ExpressionChecker = {
  /** The type of an expression whose variables are bound. */
  typeOf(scope: TypeScope, expression: Expression): Type
  /** Refuses an expression of another type. Returns its type, which may name synonyms and variables differently. */
  check(scope: TypeScope, expression: Expression, expected: Type): Type
  /** Runs `body` with a variable bound. */
  binding<T>(name: string, type: Type, body: () => T): T
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
