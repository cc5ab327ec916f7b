// What it costs to hold Amulet, round by round.
import { timesWhole, unitsFrom } from './decimals.ts'
import type { Json } from './participant.ts'

/** Of an amount, up to a round; never more than there is. */
export function holdingFee({ initialAmount, createdAt, ratePerRound }: Json, round: number): bigint {
  const rounds = Math.max(0, round - Number(createdAt.number))
  const fee = timesWhole(unitsFrom(ratePerRound.rate)!, rounds)
  const amount = unitsFrom(initialAmount)!
  return fee < amount ? fee : amount
}
