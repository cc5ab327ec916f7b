// Decodes bodies, queries and path parameters by their wire schemas. An absent field takes its default; an error names its path, in the words of
// Canton's JSON layer (circe and tapir), which clients see as plain text.
import type { Static, TSchema } from 'typebox'
import { JsonScan, parseExactly } from '../../base/exact-json.ts'
import type { Settings } from '../../base/settings.ts'
import { printable } from './printable.ts'
import { int64From } from './scalars.ts'
import { type Schema, walk } from './walk.ts'

/** A malformed request: answered as plain text, nearly always with 400. */
export class DecodeError extends Error {
  readonly status: number
  /** For what Canton never answers; its own answers to requests that it cannot read are plain text. */
  readonly code: string | undefined

  constructor(message: string, status = 400, code?: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

type Compatibility = Settings['compatibility']

/** Decodes parsed JSON by the schema, or throws a DecodeError about `where`. */
export function decode<T extends TSchema>(
  schema: T,
  value: unknown,
  where: string,
  compatibility: Compatibility = 'specification',
): Static<T> {
  return decodeParsed(schema, { value, kept: [] }, where, compatibility)
}

/** Parses and decodes a body. */
export function decodeBody<T extends TSchema>(schema: T, body: string, compatibility: Compatibility): Static<T> {
  return decodeParsed(schema, { value: parseBody(body), kept: [] }, 'body', compatibility)
}

/** Fields of requests that hold Daml values, which may be large. */
export const damlValueNames: readonly string[] = ['createArguments', 'choiceArgument', 'contractKey']

const sliceCharacters = 128 * 1024

type Slices = {
  readonly valuesMax: number
  /** Awaited before each slice of work, so that other requests are served in between. */
  readonly turn: () => Promise<void>
}

/**
 * The same for a body that would block other requests. It is scanned in slices. Daml values, which make most requests
 * large, stay text that a worker thread parses; the rest is parsed here, up to a limit.
 */
export async function decodeLargeBody<T extends TSchema>(
  schema: T,
  body: string,
  compatibility: Compatibility,
  { valuesMax, turn }: Slices,
): Promise<Static<T>> {
  const scan = new JsonScan(body, { names: damlValueNames })
  await turn()
  while (scan.run(sliceCharacters)) {
    if (scan.values > valuesMax) break
    await turn()
  }
  if (scan.values > valuesMax) {
    throw new DecodeError(`The request body holds more than ${valuesMax} values besides Daml values`, 413)
  }
  const value = parse(scan.result())
  await turn()
  return decodeParsed(schema, { value, kept: scan.kept }, 'body', compatibility)
}

type Parsed = { readonly value: unknown; readonly kept: readonly string[] }

function decodeParsed<T extends TSchema>(
  schema: T,
  { value, kept }: Parsed,
  where: string,
  compatibility: Compatibility,
): Static<T> {
  const problems: string[] = []
  const walking = { problems, findsAll: true, kept, isCanton: compatibility === 'canton-3.5' }
  const decoded = walk(schema as Schema, value, '', walking)
  if (problems.length > 0) throw new DecodeError(`Invalid value for: ${where} (${problems.join(', ')})`)
  return decoded as Static<T>
}

/**
 * Decodes query parameters, which are text: one value each, or several if the schema is a list. An error names the
 * parameter without detail, as in Canton.
 */
export function decodeQuery<T extends TSchema>(schema: T, query: Readonly<Record<string, unknown>>): Static<T> {
  const decoded: Record<string, unknown> = {}
  for (const [name, property] of Object.entries((schema as Schema).properties ?? {})) {
    const given = query[name]
    if (Array.isArray(given) && property.type !== 'array') throw repeated(property, name, given)
    const value = property.type === 'array' && given !== undefined ? [given].flat() : fromQueryText(property, given)
    const isRequired = (schema as Schema).required?.includes(name) ?? false
    if (value === undefined && !isRequired) continue
    if (value === undefined && property.default === undefined) throw wrongParameter(name, ' (missing)')
    const problems: string[] = []
    decoded[name] = walk(property, value, '', { problems, ...inQuery })
    if (problems.length > 0) throw wrongParameter(name)
  }
  return decoded as Static<T>
}

/** Each value is decoded before their number matters. */
function repeated(property: Schema, name: string, given: readonly unknown[]): DecodeError {
  const problems: string[] = []
  for (const one of given) walk(property, fromQueryText(property, one), '', { problems, ...inQuery })
  return wrongParameter(name, problems.length > 0 ? '' : ' (multiple values)')
}

function wrongParameter(name: string, detail = ''): DecodeError {
  return new DecodeError(`Invalid value for: query parameter ${name}${detail}`)
}

const inQuery = { findsAll: false, kept: [], isCanton: false }

/** Decodes a path parameter that is a 64-bit integer. */
export function decodeInt64Param(params: Readonly<Record<string, string>>, name: string): bigint {
  const value = int64From(params[name])
  if (value === undefined) throw new DecodeError(`Invalid value for: path parameter ${name}`)
  return value
}

function fromQueryText({ type }: Schema, given: unknown): unknown {
  if (type !== 'boolean' || typeof given !== 'string') return given
  return booleans.get(given.toLowerCase()) ?? given
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** JSON.parse neither recurses nor runs code, so size is its only cost; the caller limits it. */
export function parseBody(body: string): unknown {
  try {
    return parseExactly(body)
  } catch {
    return parse(body) // Report the error in the original text.
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    const detail = body.trim() === '' ? 'exhausted input' : (error as Error).message
    throw new DecodeError(`Invalid value for: body (${printable(detail)})`)
  }
}
