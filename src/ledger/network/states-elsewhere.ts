// Contracts of a command that its own participant does not know, because the client disclosed them: what the participants
// of their stakeholders say of them, and what these have not been given yet.
import { signatoriesIn } from '../../events/format/event-pieces.ts'
import type { ContractState } from '../../store/core/contract-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import type { Confirming } from '../commit/known-state.ts'
import type { StateElsewhere } from '../commit/other-participants.ts'
import { isOnlySeen } from '../model/seen-contracts.ts'
import { inTransit } from '../model/synchronizers.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { Member } from './member.ts'

type Known = { readonly member: Member; readonly state: ContractState; readonly isLocked: boolean }

export async function statesElsewhere(
  contractIds: readonly string[],
  others: readonly Member[],
  hosting: Hosting,
  records: TransactionRecords,
): Promise<readonly StateElsewhere[]> {
  const all: Known[] = []
  for (const member of others) {
    const { contracts, waitingUpdates } = records.of(member.number)
    const states = (await contracts.states(contractIds)).filter((state) => !isOnlySeen(state))
    if (states.length === 0) continue
    const taken = Map.groupBy(await waitingUpdates.taken(states.map(({ contractId }) => contractId)), ({ id }) => id)
    for (const state of states) {
      const by = taken.get(state.contractId) ?? []
      const isGone = by.some(({ isDecided, synchronizer }) => isDecided && synchronizer === state.location)
      const isLocked = by.some(({ isDecided }) => !isDecided)
      all.push({ member, state: isGone ? { ...state, location: inTransit } : state, isLocked })
    }
  }
  const found: StateElsewhere[] = []
  for (const known of Map.groupBy(all, ({ state }) => state.contractId).values()) {
    const state = known.map((one) => one.state).reduce(later)
    const isLocked = known.some((one) => one.isLocked)
    found.push({ state, isLocked, confirming: await confirmingOf(known, hosting, records) })
  }
  return found
}

/**
 * A participant may be behind, or see a contract leave and not arrive. Archives are final, and each move has a higher
 * number than the one before.
 */
function later(a: ContractState, b: ContractState): ContractState {
  if (a.archivedOffset !== undefined || b.archivedOffset !== undefined) return a.archivedOffset === undefined ? b : a
  const isBehind = b.counter > a.counter || (b.counter === a.counter && a.location === inTransit)
  return isBehind ? b : a
}

/** The first of these participants that hosts a signatory, and its signatories. */
async function confirmingOf(
  known: readonly Known[],
  hosting: Hosting,
  records: TransactionRecords,
): Promise<Confirming> {
  const [{ member, state }] = known as [Known]
  const [row] = await records.of(member.number).contracts.find([state.contractId])
  const signatories = signatoriesIn(row!)
  const hosts = await Promise.all(signatories.map((party) => hosting.hosts(party, records)))
  for (const { participantId } of known.map((one) => one.member)) {
    const parties = signatories.filter((_, index) =>
      hosts[index]!.some(({ participant }) => participant === participantId),
    )
    if (parties.length > 0) return { participantId, parties: parties.toSorted() }
  }
  return { participantId: member.participantId, parties: [] }
}
