// Decodes the body of a request by its route.
import type { TSchema } from 'typebox'
import type { Settings } from '../base/settings.ts'
import type { Route } from './route.ts'
import { decodeBody, decodeLargeBody } from './wire/decode.ts'

/** From this size on, decoding takes turns with other requests. */
const largeBodyBytesMin = 16 * 1024

export type Decoding = {
  readonly compatibility: Settings['compatibility']
  readonly isLenient: boolean
  readonly valuesMax: number
  readonly turn: (owner?: string) => Promise<void>
}

/** A lenient node lets a GET omit its body. */
export function readBody({ method, body: kind }: Route, body: Buffer | undefined, decoding: Decoding): unknown {
  if (kind === undefined || kind === 'stream') return undefined
  if (kind === 'bytes') return body ?? Buffer.alloc(0)
  const text = body?.toString() || (method === 'GET' && decoding.isLenient ? '{}' : '')
  return decodeText(kind, text, decoding)
}

/** A promise for a large body. */
export function decodeText(kind: TSchema, text: string, decoding: Decoding): unknown {
  const { compatibility } = decoding
  return text.length < largeBodyBytesMin
    ? decodeBody(kind, text, compatibility)
    : decodeLargeBody(kind, text, compatibility, decoding)
}
