// The checksums of a contract: of its constant part; of event (or the body that it is a part of) and blob, which are not always read; of its location,
// once it has moved; and of its archive.
import { checksumOf, isWhole, listed } from '../core/checksum.ts'
import type { Location, NewContract } from '../core/contract-records.ts'
import type { Param, Row } from '../core/database.ts'

export const checksumColumns = ['checksum', 'event_checksum', 'blob_checksum']

export function checksumsOf(contract: NewContract, storedEvent: Uint8Array): bigint[] {
  const { number, contractId, template, createdOffset, synchronizer, workflowId, stakeholders } = contract
  const [nodeId, eventCut, keyHash] = [BigInt(contract.nodeId), BigInt(contract.eventCut), contract.keyHash ?? null]
  const facts = [contractId, template, createdOffset, nodeId, synchronizer, workflowId, stakeholders, keyHash, eventCut]
  return [checksumOf(number, listed(...facts)), checksumOf(number, storedEvent), checksumOf(number, contract.blob)]
}

export function placeChecksum(number: Param, { location, counter }: Location): bigint {
  return checksumOf(number, listed(location, counter))
}

export function archiveChecksum(number: Param | undefined, archivedOffset: Param | undefined): bigint {
  return checksumOf(number, String(archivedOffset))
}

/** Covers everything but event and blob. */
export function isStateWhole(row: Row): boolean {
  const { number, checksum, place_checksum: ofPlace, archive_checksum: ofArchive } = row
  if (!isWhole(checksum, () => checksumOf(number, factsIn(row)))) return false
  if (!isWhole(ofArchive, () => archiveChecksum(number, row.archived_offset))) return false
  if (ofPlace !== null) {
    const place = { location: row.moved_to as bigint, counter: row.counter as bigint }
    return isWhole(ofPlace, () => placeChecksum(number!, place))
  }
  return checksum === null || (row.moved_to === null && row.counter === 0n) // It has not moved.
}

function factsIn(row: Row): string {
  return listed(
    ...[row.contract_id, row.template, row.created_offset, row.node_id, row.synchronizer],
    ...[row.workflow_id, row.stakeholders, row.key_hash, row.event_cut],
  )
}

/** Covers event and blob, as far as they were read. */
export function isContentWhole({ number, event, blob, event_checksum, blob_checksum }: Row): boolean {
  return isPartWhole(number, event, event_checksum) && isPartWhole(number, blob, blob_checksum)
}

function isPartWhole(number: Param | undefined, part: Param | undefined, checksum: Param | undefined): boolean {
  if (part === null || part === undefined) return true
  return typeof part === 'object' && isWhole(checksum, () => checksumOf(number, part))
}

export function nameOfContract({ contract_id: id, number }: Row): string {
  return id === undefined ? `the contract with number ${number}` : `the contract ${id} (number ${number})`
}
