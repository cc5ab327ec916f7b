// Where a decoder is in the value it reads. Decoders only note the step they take at their depth; the path is built
// when there is an error to report.
import { shorten } from '../../base/names.ts'
import type { Type } from '../syntax/ast.ts'
import { typeToText } from './shapes.ts'
import { ValueError, type ValueErrorCode } from './value-error.ts'

/** Text that continues the path, an index, or the key of a map. */
export type Step = string | number | { readonly key: string }

export type Trail = {
  readonly root: string
  /** The step from depth n to depth n + 1 is at n; steps deeper than the decoder are left over. */
  readonly steps: Step[]
}

export function startTrail(root: string): Trail {
  return { root, steps: [] }
}

export type Mistake = {
  readonly code: ValueErrorCode
  readonly reason: string
  readonly expected: Type
  readonly hint?: string | undefined
}

export function failAt(trail: Trail, depth: number, { code, reason, expected, hint }: Mistake): never {
  throw new ValueError(code, reason, { path: pathOf(trail, depth), expected: typeToText(expected), hint })
}

export function pathOf({ root, steps }: Trail, depth: number): string {
  const path = steps.slice(0, depth).reduce<string>((text, step) => text + stepToText(step), root)
  return path.startsWith('.') ? path.slice(1) : path
}

function stepToText(step: Step): string {
  if (typeof step === 'string') return step
  return typeof step === 'number' ? `[${step}]` : `[${JSON.stringify(shorten(step.key))}]`
}
