// /api/validator/v0/wallet/app-payment-requests: apps ask a user to pay, and the user accepts or rejects.
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractWithState } from '../serving/contract-json.ts'
import { contractNotFound, notFound, type Route, type ValidatorContext } from '../serving/route.ts'
import { exerciseWallet, operateWallet } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

const base = 'v0/wallet/app-payment-requests'

export const appPaymentRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute(`GET ${base}`, 'listAppPaymentRequests', async (context) => ({
    payment_requests: (await paidBy(context, templates.appPaymentRequest)).map(contractWithState),
  })),
  walletRoute(`GET ${base}/{cid}`, 'getAppPaymentRequest', async (context, { params }) =>
    contractWithState(await requestOf(context, params.cid!)),
  ),
  walletRoute(`POST ${base}/{cid}/accept`, 'acceptAppPaymentRequest', async (context, { params }) => {
    const cid = params.cid!
    const isOpen = (await paidBy(context, templates.appPaymentRequest)).some(({ contractId }) => contractId === cid)
    const id = isOpen ? await operateWallet(context, 'CO_AppPayment', cid) : await acceptedBefore(context, cid)
    return { accepted_payment_contract_id: id }
  }),
  walletRoute(`POST ${base}/{cid}/reject`, 'rejectAppPaymentRequest', async (context, { params }) => {
    await exerciseWallet(context, 'WalletAppInstall_AppPaymentRequest_Reject', { cid: params.cid })
  }),
  walletRoute('GET v0/wallet/accepted-app-payments', 'listAcceptedAppPayments', async (context) => ({
    accepted_app_payments: (await paidBy(context, templates.acceptedAppPayment)).map(contractWithState),
  })),
]

/** Others are the concern of the app. */
async function paidBy({ validator, party }: WalletContext, template: string): Promise<Contract[]> {
  const contracts = await validator.participant.contracts(template, [party])
  return contracts.filter(({ payload }) => payload.sender === party)
}

async function requestOf(context: WalletContext, id: string): Promise<Contract> {
  const found = (await paidBy(context, templates.appPaymentRequest)).find(({ contractId }) => contractId === id)
  if (found === undefined) throw contractNotFound(id, templates.appPaymentRequest)
  return found
}

/** A client that asks again gets the same answer. */
async function acceptedBefore(context: WalletContext, id: string): Promise<string> {
  const accepted = await paidBy(context, templates.acceptedAppPayment)
  const found = accepted.find(({ payload }) => payload.reference === id)
  if (found !== undefined) return found.contractId
  throw notFound(`AppPaymentRequest ${id} not found, and no matching AcceptedAppPayment could be located.`)
}
