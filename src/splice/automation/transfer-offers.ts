// Transfer offers that were accepted: the validator of the sender pays. Splice's AcceptedTransferOfferTrigger.
import type { Validator } from '../founding/parties.ts'
import { isTransient } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { AmuletOperationFailed, wordsFor } from '../treasury/failed-operations.ts'
import { exerciseInstall, walletsOf } from '../treasury/wallets.ts'
import { type Automation, type AutomationContext, done, nothingDue } from './automation.ts'

export const completeTransferOffers: Automation = {
  name: 'complete accepted transfer offers',
  async step(context) {
    for (const validator of context.network.validators) if (await completeOne(context, validator)) return done
    return nothingDue
  },
}

/** An offer that its sender cannot pay is aborted, so that it does not keep the others waiting. */
async function completeOne(context: AutomationContext, validator: Validator): Promise<boolean> {
  const wallets = await walletsOf(validator)
  const offers = wallets.requests(templates.acceptedTransferOffer)
  const open = offers.filter(({ payload }) => Date.parse(payload.expiresAt) > context.nowMs)
  const next = open.find(({ payload }) => wallets.of(payload.sender) !== undefined)
  if (next === undefined) return false
  const { contractId: cid, payload } = next
  const wallet = wallets.of(payload.sender)!
  try {
    await operate({ ...context, validator }, wallet, { tag: 'CO_CompleteAcceptedTransfer', value: cid })
  } catch (error) {
    if (isTransient(error)) throw error
    const argument = { cid, reason: reasonOf(error) }
    await exerciseInstall(validator, wallet, 'WalletAppInstall_AcceptedTransferOffer_Abort', argument)
  }
  return true
}

const reasonLengthMax = 200

/** For people. */
export function reasonOf(error: unknown): string {
  const words = error instanceof AmuletOperationFailed ? wordsFor(error.reason) : (error as Error).message
  return words.slice(0, reasonLengthMax)
}
