// The ids that a commit records: of changes, of updates and of reassignments. All are SHA-256 hashes, in Canton's formats.
import { createHash, hash } from 'node:crypto'

/** The intended ledger change. Submissions of one change are the same command. */
export type Change = { readonly userId: string; readonly commandId: string; readonly actAs: readonly string[] }

/** 32 bytes that identify the change, whatever the order of parties; `actAs` has no duplicates. */
export function changeIdOf(change: Change): Buffer {
  return hash('sha256', changeKeyOf(change), 'buffer')
}

/** No part can contain the separator, so different changes have different texts. */
export function changeKeyOf({ userId, commandId, actAs }: Change): string {
  return [userId, commandId, ...[...actAs].sort()].join('\0')
}

/** As Canton prints it in errors. */
export function changeText({ userId, commandId, actAs }: Change): string {
  return `ChangeId(${userId},${commandId},Set(${actAs.join(', ')}))`
}

const updatePurpose = Buffer.from('update')
const timeDigits = 8

/**
 * The id of an update at this time, in microseconds since 1970. The first four bytes of the hash are replaced by the seconds:
 * neighbours in time are neighbours in the index of ids, so a commit changes one page of it instead of one for each
 * update. The second four bytes remain random, because under static time all updates have the same second.
 */
export function timedUpdateId(seed: Uint8Array, micros: bigint): string {
  const seconds = Number(BigInt.asUintN(32, micros / 1_000_000n))
  return `1220${seconds.toString(16).padStart(timeDigits, '0')}${digestOf(seed).slice(timeDigits)}`
}

export function updateIdFrom(seed: Uint8Array): string {
  return `1220${digestOf(seed)}`
}

function digestOf(seed: Uint8Array): string {
  return hash('sha256', Buffer.concat([updatePurpose, seed]))
}

type Identified = {
  readonly source: string
  readonly target: string
  /** Record time of the unassignment; microseconds since 1970. */
  readonly recordTime: bigint
  /** With the counter after this move. */
  readonly contracts: readonly { readonly contractId: string; readonly counter: bigint }[]
}

const reassignmentPurpose = 57
/** The version of the format, then the multihash prefix of SHA-256. */
const reassignmentPrefix = '001220'

export function reassignmentIdOf({ source, target, recordTime, contracts }: Identified): string {
  const digest = createHash('sha256')
  const int = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(value)
    digest.update(bytes)
  }
  const long = (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64BE(value)
    digest.update(bytes)
  }
  const text = (value: string) => {
    int(Buffer.byteLength(value))
    digest.update(value)
  }
  int(reassignmentPurpose)
  text(source)
  text(target)
  long(recordTime)
  for (const { contractId, counter } of contracts.toSorted(byContractId)) {
    text(contractId)
    long(counter)
  }
  return reassignmentPrefix + digest.digest('hex')
}

/** Why `text` cannot be an id; checks nothing after the version but its hex digits. */
export function reassignmentIdProblem(text: string): string | undefined {
  return /^00([0-9a-fA-F]{2})*$/.test(text) ? undefined : 'Invalid reassignment ID'
}

function byContractId(a: { readonly contractId: string }, b: { readonly contractId: string }): number {
  return a.contractId < b.contractId ? -1 : 1
}
