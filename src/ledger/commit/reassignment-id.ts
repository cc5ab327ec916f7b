// The id of a reassignment: a hash of its contracts, its synchronizers and its time. Mirrors Canton's ReassignmentId.
import { createHash } from 'node:crypto'

type Identified = {
  readonly source: string
  readonly target: string
  /** Record time of the unassignment; microseconds since 1970. */
  readonly recordTime: bigint
  /** With the counter after this move. */
  readonly contracts: readonly { readonly contractId: string; readonly counter: bigint }[]
}

const purpose = 57
/** The version of the format, then the multihash prefix of SHA-256. */
const prefix = '001220'

export function reassignmentIdOf({ source, target, recordTime, contracts }: Identified): string {
  const hash = createHash('sha256')
  const int = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(value)
    hash.update(bytes)
  }
  const long = (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64BE(value)
    hash.update(bytes)
  }
  const text = (value: string) => {
    int(Buffer.byteLength(value))
    hash.update(value)
  }
  int(purpose)
  text(source)
  text(target)
  long(recordTime)
  for (const { contractId, counter } of contracts.toSorted(byContractId)) {
    text(contractId)
    long(counter)
  }
  return prefix + hash.digest('hex')
}

/** Why `text` cannot be an id; checks nothing after the version but its hex digits. */
export function reassignmentIdProblem(text: string): string | undefined {
  return /^00([0-9a-fA-F]{2})*$/.test(text) ? undefined : 'Invalid reassignment ID'
}

function byContractId(a: { readonly contractId: string }, b: { readonly contractId: string }): number {
  return a.contractId < b.contractId ? -1 : 1
}
