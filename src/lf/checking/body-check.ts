// Checks the expressions of definitions against their types.
import type { Body, Expression } from '../syntax/ast.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { Kinding } from './kinding.ts'
import { contextOf, type Place } from './place.ts'
import type { Signatures } from './signatures.ts'
import { prettyType } from './type-text.ts'
import type { Type, Types } from './types.ts'
import { ValidationError } from './validation-error.ts'

export type DefinitionParts = {
  readonly types: Types
  readonly place: Place
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly expressions: ExpressionChecker
  /** Reads a body, and is told of every one. */
  readonly read: (body: Body) => Expression
}

/** Checks the expression of a definition against its type. `definition` is what the reference calls it in locations. */
export type CheckBody = (body: Body, definition: string, expected: Type) => void

export function createBodyCheck({ place, kinding, expressions, read }: DefinitionParts): CheckBody {
  return (body, definition, expected) => {
    place.definition = definition
    const found = expressions.typeOf(kinding.emptyScope, read(body))
    if (found === expected || kinding.isEqual(kinding.emptyScope, found, expected)) return
    const problem = `type mismatch:\n * expected type: ${prettyType(expected)}\n * found type: ${prettyType(found)}`
    throw new ValidationError('ETypeMismatch', contextOf(place), problem, { found, expected })
  }
}
