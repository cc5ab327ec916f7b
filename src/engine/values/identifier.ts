// Identifiers as keys and as text.
import type { Identifier } from '../../lf/syntax/ast.ts'

/** `package:module:name`: equal for equal identifiers. */
export function identifierKey({ packageId, module, name }: Identifier): string {
  return `${packageId}:${module}:${name}`
}

/** `Module:Name@12345678`, as error texts show it. */
export function shownIdentifier({ packageId, module, name }: Identifier): string {
  return `${module}:${name}@${packageId.slice(0, 8)}`
}

export function isSameIdentifier(a: Identifier, b: Identifier): boolean {
  return a === b || (a.name === b.name && a.module === b.module && a.packageId === b.packageId)
}
