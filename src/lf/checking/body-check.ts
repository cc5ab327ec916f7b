// Checks the expressions of definitions against their types.
import type { Body } from '../syntax/ast.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { Kinding } from './kinding.ts'
import type { Place } from './place.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import type { Types } from './types.ts'

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
