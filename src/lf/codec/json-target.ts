// The JSON that a decoder expects for a type: checks of its form, and the errors for other JSON.
import { exactNumberOf } from '../../base/exact-json.ts'
import { shorten } from '../../base/names.ts'
import type { Type } from '../syntax/ast.ts'
import type { Compare } from '../values/ordered-map.ts'
import type { LfValue } from '../values/values.ts'
import { isObject, type JsonObject } from './json-forms.ts'
import { kindHint } from './json-hints.ts'
import type { Compiled } from './shapes.ts'
import { failAt, type Trail } from './trail.ts'
import { nestingMax } from './value-error.ts'

export type Decode = (json: unknown, trail: Trail, depth: number) => LfValue

type DecoderOf = (type: Type) => Compiled<Decode>

/** A type to decode to, and the decoders of its parts. */
export type Target = {
  readonly type: Type
  readonly of: DecoderOf
  readonly compare: Compare
  /** Reads JSON numbers for Int64 and every Numeric, and null for None in every place, which Canton refuses. */
  readonly isLenient: boolean
}

export function objectOf(json: unknown, trail: Trail, depth: number, target: Target): JsonObject {
  return isObject(json) ? json : wrongJson(json, trail, depth, target, 'an object')
}

export function arrayOf(json: unknown, trail: Trail, depth: number, target: Target, hint?: string): readonly unknown[] {
  return Array.isArray(json) ? json : wrongJson(json, trail, depth, target, 'an array', hint)
}

export function stringOf(json: unknown, trail: Trail, depth: number, target: Target, hint?: string): string {
  if (typeof json !== 'string' || exactNumberOf(json) !== undefined) {
    return wrongJson(json, trail, depth, target, 'a string', hint)
  }
  return json
}

/** The depth of a value's contents. */
export function descend(trail: Trail, depth: number, target: Target): number {
  if (depth < nestingMax) return depth + 1
  return refused(trail, depth, target, `Provided value exceeds maximum nesting level of ${nestingMax}`)
}

export function wrongJson(
  json: unknown,
  trail: Trail,
  depth: number,
  target: Target,
  wanted: string,
  hint = kindHint(json, wanted),
): never {
  return invalid(trail, depth, target, `Expected ${wanted}, but got ${shownJson(json)}`, hint)
}

export function shownJson(json: unknown): string {
  const number = exactNumberOf(json)
  if (number !== undefined) return shorten(number)
  if (typeof json === 'string') return JSON.stringify(shorten(json))
  if (Array.isArray(json)) return 'an array'
  return isObject(json) ? 'an object' : String(json)
}

export function invalid(trail: Trail, depth: number, { type }: Target, reason: string, hint?: string): never {
  return failAt(trail, depth, { code: 'INVALID_ARGUMENT', reason, expected: type, hint })
}

export function refused(trail: Trail, depth: number, { type }: Target, reason: string, hint?: string): never {
  return failAt(trail, depth, { code: 'COMMAND_PREPROCESSING_FAILED', reason, expected: type, hint })
}
