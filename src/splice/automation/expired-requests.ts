// Offers and requests that nobody has answered in time: a wallet of those concerned ends them. Splice's ExpireTransferOfferTrigger,
// ExpireAcceptedTransferOfferTrigger and ExpireAppPaymentRequestsTrigger.
import type { Validator } from '../founding/parties.ts'
import { templates } from '../ledger/templates.ts'
import { exerciseInstall, walletsOf } from '../treasury/wallets.ts'
import { type Automation, type AutomationContext, done, dueAt, earliest, type Step } from './automation.ts'

const kinds = [
  { template: templates.transferOffer, choice: 'WalletAppInstall_TransferOffer_Expire' },
  { template: templates.acceptedTransferOffer, choice: 'WalletAppInstall_AcceptedTransferOffer_Expire' },
  { template: templates.appPaymentRequest, choice: 'WalletAppInstall_AppPaymentRequest_Expire' },
] as const

export const expireRequests: Automation = {
  name: 'end offers and requests that have expired',
  async step(context) {
    const waiting: Step[] = []
    for (const validator of context.network.validators) {
      const step = await expireOne(context, validator)
      if (step.isDone) return done
      waiting.push(step)
    }
    return earliest(waiting)
  },
}

async function expireOne({ nowMs }: AutomationContext, validator: Validator): Promise<Step> {
  const wallets = await walletsOf(validator)
  const waiting: Step[] = []
  for (const { template, choice } of kinds) {
    for (const { contractId: cid, payload } of wallets.requests(template)) {
      const wallet = wallets.of(payload.sender) ?? wallets.of(payload.receiver)
      if (wallet === undefined) continue
      const endMs = Date.parse(payload.expiresAt)
      if (nowMs < endMs) waiting.push(dueAt(endMs))
      else {
        await exerciseInstall(validator, wallet, choice, { cid })
        return done
      }
    }
  }
  return earliest(waiting)
}
