import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json, Participant } from '../ledger/participant.ts'
import { buyTrafficRequests, statusesIn, trackedStatus, transferOffers } from './tracked-requests.ts'
import type { WalletContext } from './wallet-route.ts'

const offer = 'Splice.Wallet.TransferOffer'
const created = (entity: string, contractId = 'cid'): Json => ({
  CreatedEvent: { templateId: `p:${entity}`, contractId, createArgument: { trackingId: 't' } },
})
const exercised = (choice: string, argument: object = {}, result: object = {}): Json => ({
  ExercisedEvent: {
    choice,
    choiceArgument: argument,
    exerciseResult: { trackingInfo: { trackingId: 't' }, ...result },
  },
})

const withdrawn = { status: 'failed', failure_kind: 'withdrawn', withdrawn_reason: 'why' }
const expired = { status: 'failed', failure_kind: 'expired' }

const cases: readonly [typeof transferOffers, Json, object][] = [
  [transferOffers, created(`${offer}:TransferOffer`), { status: 'created', transaction_id: 'u', contract_id: 'cid' }],
  [
    transferOffers,
    created(`${offer}:AcceptedTransferOffer`),
    { status: 'accepted', transaction_id: 'u', contract_id: 'cid' },
  ],
  [
    transferOffers,
    exercised('AcceptedTransferOffer_Complete', {}, { transferResult: { createdAmulets: [{ value: 'amulet' }] } }),
    { status: 'completed', transaction_id: 'u', contract_id: 'amulet' },
  ],
  [transferOffers, exercised('TransferOffer_Reject'), { status: 'failed', failure_kind: 'rejected' }],
  [transferOffers, exercised('TransferOffer_Withdraw', { reason: 'why' }), withdrawn],
  [transferOffers, exercised('AcceptedTransferOffer_Abort', { reason: 'why' }), withdrawn],
  [transferOffers, exercised('AcceptedTransferOffer_Withdraw', { reason: 'why' }), withdrawn],
  [transferOffers, exercised('TransferOffer_Expire'), expired],
  [transferOffers, exercised('AcceptedTransferOffer_Expire'), expired],
  [buyTrafficRequests, created('Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest'), { status: 'created' }],
  [buyTrafficRequests, exercised('BuyTrafficRequest_Complete'), { status: 'completed', transaction_id: 'u' }],
  [
    buyTrafficRequests,
    exercised('BuyTrafficRequest_Cancel', { reason: 'why' }),
    { status: 'failed', failure_reason: 'rejected', rejection_reason: 'why' },
  ],
  [buyTrafficRequests, exercised('BuyTrafficRequest_Expire'), { status: 'failed', failure_reason: 'expired' }],
]

for (const [kind, event, status] of cases) {
  test(`${event.ExercisedEvent?.choice ?? event.CreatedEvent.templateId} says ${JSON.stringify(status)}`, () => {
    assert.deepEqual(statusesIn({ updateId: 'u', events: [event] }, kind), [{ trackingId: 't', status }])
  })
}

test('the newest transaction about a request counts, and within it the last event', async () => {
  const pages: Json[] = [
    { updates: [], nextPageToken: 'more' },
    { updates: [[exercised('Other')], [exercised('TransferOffer_Expire'), created(`${offer}:TransferOffer`, 'last')]] },
    { updates: [] },
  ]
  const participant = {
    async call() {
      const { updates, nextPageToken = null } = pages.shift()
      const wrapped = updates.map((events: Json) => ({ update: { Transaction: { value: { updateId: 'u', events } } } }))
      return { updates: wrapped, nextPageToken }
    },
  } as unknown as Participant
  const context = { validator: { participant }, party: 'ann' } as unknown as WalletContext
  const found = await trackedStatus(context, transferOffers, 't')
  assert.deepEqual(found, { status: 'created', transaction_id: 'u', contract_id: 'last' })
  assert.equal(await trackedStatus(context, transferOffers, 't'), undefined)
})
