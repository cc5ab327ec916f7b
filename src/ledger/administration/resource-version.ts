// The version that an update may name: the update is refused if the resource has changed since.
import { invalidField } from '../../base/errors.ts'

const int64Max = 2n ** 63n - 1n

export function readResourceVersion(text: string, field: string): bigint | undefined {
  if (text === '') return undefined
  const version = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (version === undefined || version > int64Max || version < -int64Max - 1n) {
    throw invalidField(field, 'Invalid resource version number')
  }
  return version
}
