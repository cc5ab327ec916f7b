// Subscriptions: the validator makes the payments of its users when they are due. Splice's SubscriptionReadyForPaymentTrigger.
import type { Validator } from '../founding/parties.ts'
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { walletsOf } from '../treasury/wallets.ts'
import { type Automation, type AutomationContext, done, dueAt, earliest, type Step } from './automation.ts'

export const paySubscriptions: Automation = {
  name: 'make the payments of subscriptions',
  async step(context) {
    const waiting: Step[] = []
    for (const validator of context.network.validators) {
      const step = await payOne(context, validator)
      if (step.isDone) return done
      waiting.push(step)
    }
    return earliest(waiting)
  },
}

async function payOne(context: AutomationContext, validator: Validator): Promise<Step> {
  const wallets = await walletsOf(validator)
  const waiting: Step[] = []
  for (const { contractId, payload } of wallets.requests(templates.subscriptionIdleState)) {
    const wallet = wallets.of(payload.subscriptionData.sender)
    const endMs = Date.parse(payload.nextPaymentDueAt)
    if (wallet === undefined || endMs <= context.nowMs) continue
    const firstMs = endMs - durationMs(payload.payData.paymentDuration) + 1
    if (context.nowMs < firstMs) waiting.push(dueAt(firstMs))
    else {
      const operation = { tag: 'CO_SubscriptionMakePayment', value: contractId }
      await operate({ ...context, validator }, wallet, operation)
      return done
    }
  }
  return earliest(waiting)
}

function durationMs({ microseconds }: Json): number {
  return Number(microseconds) / 1000
}
