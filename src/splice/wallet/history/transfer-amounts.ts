// How a transfer by the rules of Amulet changes the balances of its sender and its receivers. As parseSender and parseReceivers of
// Splice's UserWalletTxLogParser.
import { timesRatio, unitsFrom } from '../../ledger/decimals.ts'
import type { Json } from '../../ledger/participant.ts'
import type { PartyAmount, TransferCosts } from './entries.ts'

const units = (decimal: string | undefined | null) => unitsFrom(decimal ?? '0')!

/** What each output is, and which part of its fee each side pays. */
function outputsWithFees(outputs: readonly Json[], summary: Json) {
  return outputs.map(({ receiver, amount, lock, receiverFeeRatio }, index) => {
    const fee = units(summary.outputFees[index])
    const receiverFee = timesRatio(fee, units(receiverFeeRatio))
    const isLocked = lock !== undefined && lock !== null
    return { receiver: receiver as string, amount: units(amount), isLocked, receiverFee, senderFee: fee - receiverFee }
  })
}

/** The balance of a sender who gets no output. */
export function senderChange({ inputAmuletAmount, holdingFees, senderChangeAmount }: Json): bigint {
  return units(senderChangeAmount) - (units(inputAmuletAmount) - units(holdingFees))
}

export function senderOf(sender: string, outputs: readonly Json[], summary: Json): PartyAmount {
  const returned = outputsWithFees(outputs, summary)
    .filter(({ receiver, isLocked }) => receiver === sender && !isLocked)
    .reduce((sum, { amount, senderFee }) => sum + amount - senderFee, 0n)
  return { party: sender, units: returned + senderChange(summary) }
}

/** Each once, in the order of the outputs. */
export function receiversOf(sender: string, outputs: readonly Json[], summary: Json): PartyAmount[] {
  const amounts = new Map<string, bigint>()
  for (const { receiver, amount, isLocked, receiverFee } of outputsWithFees(outputs, summary)) {
    if (receiver === sender) continue
    const change = isLocked ? -receiverFee : amount - receiverFee
    amounts.set(receiver, (amounts.get(receiver) ?? 0n) + change)
  }
  return [...amounts].map(([party, amount]) => ({ party, units: amount }))
}

export function costsOf(summary: Json): TransferCosts {
  return {
    holdingFees: summary.holdingFees,
    appRewards: summary.inputAppRewardAmount,
    validatorRewards: summary.inputValidatorRewardAmount,
    svRewards: summary.inputSvRewardAmount,
    developmentFund: summary.inputDevelopmentFundAmount ?? undefined,
  }
}
