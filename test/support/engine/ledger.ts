// A ledger for tests: packages and contracts given by hand, all of them active.
import { createHash } from 'node:crypto'
import type { KnownContract, LedgerReader } from '../../../src/engine/ledger-access.ts'
import { payloadOf } from '../../../src/lf/archive/archive.ts'
import { decodeContractBlob } from '../../../src/lf/codec/contract-blob.ts'

type Given = {
  readonly dalfs: readonly { readonly bytes: Uint8Array }[]
  readonly contracts?: readonly KnownContract[]
}

export function ledgerOf({ dalfs, contracts = [] }: Given): LedgerReader {
  const packages = new Map(dalfs.map(({ bytes }) => [sha256(payloadOf(bytes)), bytes]))
  return {
    package: (id) => packages.get(id),
    contracts: (ids) => contracts.filter(({ id }) => ids.includes(id)),
    contractsWithKey: (hash) => ({ contracts: contracts.filter(({ blob }) => keyHashOf(blob) === hash) }),
  }
}

function keyHashOf(blob: Uint8Array): string | undefined {
  const { key } = decodeContractBlob(blob)
  return key && Buffer.from(key.hash).toString('hex')
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
