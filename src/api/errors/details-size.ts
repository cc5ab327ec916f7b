// Which details of an error fit into its status. Over gRPC it is in the trailers, whose size clients limit, usually to 8 KiB; in
// Canton errors of the JSON API have come that way, too. So the details of an error have 4 KiB, shared as in Canton (NonSecuritySensitiveErrorCodeComponents): entries of the context are cut, the
// longest ones most; resources are whole or left out, because clients such as Daml Script parse them.
import type { Category } from '../../base/errors.ts'

export type Entry = readonly [name: string, value: string]

type Details = {
  readonly context: readonly Entry[]
  readonly resources: readonly Entry[]
}

const statusBytesMax = 4096
const tagBytes = 5
const keyLengthMax = 63
/** `...` for the key and for the value, and one character of each. */
const entryBytesMin = 8
/** What a resource has besides its type and its name. */
const resourceBytes = 45

/** Entries of the context that are never cut. */
export const fixedContext: ReadonlySet<string> = new Set(['category', 'definite_answer', 'tid'])
/** The gRPC code with its tag, and what an ErrorInfo without content takes. */
export const headBytes = 48
/** RetryInfo and RequestInfo as messages of any type; the latter has the id of the request besides. */
const retryInfoBytes = 48
const requestInfoBytes = 48

/** What the details take that Canton adds to every error. */
export function attachedBytes({ retry }: Category, requestId: string | null): number {
  const retryBytes = retry === undefined ? 0 : retryInfoBytes + tagBytes
  if (requestId === null) return retryBytes
  const idBytes = Buffer.byteLength(requestId)
  const longLengths = Number(idBytes > 127) + Number(idBytes > 124) // Lengths from 128 on take two bytes.
  return retryBytes + requestInfoBytes + idBytes + longLengths + tagBytes
}

/** `usedBytes`: what the rest of the status takes. */
export function fitDetails({ context, resources }: Details, usedBytes: number): Details {
  const count = context.length + resources.length
  if (count === 0) return { context, resources }
  const bytes = statusBytesMax - usedBytes - 2 * tagBytes * count
  const forResources = Math.trunc((resources.length * bytes) / count)
  return { context: fitContext(context, bytes - forResources), resources: fitResources(resources, forResources) }
}

export function stringBytes(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + tagBytes, 0)
}

function fitContext(entries: readonly Entry[], bytesMax: number): Entry[] {
  const sorted = entries
    .map(([key, value]): Entry => [key.replaceAll(/[^(a-zA-Z0-9\-_)]/g, '').slice(0, keyLengthMax), value])
    .filter(([key, value]) => key !== '' && value !== '')
    .sort(([a, b], [c, d]) => a.length + b.length - c.length - d.length)
  const fitting: Entry[] = []
  let free = bytesMax
  for (const [index, [key, value]] of sorted.entries()) {
    const share = Math.trunc(free / (sorted.length - index))
    const isLong = key.length + value.length > share
    if (isLong && share < entryBytesMin) continue
    const shortKey = isLong ? cut(key, Math.trunc(share / 2)) : key
    const shortValue = isLong ? cut(value, share - shortKey.length) : value
    const bytes = Buffer.byteLength(shortKey) + Buffer.byteLength(shortValue)
    if (bytes > share) continue
    fitting.push([shortKey, shortValue])
    free -= bytes
  }
  return fitting
}

function fitResources(resources: readonly Entry[], bytesMax: number): Entry[] {
  let free = bytesMax
  return resources.filter(([type, name]) => {
    const bytes = Buffer.byteLength(type) + Buffer.byteLength(name) + resourceBytes
    if (bytes > free) return false
    free -= bytes
    return true
  })
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 3)}...` : text
}
