// What another participant of a network sees of an unassignment or an assignment: the same update, with that
// participant's own numbers of the contracts and its own record of the reassignment. A participant may see only one half,
// because it hosts no stakeholder on the other synchronizer, or the assignment first, because it was away from the source.
import type { StoredContractRow } from '../../store/core/contract-records.ts'
import type { ReassignmentRecord } from '../../store/core/ledger-records.ts'
import { unseen } from '../../store/core/ledger-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import type { AcceptedReassignment, MovingContract } from '../commit/commit-item.ts'
import { addReassignment, addReassignmentUpdate } from '../commit/reassignment-rows.ts'
import type { Rows } from '../commit/rows.ts'
import { anybody } from '../commit/transaction-rows.ts'
import { listed, numbersIn } from '../model/name-numbers.ts'
import { isOnlySeen } from '../model/seen-contracts.ts'
import { inTransit } from '../model/synchronizers.ts'
import type { Hosting } from '../topology/hosting.ts'

/** Without its command, and with what the participant needs to know about the other half. */
export async function asSeenBy(
  participantId: string,
  accepted: AcceptedReassignment,
  hosting: Pick<Hosting, 'hosts'>,
  records: TransactionRecords,
): Promise<AcceptedReassignment> {
  const { source, target, contracts } = accepted.item
  let isHalf = true
  for (const party of contracts[0]!.stakeholders) {
    const hosts = (await hosting.hosts(party, records)).filter(({ participant }) => participant === participantId)
    const isOn = (number: bigint) => hosts.some(({ synchronizer }) => synchronizer === number)
    if (isOn(source.number) && isOn(target.number)) isHalf = false
  }
  const seen = { userId: '', commandId: '', submissionId: '', isDelivered: true, isHalf } as const
  const reassignment = { ...accepted.reassignment, userId: '', commandId: '' }
  return accepted.kind === 'unassignment'
    ? { ...accepted, item: { ...accepted.item, ...seen }, reassignment }
    : { ...accepted, item: { ...accepted.item, ...seen }, reassignment }
}

type Place = {
  readonly offset: bigint
  /** The records of the participant. */
  readonly own: TransactionRecords
  /** Of all names in it. */
  readonly numbers: ReadonlyMap<string, bigint>
  readonly lastContract: bigint
  readonly rows: Rows
}

/** Returns the number of the last contract. */
export async function addDelivered(part: AcceptedReassignment, place: Place): Promise<bigint> {
  const { offset, own, rows } = place
  const [known] = await own.reassignments.byId([part.reassignment.id])
  const { contracts, isKnown, lastContract } = await ownContracts(part, place)
  const accepted = at(offset, part, contracts)
  if (part.kind === 'assignment') {
    const assigned = { offset, workflowId: part.item.workflowId }
    if (known === undefined) addArrival(accepted, { ...part.reassignment, unassignedOffset: offset, assigned }, rows)
    else addReassignment({ ...accepted, reassignment: { ...known, assigned } } as AcceptedReassignment, rows)
  } else if (known !== undefined) {
    addReassignmentUpdate(accepted, rows)
    rows.unassignedLate.push({ ...part.reassignment, unassignedOffset: offset, assigned: known.assigned })
  } else if (!isKnown) addReassignmentUpdate(accepted, rows)
  else {
    const assigned = part.item.isHalf === true ? { offset: unseen, workflowId: '' } : undefined
    const reassignment = { ...part.reassignment, unassignedOffset: offset, assigned }
    addReassignment({ ...accepted, reassignment } as AcceptedReassignment, rows)
  }
  return lastContract
}

function at(offset: bigint, part: AcceptedReassignment, contracts: readonly MovingContract[]): AcceptedReassignment {
  const decision = { ...part.decision, offset }
  return part.kind === 'unassignment'
    ? { ...part, decision, item: { ...part.item, contracts } }
    : { ...part, decision, item: { ...part.item, contracts } }
}

/** The contracts by the numbers of the participant. It learns of those that come to it, and not of those that leave. */
async function ownContracts(
  { kind, item }: AcceptedReassignment,
  { offset, own, numbers, lastContract, rows }: Place,
): Promise<{ contracts: readonly MovingContract[]; isKnown: boolean; lastContract: bigint }> {
  const stored = await own.contracts.find(item.contracts.map(({ row }) => row.contractId))
  const found = stored.filter((row) => !isOnlySeen(row))
  const byId = new Map(found.map((row) => [row.contractId, row]))
  let last = lastContract
  const contracts = item.contracts.map((contract, nodeId): MovingContract => {
    const { row, template, stakeholders } = contract
    const known = byId.get(row.contractId)
    // The counter is the one of the move: this participant may have seen later or fewer moves.
    if (known !== undefined) return { ...contract, row: { ...known, counter: row.counter } }
    last += 1n
    const unknown: StoredContractRow = {
      ...row,
      number: last,
      template: numbers.get(template)!,
      createdOffset: offset,
      nodeId,
      synchronizer: item.target.number,
      workflowId: item.workflowId,
      stakeholders: listed(stakeholders.map((party) => numbers.get(party)!)),
    }
    if (kind === 'assignment') addContract(unknown, rows)
    return { ...contract, row: unknown }
  })
  const isKnown = found.length === item.contracts.length
  return { contracts, isKnown, lastContract: kind === 'assignment' ? last : lastContract }
}

function addContract(row: StoredContractRow, rows: Rows): void {
  const { number, template } = row
  rows.contracts.push(row)
  for (const party of [anybody, ...numbersIn(row.stakeholders)]) rows.activated.push({ party, template, number })
}

/** An assignment without its unassignment. Contracts that the participant used elsewhere keep the places of their keys. */
function addArrival(accepted: AcceptedReassignment, reassignment: ReassignmentRecord, rows: Rows): void {
  const { offset } = accepted.decision
  const { target, contracts } = accepted.item
  addReassignmentUpdate(accepted, rows)
  rows.unassigned.push(reassignment)
  for (const [nodeId, { row }] of contracts.entries()) {
    const { number, counter, keyHash } = row
    rows.moved.push({ number, counter, location: target.number })
    rows.moves.push({ contract: number, counter, unassignedOffset: offset, nodeId })
    const hasKey = row.location !== inTransit && row.createdOffset < offset
    if (keyHash !== undefined && !hasKey) rows.newKeys.push({ number, keyHash, since: offset })
  }
}
