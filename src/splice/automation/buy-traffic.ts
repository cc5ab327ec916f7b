// Requests to buy traffic: the validator pays from the wallet of the user who asked, and ends what cannot be paid or came too late.
// Splice's CompleteBuyTrafficRequestTrigger and ExpireBuyTrafficRequestsTrigger.
import type { Validator } from '../founding/parties.ts'
import { isTransient } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { exerciseInstall, walletsOf } from '../treasury/wallets.ts'
import { type Automation, type AutomationContext, done, nothingDue } from './automation.ts'
import { reasonOf } from './transfer-offers.ts'

export const completeBuyTrafficRequests: Automation = {
  name: 'complete requests to buy traffic',
  async step(context) {
    for (const validator of context.network.validators) if (await completeOne(context, validator)) return done
    return nothingDue
  },
}

async function completeOne(context: AutomationContext, validator: Validator): Promise<boolean> {
  const wallets = await walletsOf(validator)
  const [request] = wallets.requests(templates.buyTrafficRequest)
  if (request === undefined) return false
  const { contractId: requestCid, payload } = request
  const wallet = wallets.of(payload.endUserParty)!
  if (Date.parse(payload.expiresAt) <= context.nowMs) {
    await exerciseInstall(validator, wallet, 'WalletAppInstall_BuyTrafficRequest_Expire', { requestCid })
    return true
  }
  const operation = { tag: 'CO_CompleteBuyTrafficRequest', value: { trafficRequestCid: requestCid } }
  try {
    await operate({ ...context, validator }, wallet, operation)
  } catch (error) {
    if (isTransient(error)) throw error
    const argument = { requestCid, reason: reasonOf(error) }
    await exerciseInstall(validator, wallet, 'WalletAppInstall_BuyTrafficRequest_Cancel', argument)
  }
  return true
}
