// Requests of a wallet that its clients follow by a tracking id: what has become of a transfer offer, or of a request to buy traffic.
// Read from the party's transactions, newest first. Splice's log begins somewhere, too: what is older than that is not found.
import { transactionsBackwards } from '../ledger/backward-updates.ts'
import { entityOf } from '../ledger/event-tree.ts'
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import type { WalletContext } from './wallet-route.ts'

/** What an event says about a request. */
export type TrackedStatus = { readonly trackingId: string; readonly status: object }

type StatusOf = (event: Json, updateId: string) => object

/** How a kind of request is followed: by the template that is created, and by the choice that is exercised. */
export type TrackedKind = {
  readonly templates: readonly string[]
  readonly creations: ReadonlyMap<string, StatusOf>
  readonly choices: ReadonlyMap<string, StatusOf>
}

const inContract =
  (status: string): StatusOf =>
  ({ contractId: contract_id }, transaction_id) => ({ status, transaction_id, contract_id })

const failedOffer =
  (failure_kind: string): StatusOf =>
  () => ({ status: 'failed', failure_kind })

const withdrawnOffer: StatusOf = ({ choiceArgument }) => ({
  status: 'failed',
  failure_kind: 'withdrawn',
  withdrawn_reason: choiceArgument.reason,
})

export const transferOffers: TrackedKind = {
  templates: [templates.transferOffer, templates.acceptedTransferOffer],
  creations: new Map([
    ['Splice.Wallet.TransferOffer:TransferOffer', inContract('created')],
    ['Splice.Wallet.TransferOffer:AcceptedTransferOffer', inContract('accepted')],
  ]),
  choices: new Map<string, StatusOf>([
    ['TransferOffer_Reject', failedOffer('rejected')],
    ['TransferOffer_Withdraw', withdrawnOffer],
    ['TransferOffer_Expire', failedOffer('expired')],
    [
      'AcceptedTransferOffer_Complete',
      ({ exerciseResult }, transaction_id) => ({
        status: 'completed',
        transaction_id,
        contract_id: exerciseResult.transferResult.createdAmulets[0].value,
      }),
    ],
    ['AcceptedTransferOffer_Abort', withdrawnOffer],
    ['AcceptedTransferOffer_Withdraw', withdrawnOffer],
    ['AcceptedTransferOffer_Expire', failedOffer('expired')],
  ]),
}

export const buyTrafficRequests: TrackedKind = {
  templates: [templates.buyTrafficRequest],
  creations: new Map([['Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest', () => ({ status: 'created' })]]),
  choices: new Map<string, StatusOf>([
    ['BuyTrafficRequest_Complete', (_, transaction_id) => ({ status: 'completed', transaction_id })],
    [
      'BuyTrafficRequest_Cancel',
      ({ choiceArgument }) => ({
        status: 'failed',
        failure_reason: 'rejected',
        rejection_reason: choiceArgument.reason,
      }),
    ],
    ['BuyTrafficRequest_Expire', () => ({ status: 'failed', failure_reason: 'expired' })],
  ]),
}

/** What the events of a transaction say, in their order. */
export function statusesIn({ events, updateId }: Json, { creations, choices }: TrackedKind): TrackedStatus[] {
  return events.flatMap(({ CreatedEvent: created, ExercisedEvent: exercised }: Json) => {
    if (created !== undefined) {
      const status = creations.get(entityOf(created.templateId))
      return status === undefined
        ? []
        : [{ trackingId: created.createArgument.trackingId, status: status(created, updateId) }]
    }
    const status = choices.get(exercised?.choice)
    if (status === undefined) return []
    return [{ trackingId: exercised.exerciseResult.trackingInfo.trackingId, status: status(exercised, updateId) }]
  })
}

/** So many transactions are searched for an id. */
const transactionsMax = 10_000
const pageSize = 100

/** The last status; undefined if there is none. */
export async function trackedStatus(
  { validator, party }: WalletContext,
  kind: TrackedKind,
  trackingId: string,
): Promise<object | undefined> {
  let count = 0
  const query = { party, templates: kind.templates, pageSize }
  for await (const transaction of transactionsBackwards(validator.participant, query)) {
    const found = statusesIn(transaction, kind).findLast((one) => one.trackingId === trackingId)
    if (found !== undefined) return found.status
    count += 1
    if (count === transactionsMax) break
  }
  return undefined
}
