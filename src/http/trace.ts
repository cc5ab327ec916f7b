// The trace id of a request: the caller's, when a W3C traceparent header brings one, or a new one.
import type { Random } from '../base/random.ts'

// Version, trace id, parent id, flags; version ff and ids of zeros are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/

export function traceIdFrom(header: string | undefined, random: Random): string {
  const given = header === undefined ? undefined : traceparent.exec(header)?.[1]
  return given ?? random.bytes(16).toString('hex')
}
