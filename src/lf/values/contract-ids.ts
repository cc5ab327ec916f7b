// The forms of contract ids (Canton: Value.ContractId). V1 is 00, a discriminator of 32 bytes and a suffix of at most
// 94; V2 is 01, a local part of 12 bytes and a suffix of at most 33. Ids without a suffix exist only inside the
// transaction that creates the contract.
import { shorten } from '../../base/names.ts'
import { ContractId } from './values.ts'

const pattern = /^(?:00[0-9a-f]{64}(?:[0-9a-f]{2}){0,94}|01[0-9a-f]{24}(?:[0-9a-f]{2}){0,33})$/

/** In hex digits: version byte and local part. */
const localDigits = { V1: 66, V2: 26 } as const

type ContractIdVersion = keyof typeof localDigits

/** Undefined for text that is not the (lower-case) form of a contract id. */
export function contractIdFromText(text: string): ContractId | undefined {
  return pattern.test(text) ? new ContractId(text) : undefined
}

/** Why a text is not a contract id, in Canton's words; undefined when it is one. */
export function contractIdProblem(text: string): string | undefined {
  return contractIdFromText(text) === undefined ? `cannot parse ContractId "${shorten(text, 600)}"` : undefined
}

/** Of ids that a ledger writes: version, local part, and the suffix with its hash. */
const wholeDigits: Readonly<Record<string, number>> = { '00': 138, '01': 92 }

/** Whether a text begins as a contract id, but is shorter than those of a ledger. */
export function isCutOff(text: string): boolean {
  return /^0[01][0-9a-f]*$/.test(text) && text.length < wholeDigits[text.slice(0, 2)]!
}

/** For developers: what is wrong with a text that is not the id of a contract, or too short for one. */
export function contractIdHint(text: string): string {
  if (/^0x/i.test(text)) return 'write the contract id without 0x'
  if (/^#\d+:\d+$/.test(text)) return 'this is a contract id of an old sandbox; read the active contracts again'
  if (/…|\.\.\./.test(text)) return 'this contract id was cut off to be shown; take the whole one'
  if (/^0[01][0-9a-f]*$/i.test(text) && text !== text.toLowerCase()) return 'write the contract id in small letters'
  if (isCutOff(text)) {
    const digits = wholeDigits[text.slice(0, 2)]
    return `contract ids of this ledger have ${digits} digits, this one has ${text.length}: is it cut off?`
  }
  return 'a contract id is a row of hex digits that begins with 00; take it from a created event'
}

export function contractIdFromBytes(bytes: Uint8Array): ContractId | undefined {
  return contractIdFromText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex'))
}

export function contractIdToBytes({ text }: ContractId): Buffer {
  return Buffer.from(text, 'hex')
}

export function contractIdVersion({ text }: ContractId): ContractIdVersion {
  return text.startsWith('00') ? 'V1' : 'V2'
}

export function isSuffixed(id: ContractId): boolean {
  return id.text.length > localDigits[contractIdVersion(id)]
}

/** A V2 id that is still to be made absolute: the top bit of its suffix is 0. */
export function isRelative(id: ContractId): boolean {
  return contractIdVersion(id) === 'V2' && isSuffixed(id) && id.text.charAt(localDigits.V2) < '8'
}

/** Why a client, or a stored contract, may not refer to a contract by this id; in Canton's words. */
export function foreignIdProblem(id: ContractId): string | undefined {
  if (!isSuffixed(id)) return `non-suffixed ${contractIdVersion(id)} Contract IDs are forbidden`
  return isRelative(id) ? 'relative Contract IDs are forbidden' : undefined
}
