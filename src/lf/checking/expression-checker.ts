// The interface between the parts of the expression checker, the variables that are in scope, and the check of one
// definition's body.
import type { Body, Expression, Type as SyntaxType, Update } from '../syntax/ast.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import type { Types } from './types.ts'
import type { Place } from './validation-error.ts'

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

export type Variables = ReturnType<typeof createVariables>

/** The variables that are in scope, with their types. After an error their scopes stay open: do not use them again. */
export function createVariables() {
  const types = new Map<string, Type | undefined>()
  /** Each variable that was bound, with what it hides. */
  const names: string[] = []
  const hidden: (Type | undefined)[] = []

  function bind(name: string, type: Type): void {
    names.push(name)
    hidden.push(types.get(name))
    types.set(name, type)
  }

  /** Ends the scope of all variables that were bound since `mark`. */
  function unbind(mark: number): void {
    while (names.length > mark) types.set(names.pop()!, hidden.pop())
  }

  return {
    get: (name: string): Type | undefined => types.get(name),
    mark: (): number => names.length,
    bind,
    unbind,

    /** Runs `body` with one variable. */
    binding<T>(name: string, type: Type, body: () => T): T {
      const mark = names.length
      bind(name, type)
      const result = body()
      unbind(mark)
      return result
    },
  }
}

export type DefinitionParts = {
  readonly types: Types
  readonly place: Place
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly expressions: ExpressionChecker
}

/** Checks the expression of a definition against its type. `definition` is what the reference calls it in locations. */
export type CheckBody = (body: Body, definition: string, expected: Type) => void

export function createBodyCheck({ place, kinding, expressions }: DefinitionParts): CheckBody {
  return (body, definition, expected) => {
    place.definition = definition
    const found = expressions.typeOf(kinding.emptyScope, body())
    if (found !== expected && !kinding.isEqual(kinding.emptyScope, found, expected)) {
      expressions.failMismatch(found, expected)
    }
  }
}
