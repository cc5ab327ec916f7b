// What a participant of a network sees later, or of another one's commit, of an unassignment or an assignment: the same update, with that
// participant's own numbers of the contracts and its own record of the reassignment.
import type { TransactionRecords } from '../../store/core/store.ts'
import type { AcceptedReassignment } from '../commit/commit-item.ts'

export async function reassignmentAt(
  offset: bigint,
  accepted: AcceptedReassignment,
  own: TransactionRecords,
  isOwn = false,
): Promise<AcceptedReassignment> {
  const { workflowId } = accepted.item
  const contracts = await ownContracts(accepted, own)
  const nobody = { userId: '', commandId: '' }
  const delivered = isOwn ? { contracts } : ({ contracts, ...nobody, submissionId: '', isDelivered: true } as const)
  const decision = { ...accepted.decision, offset }
  if (accepted.kind === 'unassignment') {
    const reassignment = { ...accepted.reassignment, unassignedOffset: offset, ...(!isOwn && nobody) }
    return { ...accepted, item: { ...accepted.item, ...delivered }, decision, reassignment }
  }
  const [pending] = await own.reassignments.byId([accepted.item.reassignmentId])
  const reassignment = { ...pending!, assigned: { offset, workflowId } }
  return { ...accepted, item: { ...accepted.item, ...delivered }, decision, reassignment }
}

async function ownContracts({ item }: AcceptedReassignment, { contracts }: TransactionRecords) {
  const rows = await contracts.find(item.contracts.map(({ row }) => row.contractId))
  const byId = new Map(rows.map((row) => [row.contractId, row]))
  return item.contracts.map((contract) => ({ ...contract, row: byId.get(contract.row.contractId)! }))
}
