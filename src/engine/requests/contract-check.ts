// Checks outside of any transaction that stored contracts are what their ids commit to.
import { LedgerError } from '../../base/errors.ts'
import { decodeArchive } from '../../lf/archive/archive.ts'
import { createProtobufCodec } from '../../lf/codec/protobuf.ts'
import { createEngine } from '../engine.ts'
import type { KnownContract, LedgerReader } from '../ledger-access.ts'
import { createPackages } from '../packages.ts'
import { compareValues } from '../values/order.ts'
import { createLookUp } from './contract-source.ts'

/** Throws a refusal when the package of a contract is missing. */
export function createContractCheck(ledger: Pick<LedgerReader, 'package'>): (contract: KnownContract) => boolean {
  const packages = createPackages(ledger, undefined, decodeArchive)
  const { dataTypes, hash } = createEngine(packages)
  const protobuf = createProtobufCodec({ dataTypes, compare: compareValues })
  return (contract) => {
    const source = { contract: () => contract, withKey: () => [], prefetchKey: () => undefined }
    try {
      createLookUp(source, { packages, protobuf, hash }).lookUpContract(contract.id)
      return true
    } catch (error) {
      if (error instanceof LedgerError && error.code === 'INDEX_DB_INVALID_RESULT_SET') return false
      throw error
    }
  }
}
