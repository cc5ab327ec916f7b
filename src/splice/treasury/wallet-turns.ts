// Operations with the Amulet of one party, one after the other: two that choose the same Amulet at the same time would spoil each
// other. Splice's TreasuryService queues them, too.
import { createQueue } from '../../base/queue.ts'
import { isContention, type Participant } from '../ledger/participant.ts'

type Turns = { readonly take: ReturnType<typeof createQueue>; waiting: number }

/** By participant and party; parties without an operation have none. */
const turnsOf = new WeakMap<Participant, Map<string, Turns>>()

/** As many as Splice's queue holds. */
const waitingMax = 100

/** Too many operations of a party wait already. */
export class WalletBusy extends Error {
  constructor() {
    super(`Aborted operation - likely because there are too many operations (max ${waitingMax}) already in flight`)
  }
}

/** How often an operation is tried: others may use the same Amulet without asking us, and the second to use some looks again. */
const attemptsMax = 5

/** Runs when all operations before it have ended; `operation` must choose its Amulet anew each time. */
export async function inTurn<T>(participant: Participant, party: string, operation: () => Promise<T>): Promise<T> {
  const ofParticipant = turnsOf.get(participant) ?? new Map<string, Turns>()
  turnsOf.set(participant, ofParticipant)
  const turns = ofParticipant.get(party) ?? { take: createQueue(), waiting: 0 }
  ofParticipant.set(party, turns)
  if (turns.waiting > waitingMax) throw new WalletBusy()
  turns.waiting += 1
  try {
    return await turns.take(() => attempt(operation, attemptsMax))
  } finally {
    turns.waiting -= 1
    if (turns.waiting === 0) ofParticipant.delete(party)
  }
}

async function attempt<T>(operation: () => Promise<T>, left: number): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    if (left === 1 || !isContention(error)) throw error
    return attempt(operation, left - 1)
  }
}
