// The forms that parsed JSON has: objects, and numbers with all digits that the client wrote.
import { exactNumberOf } from '../../base/exact-json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

export function numberTextOf(json: unknown): string | undefined {
  return typeof json === 'number' ? String(json) : exactNumberOf(json)
}
