// /api/validator/v0/wallet/subscription-requests and subscriptions: apps ask a user for regular payments. The user accepts with the
// first payment, rejects, or ends a subscription between two payments.
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractJson } from '../serving/contract-json.ts'
import { contractNotFound, type Route, type ValidatorContext } from '../serving/route.ts'
import { exerciseWallet, operateWallet } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

const base = 'v0/wallet/subscription-requests'

export const subscriptionRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute(`GET ${base}`, 'listSubscriptionRequests', async (context) => ({
    subscription_requests: (await paidBy(context, templates.subscriptionRequest)).map(contractJson),
  })),
  walletRoute(`GET ${base}/{cid}`, 'getSubscriptionRequest', async (context, { params }) =>
    contractJson(await requestOf(context, params.cid!)),
  ),
  walletRoute(`POST ${base}/{cid}/accept`, 'acceptSubscriptionRequest', async (context, { params }) => {
    const { contractId } = await requestOf(context, params.cid!)
    const id = await operateWallet(context, 'CO_SubscriptionAcceptAndMakeInitialPayment', contractId)
    return { initial_payment_contract_id: id }
  }),
  walletRoute(`POST ${base}/{cid}/reject`, 'rejectSubscriptionRequest', async (context, { params }) => {
    await exerciseWallet(context, 'WalletAppInstall_SubscriptionRequest_Reject', { cid: params.cid })
  }),
  // The id is that of the idle state of a subscription, in spite of the path.
  walletRoute(`DELETE ${base}/{cid}`, 'cancelSubscriptionRequest', async (context, { params }) => {
    await exerciseWallet(context, 'WalletAppInstall_SubscriptionIdleState_CancelSubscription', { cid: params.cid })
  }),
  walletRoute('GET v0/wallet/subscription-initial-payments', 'listSubscriptionInitialPayments', async (context) => ({
    initial_payments: (await paidBy(context, templates.subscriptionInitialPayment)).map(contractJson),
  })),
  walletRoute('GET v0/wallet/subscriptions', 'listSubscriptions', async (context) => ({
    subscriptions: await subscriptionsOf(context),
  })),
]

async function paidBy({ validator, party }: WalletContext, template: string): Promise<Contract[]> {
  const contracts = await validator.participant.contracts(template, [party])
  return contracts.filter(({ payload }) => payload.subscriptionData.sender === party)
}

async function requestOf(context: WalletContext, id: string): Promise<Contract> {
  const found = (await paidBy(context, templates.subscriptionRequest)).find(({ contractId }) => contractId === id)
  if (found === undefined) throw contractNotFound(id, templates.subscriptionRequest)
  return found
}

/** Each with the state that it is in; those whose payment is overdue are left out. */
async function subscriptionsOf(context: WalletContext): Promise<object[]> {
  const subscriptions = await paidBy(context, templates.subscription)
  const nowMs = await context.now()
  const idle = (await paidBy(context, templates.subscriptionIdleState)).filter(
    ({ payload }) => Date.parse(payload.nextPaymentDueAt) >= nowMs,
  )
  const paying = await paidBy(context, templates.subscriptionPayment)
  const states = [
    ...idle.map((contract) => ({ contract, state: { idle: contractJson(contract) } })),
    ...paying.map((contract) => ({ contract, state: { payment: contractJson(contract) } })),
  ]
  return states.flatMap(({ contract, state }) => {
    const found = subscriptions.find(({ contractId }) => contractId === contract.payload.subscription)
    return found === undefined ? [] : [{ subscription: contractJson(found), state }]
  })
}
