// What the head of an HTTP request says: its token, and the types of answers that it accepts.
import type { IncomingMessage } from 'node:http'
import { DecodeError } from '../api/wire/decode.ts'

/** Other schemes count as no token; an empty or repeated header is a malformed request. */
export function bearerToken({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const header = headers.authorization
  if (header === undefined) return undefined
  if (count(rawHeaders) > 1) throw malformed()
  const scheme = /^bearer(\s|$)/i.exec(header)
  if (scheme === null) return undefined
  const token = header.slice('bearer'.length).trim()
  if (token === '') throw malformed()
  return token
}

/** Node keeps only the first of several Authorization headers, so this counts them in the raw list. */
function count(rawHeaders: readonly string[]): number {
  let found = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 13 && name.toLowerCase() === 'authorization') found += 1
  }
  return found
}

function malformed(): DecodeError {
  return new DecodeError('Invalid value for: header Authorization')
}

/** Whether the client accepts `type`; without a header it accepts anything. */
export function accepts(accept: string | undefined, type: string | undefined): boolean {
  if (accept === undefined || accept === '' || accept === '*/*' || type === undefined) return true
  return rangesOf(accept).some(([range, quality]) => quality > 0 && ['*/*', 'application/*', type].includes(range))
}

/** Whether the header names `type`, with a higher quality than `other`. */
export function prefers(accept: string | undefined, type: string, other: string): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(type)) return false
  const ranges = new Map(rangesOf(accept))
  return (ranges.get(type) ?? 0) > (ranges.get(other) ?? 0)
}

function rangesOf(accept: string): [range: string, quality: number][] {
  return accept.split(',').map((part) => {
    const [range, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return [range!, quality === undefined ? 1 : Number(quality) || 0]
  })
}
