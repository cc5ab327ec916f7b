// Update ids as clients send them: a SHA-256 multihash in hex. Checks and texts mirror Canton's UpdateId and Hash.
import { invalidArgument, missingField } from '../../../base/errors.ts'
import { ledgerStringProblem } from '../../../base/names.ts'

const sha256 = { index: 0x12n, bytes: 32n } as const
const varintBytesMax = 9

/** Returns the id as it is stored: in lower case. */
export function readUpdateId(text: string): string {
  if (text === '') throw missingField('update_id')
  const problem = ledgerStringProblem(text) ?? hashProblem(text)
  if (problem !== undefined) throw invalidArgument(problem)
  return text.toLowerCase()
}

function hashProblem(text: string): string | undefined {
  if (!/^([0-9a-fA-F]{2})*$/.test(text)) return `Failed to parse hex string: ${text}`
  const bytes = Buffer.from(text, 'hex')
  const index = readVarint(bytes, 0)
  if (typeof index === 'string') return index
  if (index.value !== sha256.index) {
    return `Invalid hash algorithm: Unknown hash algorithm for index: ${index.value}`
  }
  const length = readVarint(bytes, index.end)
  if (typeof length === 'string') return length
  if (length.value !== sha256.bytes) {
    return `Invalid hash algorithm: Mismatch of lengths for SHA-256: given ${length.value}, expected ${sha256.bytes}`
  }
  const size = BigInt(bytes.length - length.end)
  if (size === sha256.bytes) return undefined
  return `Size of given hash ${size} does not match expected size ${sha256.bytes} for SHA-256`
}

/** The number, or why there is none. */
function readVarint(bytes: Buffer, start: number): { value: bigint; end: number } | string {
  let value = 0n
  for (let at = start; at < bytes.length; at++) {
    const place = at - start
    if (place === varintBytesMax) return 'Failed to decode unsigned var-int: Varint too long'
    value |= BigInt(bytes[at]! & 0x7f) << BigInt(7 * place)
    if (bytes[at]! < 0x80) return { value, end: at + 1 }
  }
  return 'Failed to decode unsigned var-int: Input bytes already consumed'
}
