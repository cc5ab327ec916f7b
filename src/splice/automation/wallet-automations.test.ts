import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LocalNetwork } from '../founding/founding.ts'
import type { Validator } from '../founding/parties.ts'
import { createDsoReads } from '../ledger/dso-reads.ts'
import { type Contract, type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import type { Automation } from './automation.ts'
import { completeBuyTrafficRequests } from './buy-traffic.ts'
import { expireRequests } from './expired-requests.ts'
import { paySubscriptions } from './subscriptions.ts'
import { countTransferCommands, sendTransferCommands } from './transfer-commands.ts'
import { completeTransferOffers } from './transfer-offers.ts'

const nowMs = Date.parse('2030-01-01T12:00:00Z')
const before = '2030-01-01T11:00:00Z'
const after = '2030-01-01T13:00:00Z'

type Payloads = Readonly<Record<string, readonly object[]>>

/** One step of an automation over these contracts; operations of the wallet are refused with `failure`. */
async function step(automation: Automation, payloads: Payloads, failure?: ParticipantRefusal) {
  const all: Payloads = {
    [templates.walletAppInstall]: [{ endUserName: 'ann', endUserParty: 'ann-party' }],
    [templates.amuletRules]: [{}],
    [templates.dsoRules]: [{}],
    [templates.openMiningRound]: [{ round: { number: '1' }, opensAt: before }],
    ...payloads,
  }
  const done: unknown[] = []
  const participant = {
    end: async () => 1,
    contracts: async (wanted: string | readonly string[]): Promise<Contract[]> =>
      [wanted].flat().flatMap((template) =>
        (all[template] ?? []).map((payload, index) => ({
          contractId: `${template.split(':')[2]}-${index}`,
          templateId: template,
          packageName: 'p',
          payload,
          blob: 'AA',
          createdAt: before,
          synchronizerId: 's',
        })),
      ),
    async submit({ commands }: Json) {
      const { choice, choiceArgument } = commands[0].ExerciseCommand
      const isBatch = choice === 'WalletAppInstall_ExecuteBatch'
      if ((isBatch || choice === 'TransferCommand_Send') && failure !== undefined) throw failure
      done.push(isBatch ? choiceArgument.operations[0].tag : [choice, choiceArgument])
      return { events: [{ ExercisedEvent: { exerciseResult: { outcomes: [{}] } } }] }
    },
  } as unknown as Participant
  const validator = { participant, party: 'host' } as unknown as Validator
  const network = { dso: 'DSO', sv: validator, validators: [validator] } as unknown as LocalNetwork
  const result = await automation.step({ network, dso: createDsoReads(participant, 'DSO', true), nowMs })
  return { done, result }
}

const error_id = 'splice.lfdecentralizedtrust.org/insufficient-funds'
const poor = new ParticipantRefusal(400, 'DAML_FAILURE', '', {
  grpcCode: 9,
  metadata: { error_id, requiredAmount: '1.0' },
})
const contended = new ParticipantRefusal(409, 'LOCAL_VERDICT_LOCKED_CONTRACTS', '', { grpcCode: 10 })
const reason = 'out of funds (missing 1.0 CC)'

const traffic = (expiresAt: string): Payloads => ({
  [templates.buyTrafficRequest]: [{ endUserParty: 'ann-party', expiresAt }],
})
const accepted: Payloads = {
  [templates.acceptedTransferOffer]: [{ sender: 'ann-party', receiver: 'bob', expiresAt: after }],
}
const requestCid = 'BuyTrafficRequest-0'

const cases: readonly [string, Automation, Payloads, ParticipantRefusal | undefined, unknown[]][] = [
  ['traffic is paid', completeBuyTrafficRequests, traffic(after), undefined, ['CO_CompleteBuyTrafficRequest']],
  [
    'traffic that cannot be paid is cancelled with the reason',
    completeBuyTrafficRequests,
    traffic(after),
    poor,
    [['WalletAppInstall_BuyTrafficRequest_Cancel', { requestCid, reason }]],
  ],
  [
    'traffic that was not paid in time expires',
    completeBuyTrafficRequests,
    traffic(before),
    undefined,
    [['WalletAppInstall_BuyTrafficRequest_Expire', { requestCid }]],
  ],
  ['an accepted offer is paid', completeTransferOffers, accepted, undefined, ['CO_CompleteAcceptedTransfer']],
  [
    'an accepted offer that cannot be paid is aborted with the reason',
    completeTransferOffers,
    accepted,
    poor,
    [['WalletAppInstall_AcceptedTransferOffer_Abort', { cid: 'AcceptedTransferOffer-0', reason }]],
  ],
  [
    'an offer that nobody accepted expires, by whichever side has a wallet here',
    expireRequests,
    { [templates.transferOffer]: [{ sender: 'bob', receiver: 'ann-party', expiresAt: before }] },
    undefined,
    [['WalletAppInstall_TransferOffer_Expire', { cid: 'TransferOffer-0' }]],
  ],
  [
    'a subscription is paid in the time before its payment is due',
    paySubscriptions,
    {
      [templates.subscriptionIdleState]: [
        {
          subscriptionData: { sender: 'ann-party' },
          nextPaymentDueAt: after,
          payData: { paymentDuration: { microseconds: '7200000000' } },
        },
      ],
    },
    undefined,
    ['CO_SubscriptionMakePayment'],
  ],
  [
    'the first command of a sender gets a counter',
    countTransferCommands,
    {
      [templates.transferCommand]: [{ sender: 'old' }, { sender: 'new' }],
      [templates.transferCommandCounter]: [{ sender: 'old' }],
    },
    undefined,
    [['DsoRules_CreateTransferCommandCounter', { sender: 'new' }]],
  ],
]

for (const [name, automation, payloads, failure, expected] of cases) {
  test(name, async () => {
    const { done, result } = await step(automation, payloads, failure)
    assert.deepEqual(done, expected)
    assert.equal(result.isDone, true)
  })
}

test('an automation that lost a race is not given up', async () => {
  await assert.rejects(step(completeTransferOffers, accepted, contended), contended)
  await assert.rejects(step(completeBuyTrafficRequests, traffic(after), contended), contended)
})

test('an automation that is due later waits for the ledger’s clock', async () => {
  const offers = { [templates.transferOffer]: [{ sender: 'ann-party', expiresAt: after }] }
  const { result } = await step(expireRequests, offers)
  assert.deepEqual(result, { isDone: false, dueMs: Date.parse(after) })
  const idle = {
    subscriptionData: { sender: 'ann-party' },
    nextPaymentDueAt: after,
    payData: { paymentDuration: { microseconds: '60000000' } },
  }
  const later = await step(paySubscriptions, { [templates.subscriptionIdleState]: [idle] })
  assert.deepEqual(later.result, { isDone: false, dueMs: Date.parse(after) - 60_000 + 1 })
})

test('signed commands are sent in the order of their nonces, with the preapproval of the receiver', async () => {
  const command = { sender: 'ext', receiver: 'bob', delegate: 'host', expiresAt: after }
  const payloads = {
    [templates.transferCommand]: [
      { ...command, nonce: '2' },
      { ...command, nonce: '1', delegate: 'elsewhere' },
      { ...command, nonce: '1', expiresAt: before },
      { ...command, nonce: '1' },
    ],
    [templates.transferCommandCounter]: [{ sender: 'ext', nextNonce: '1' }],
    [templates.transferPreapproval]: [{ receiver: 'bob', provider: 'other' }],
    [templates.featuredAppRight]: [{ provider: 'host' }, { provider: 'other' }],
    [templates.amulet]: [{ owner: 'ext' }, { owner: 'ann' }],
  }
  const { done } = await step(sendTransferCommands, payloads)
  const [[choice, argument]] = done as [[string, Json]]
  assert.equal(choice, 'TransferCommand_Send')
  assert.deepEqual(argument.inputs, [{ tag: 'InputAmulet', value: 'Amulet-0' }])
  assert.equal(argument.transferPreapprovalCidO, 'TransferPreapproval-0')
  assert.equal(argument.context.context.featuredAppRight, 'FeaturedAppRight-1')
  await assert.rejects(step(sendTransferCommands, payloads, poor), poor)
})
