// /api/validator/v0/wallet/buy-traffic-requests: a user pays for the traffic of a validator. An automation completes the requests.
import type { Validator } from '../founding/parties.ts'
import { templates } from '../ledger/templates.ts'
import { migrationId } from '../scan/update-json.ts'
import { checkFields, type Fields } from '../serving/request-fields.ts'
import { badRequest, notFound, type Route, RouteRefusal, type ValidatorContext } from '../serving/route.ts'
import { buyTrafficRequests, trackedStatus } from './tracked-requests.ts'
import { exerciseWallet, timeFromMicros } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

const base = 'v0/wallet/buy-traffic-requests'

const requestFields: Fields = {
  required: {
    receiving_validator_party_id: 'String',
    domain_id: 'String',
    traffic_amount: 'Long',
    tracking_id: 'String',
    expires_at: 'Long',
  },
}

export const buyTrafficRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute(`POST ${base}`, 'createBuyTrafficRequest', async (context, { body }) => {
    checkFields(body, requestFields)
    const { receiving_validator_party_id: receiver, domain_id: domain, tracking_id: trackingId } = body
    const amount: number = body.traffic_amount
    if (amount <= 0) throw badRequest('trafficAmount must be positive')
    const host = domain === context.network.synchronizerId ? await hostOf(context, receiver) : undefined
    if (host === undefined) throw badRequest(`Could not find participant hosting ${receiver} on domain ${domain}`)
    await refuseKnown(context, trackingId)
    const result = await exerciseWallet(
      context,
      'WalletAppInstall_CreateBuyTrafficRequest',
      {
        memberId: `PAR::${host.participantId}`,
        synchronizerId: domain,
        migrationId: String(migrationId),
        trafficAmount: String(amount),
        expiresAt: timeFromMicros(body.expires_at),
        trackingId,
      },
      { commandId: `buy-traffic-${trackingId}`, duplicate: 'CreateBuyTrafficRequest duplicate command' },
    )
    return { request_contract_id: result.buyTrafficRequest }
  }),
  walletRoute(`POST ${base}/{id}/status`, 'getBuyTrafficRequestStatus', async (context, { params }) => {
    const status = await trackedStatus(context, buyTrafficRequests, params.id!)
    if (status === undefined) throw notFound(`Couldn't find buy traffic request with tracking id ${params.id}`)
    return status
  }),
]

/** The validator whose participant hosts the party. */
async function hostOf({ network }: WalletContext, party: string): Promise<Validator | undefined> {
  for (const validator of network.validators) {
    const { partyDetails } = await validator.participant.call('GET', `/v2/parties/${encodeURIComponent(party)}`)
    if (partyDetails.some((one: { isLocal: boolean }) => one.isLocal)) return validator
  }
  return undefined
}

/** Later repetitions are refused by the ledger, which knows the command. */
async function refuseKnown({ validator, party }: WalletContext, trackingId: string): Promise<void> {
  const requests = await validator.participant.contracts(templates.buyTrafficRequest, [party])
  if (requests.some(({ payload }) => payload.trackingId === trackingId)) {
    throw new RouteRefusal(409, `Buy traffic request with trackingId ${trackingId} already exists.`)
  }
}
