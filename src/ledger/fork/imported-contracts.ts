// Contracts of the original as rows of the fork: with their ids, blobs, offsets and node ids. The fork has none of the updates
// that created them, as if it had been pruned up to its first offset, so each row has a copy of its event.
import { StartError } from '../../base/errors.ts'
import { writeCreated } from '../../events/format/transaction-writing.ts'
import { decodeContractBlob } from '../../lf/codec/contract-blob.ts'
import type { LedgerState, ReassignmentRecord } from '../../store/core/ledger-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { numberNames } from '../commit/commit.ts'
import { emptyRows, writeRows } from '../commit/rows.ts'
import { anybody } from '../commit/transaction-rows.ts'
import { listed, type Names } from '../model/name-numbers.ts'
import { nowhere } from '../model/seen-contracts.ts'
import type { OriginalContract } from './original.ts'

/** Returns the state of the ledger with them, and the parties that had no number before. */
export async function writeContracts(
  contracts: readonly OriginalContract[],
  records: TransactionRecords,
  names: Names,
  synchronizerNumber: (id: string) => bigint,
): Promise<{ readonly state: LedgerState; readonly parties: readonly string[] }> {
  const before = await records.state.get()
  const read = contracts.map(readContract)
  const needed = new Set(read.flatMap(({ node, template }) => [...node.stakeholders, template]))
  const { numbers, added } = await numberNames(needed, records, names, before.lastName)
  const rows = emptyRows()
  const arrivals = new Map<string, ReassignmentRecord>()
  let number = before.lastContract
  for (const { original, node, template: name, createdAt } of read) {
    number += 1n
    const template = numbers.get(name)!
    const stakeholders = node.stakeholders.map((party) => numbers.get(party)!)
    const synchronizer = synchronizerNumber(original.synchronizerId)
    const keyHash = node.key?.hash
    rows.contracts.push({
      number,
      contractId: node.contractId,
      template,
      createdOffset: BigInt(original.offset),
      nodeId: original.nodeId,
      synchronizer,
      workflowId: original.workflowId,
      stakeholders: listed(stakeholders),
      keyHash,
      ...writeCreated(node, createdAt),
      blob: node.blob,
    })
    for (const party of [anybody, ...stakeholders]) rows.activated.push({ party, template, number })
    if (keyHash !== undefined) rows.newKeys.push({ number, keyHash, since: BigInt(original.offset) })
    if (original.reassignmentCounter > 0) {
      const counter = BigInt(original.reassignmentCounter)
      const arrival = arrivalAt(BigInt(original.offset), synchronizer, original.workflowId)
      arrivals.set(arrival.id, arrival)
      rows.moved.push({ number, location: synchronizer, counter })
      rows.moves.push({
        contract: number,
        counter,
        unassignedOffset: arrival.unassignedOffset,
        nodeId: original.nodeId,
      })
    }
  }
  // An earlier batch may have had contracts of the same assignment.
  const known = new Set((await records.reassignments.byId([...arrivals.keys()])).map(({ id }) => id))
  rows.unassigned.push(...[...arrivals.values()].filter(({ id }) => !known.has(id)))
  await writeRows(rows, added, records)
  for (const { name, number } of added) names.learn(name, number)
  const state = { ...before, lastContract: number, lastName: before.lastName + BigInt(added.length) }
  const isTemplate = new Set(read.map(({ template }) => template))
  return { state, parties: added.flatMap(({ name }) => (isTemplate.has(name) ? [] : [name])) }
}

/** The assignment that brought contracts to a synchronizer. Their offset is its offset; where they were before is unknown. */
function arrivalAt(offset: bigint, target: bigint, workflowId: string): ReassignmentRecord {
  return {
    unassignedOffset: offset,
    id: `assigned at ${offset}, before the fork`,
    source: nowhere,
    target,
    submitter: '',
    exclusiveUntil: 0n,
    userId: '',
    commandId: '',
    workflowId: '',
    assigned: { offset, workflowId },
  }
}

/** Parties and times come from the blob, which the contract id vouches for; values as text from the event. */
export function readContract(original: OriginalContract) {
  const { contractId, templateId, packageName, nodeId: id, createArgument, contractKey, blob: bytes } = original
  const blob = decodeContractBlob(bytes)
  if (blob.contractId.text !== contractId || blob.createdAt === undefined) {
    throw new StartError(`contract ${contractId} has a blob of another contract`)
  }
  const { signatories, stakeholders, key, createdAt } = blob
  const node = {
    kind: 'create',
    id,
    lastDescendantId: id,
    witnesses: stakeholders,
    contractId,
    packageName,
    templateId,
    signatories,
    stakeholders,
    key: key && { json: contractKey ?? 'null', hash: Buffer.from(key.hash).toString('hex') },
    createArgument,
    blob: bytes,
  } as const
  const template = `#${packageName}:${templateId.slice(templateId.indexOf(':') + 1)}`
  return { original, node, template, createdAt }
}
