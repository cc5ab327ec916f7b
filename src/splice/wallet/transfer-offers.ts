// /api/validator/v0/wallet/transfer-offers: offers of Amulet that their receiver accepts. The sender's validator completes them.
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractJson } from '../serving/contract-json.ts'
import { checkFields } from '../serving/request-fields.ts'
import { notFound, type Route, RouteRefusal, type ValidatorContext } from '../serving/route.ts'
import { transferFields } from './token-transfers.ts'
import { trackedStatus, transferOffers } from './tracked-requests.ts'
import { exerciseWallet, timeFromMicros } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

export const transferOfferRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('POST v0/wallet/transfer-offers', 'createTransferOffer', async (context, { body }) => {
    checkFields(body, transferFields)
    const { receiver_party_id: receiver, amount, description, expires_at, tracking_id: trackingId } = body
    const known = await offersOf(context, templates.transferOffer)
    if (known.some(({ payload }) => payload.trackingId === trackingId)) {
      throw new RouteRefusal(409, `Transfer offer with trackingId ${trackingId} already exists.`)
    }
    const result = await exerciseWallet(
      context,
      'WalletAppInstall_CreateTransferOffer',
      {
        receiver,
        amount: { amount, unit: 'AmuletUnit' },
        description,
        expiresAt: timeFromMicros(expires_at),
        trackingId,
      },
      { commandId: `transfer-offer-${trackingId}`, duplicate: 'CreateTransferOffer duplicate command' },
    )
    return { offer_contract_id: result.transferOffer }
  }),
  walletRoute('POST v0/wallet/transfer-offers/{id}/status', 'getTransferOfferStatus', async (context, { params }) => {
    const status = await trackedStatus(context, transferOffers, params.id!)
    if (status === undefined) throw notFound(`Couldn't find transfer offer with tracking id ${params.id}`)
    return status
  }),
  walletRoute('GET v0/wallet/transfer-offers', 'listTransferOffers', async (context) => ({
    offers: (await offersOf(context, templates.transferOffer)).map(contractJson),
  })),
  walletRoute('GET v0/wallet/accepted-transfer-offers', 'listAcceptedTransferOffers', async (context) => ({
    accepted_offers: (await offersOf(context, templates.acceptedTransferOffer)).map(contractJson),
  })),
  walletRoute('POST v0/wallet/transfer-offers/{cid}/accept', 'acceptTransferOffer', async (context, { params }) => {
    const result = await exerciseWallet(context, 'WalletAppInstall_TransferOffer_Accept', { cid: params.cid })
    return { accepted_offer_contract_id: result.acceptedTransferOffer }
  }),
  walletRoute('POST v0/wallet/transfer-offers/{cid}/reject', 'rejectTransferOffer', async (context, { params }) => {
    await exerciseWallet(context, 'WalletAppInstall_TransferOffer_Reject', { cid: params.cid })
  }),
  walletRoute('POST v0/wallet/transfer-offers/{cid}/withdraw', 'withdrawTransferOffer', async (context, { params }) => {
    const argument = { cid: params.cid, reason: 'Withdrawn by sender' }
    await exerciseWallet(context, 'WalletAppInstall_TransferOffer_Withdraw', argument)
  }),
]

/** Sent or received by the user. */
function offersOf({ validator, party }: WalletContext, template: string): Promise<Contract[]> {
  return validator.participant.contracts(template, [party])
}
