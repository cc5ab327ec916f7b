// Page tokens of the explorer's lists. They say where the next page begins and hold nothing else, so they survive a reload.
import { invalidField } from '../../base/errors.ts'
import type { TokenHead } from '../reading/requests/read-tokens.ts'

export type PlaceInList = {
  readonly activeAt: bigint
  /** The number of the last contract created up to the offset. */
  readonly lastNumber: bigint
  /** The last contract of the page before, or the last one that was looked at. */
  readonly number: bigint
  /** Its value in the field that the list is sorted by; undefined if it has none. */
  readonly key: string | undefined
  /** How many passed on the pages before. */
  readonly found: number
}

const version = 1
const lengthMax = 2_000

export function writePageToken({ participant, request }: TokenHead, place: PlaceInList): string {
  const { activeAt, lastNumber, number, key = null, found } = place
  const numbers = [activeAt, lastNumber, number].map(String)
  const fields = [version, participant.toString('hex'), request.toString('hex'), ...numbers, key, found]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

export function readPageToken(token: string, { participant, request }: TokenHead): PlaceInList {
  const fields = fieldsOf(token)
  if (fields === undefined) throw invalidToken('it is no token of this list')
  const [, ofParticipant, ofRequest, activeAt, lastNumber, number, key, found] = fields
  if (ofParticipant !== participant.toString('hex')) throw invalidToken('it is of another participant')
  if (ofRequest !== request.toString('hex')) throw invalidToken('it is of another query; begin with the first page')
  const [first, second, third] = [activeAt, lastNumber, number].map(BigInt) as [bigint, bigint, bigint]
  return { activeAt: first, lastNumber: second, number: third, key: key ?? undefined, found }
}

type Fields = [number, string, string, string, string, string, string | null, number]

const isCount = (value: unknown) => typeof value === 'string' && /^\d{1,18}$/.test(value)

function fieldsOf(token: string): Fields | undefined {
  if (token.length > lengthMax) return undefined
  let fields: unknown
  try {
    fields = JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(fields) || fields.length !== 8 || fields[0] !== version) return undefined
  const [, participant, request, activeAt, lastNumber, number, key, found] = fields
  const areTexts = typeof participant === 'string' && typeof request === 'string'
  const isPlace = [activeAt, lastNumber, number].every(isCount) && (key === null || typeof key === 'string')
  return areTexts && isPlace && Number.isSafeInteger(found) && found >= 0 ? (fields as Fields) : undefined
}

function invalidToken(reason: string) {
  return invalidField('page_token', reason)
}
