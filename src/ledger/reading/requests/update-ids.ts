// Update ids as clients send them: a SHA-256 multihash in hex. Checks and texts mirror Canton's UpdateId and Hash.
import { invalidArgument, missingField } from '../../../base/errors.ts'
import { ledgerStringProblem } from '../../../base/names.ts'

const sha256 = { index: 0x12, bytes: 32 } as const

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
  if (index === undefined) return 'Failed to decode unsigned var-int: Input bytes already consumed'
  if (index.value !== sha256.index) {
    return `Invalid hash algorithm: Unknown hash algorithm for index: ${index.value}`
  }
  const length = readVarint(bytes, index.end)
  if (length === undefined) return 'Failed to decode unsigned var-int: Input bytes already consumed'
  if (length.value !== sha256.bytes) {
    return `Invalid hash algorithm: Mismatch of lengths for SHA-256: given ${length.value}, expected ${sha256.bytes}`
  }
  const size = bytes.length - length.end
  if (size === sha256.bytes) return undefined
  return `Size of given hash ${size} does not match expected size ${sha256.bytes} for SHA-256`
}

function readVarint(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = start; at < Math.min(bytes.length, start + 4); at++) {
    value |= (bytes[at]! & 0x7f) << (7 * (at - start))
    if (bytes[at]! < 0x80) return { value, end: at + 1 }
  }
  return undefined
}
