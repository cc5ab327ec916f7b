// What a party holds, by the view of the token standard: Amulet and all other tokens alike.
import { decimalFrom, unitsFrom } from '../ledger/decimals.ts'
import { type Contract, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { holdingInterface } from './token-templates.ts'

export type Balance = {
  readonly id: string
  readonly admin: string
  readonly available: string
  readonly locked: string
}

/** One for each instrument, in the order of their ids; none where nobody has uploaded the token standard. */
export async function balancesOf(participant: Participant, party: string): Promise<Balance[]> {
  const own = (await holdingsAt(participant, party)).filter(({ payload }) => payload.owner === party)
  const groups = Map.groupBy(own, ({ payload: { instrumentId } }) => `${instrumentId.id} ${instrumentId.admin}`)
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, holdings]) => balanceOf(holdings))
}

function balanceOf(holdings: readonly Contract[]): Balance {
  const { id, admin } = holdings[0]!.payload.instrumentId
  const isLocked = ({ payload }: Contract) => (payload.lock ?? undefined) !== undefined
  const sum = (some: readonly Contract[]) =>
    decimalFrom(some.reduce((units, { payload }) => units + unitsFrom(payload.amount)!, 0n))
  return {
    id,
    admin,
    available: sum(holdings.filter((one) => !isLocked(one))),
    locked: sum(holdings.filter(isLocked)),
  }
}

async function holdingsAt(participant: Participant, party: string): Promise<Contract[]> {
  try {
    return await participant.views(holdingInterface, [party])
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status === 404) return []
    throw error
  }
}
