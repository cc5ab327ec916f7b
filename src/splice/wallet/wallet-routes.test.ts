import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerProblem } from '../../../test/fixtures/splice/answer-check.ts'
import type { LocalNetwork } from '../founding/founding.ts'
import type { Validator } from '../founding/parties.ts'
import { createDsoReads } from '../ledger/dso-reads.ts'
import type { Contract, Json, Participant, Submission } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { RouteRefusal, type ValidatorContext } from '../serving/route.ts'
import { tokenTemplates } from '../tokens/token-templates.ts'
import { walletRoutes } from './wallet-routes.ts'

const nowMs = Date.parse('2030-01-01T00:10:00Z')
const opensAt = '2030-01-01T00:00:00Z'

const amountOf = (initialAmount: string, round: number) => ({
  initialAmount,
  createdAt: { number: String(round) },
  ratePerRound: { rate: '0.5' },
})

/** Every user may act as its party, and every party is here. */
function answerOf(path: string): Json {
  if (path.startsWith('/v2/parties/')) return { partyDetails: [{ isLocal: true }] }
  const [, user, rights] = /^\/v2\/users\/([^/]+)(\/rights)?$/.exec(path) ?? []
  if (rights === undefined) return { user: { isDeactivated: false } }
  return { rights: [{ kind: { CanActAs: { value: { party: `${user}-party` } } } }] }
}

/** A validator of `host`, at which `ann` has a wallet; all templates have these payloads. */
function walletAt(payloads: Readonly<Record<string, readonly object[]>> = {}, outcome: Json = {}) {
  const all: Readonly<Record<string, readonly object[]>> = {
    [templates.walletAppInstall]: [{ endUserName: 'ann', endUserParty: 'ann-party', validatorParty: 'host' }],
    [templates.amuletRules]: [{}],
    [templates.externalPartyAmuletRules]: [{}],
    [templates.openMiningRound]: [{ round: { number: '7' }, opensAt, amuletPrice: '0.03' }],
    ...payloads,
  }
  const submissions: Submission[] = []
  const participant = {
    end: async () => 1,
    call: async (_: string, path: string) => answerOf(path),
    contracts: async (template: string): Promise<Contract[]> =>
      (all[template] ?? []).map((payload, index) => ({
        contractId: `${template.split(':')[2]}-${index}`,
        templateId: template,
        packageName: 'p',
        payload,
        blob: 'AA',
        createdAt: opensAt,
        synchronizerId: 's',
      })),
    async submit(submission: Submission) {
      submissions.push(submission)
      return { events: [{ ExercisedEvent: { exerciseResult: outcome } }] }
    },
  } as unknown as Participant
  const validator = { participant, party: 'host', participantId: 'participant::1' } as unknown as Validator
  const network = { dso: 'DSO', synchronizerId: 's', sv: validator, validators: [validator] } as unknown as LocalNetwork
  const context: ValidatorContext = {
    network,
    validator,
    dso: createDsoReads(participant, 'DSO', true),
    now: async () => nowMs,
  }

  async function ask(line: string, body: Json = {}, user = 'ann', params = {}): Promise<Json> {
    const [method, path] = line.split(' ')
    const version = path!.startsWith('v2/') ? '' : 'v0/'
    const route = walletRoutes.find((one) => one.method === method && one.path === `/api/validator/${version}${path}`)
    assert.ok(route, line)
    assert.equal(route.access, 'user')
    const answer = await route.answer(context, { params, query: new URLSearchParams(), body, user })
    assert.equal(answerProblem(method!, route.path, 200, answer), undefined)
    return answer
  }
  return { ask, submissions }
}

describe('a wallet', () => {
  test('a user learns whether they have a wallet', async () => {
    const { ask } = walletAt({ [templates.featuredAppRight]: [{ provider: 'ann-party' }] })
    assert.deepEqual(await ask('GET wallet/user-status'), {
      party_id: 'ann-party',
      user_onboarded: true,
      user_wallet_installed: true,
      has_featured_app_right: true,
    })
    const { user_onboarded: isOnboarded } = await ask('GET wallet/user-status', {}, 'bob')
    assert.equal(isOnboarded, false)
    await assert.rejects(
      ask('GET wallet/balance', {}, 'bob'),
      isRefused(404, "No wallet found for user 'bob' for operation 'getBalance'"),
    )
  })

  test('a wallet has what its party owns, and says which fees it would cost to hold it', async () => {
    const { ask } = walletAt({
      [templates.amulet]: [
        { owner: 'ann-party', amount: amountOf('10.0', 3) },
        { owner: 'ann-party', amount: amountOf('1.0', 3) },
        { owner: 'other', amount: amountOf('99.0', 3) },
      ],
      [templates.lockedAmulet]: [{ amulet: { owner: 'ann-party', amount: amountOf('4.0', 3) } }],
    })
    // Two for four rounds of the first, and all of the second.
    assert.deepEqual(await ask('GET wallet/balance'), {
      round: 7,
      effective_unlocked_qty: '11.0000000000',
      effective_locked_qty: '4.0000000000',
      total_holding_fees: '3.0000000000',
    })
    const { amulets } = await ask('GET wallet/amulets')
    assert.deepEqual(
      amulets.map((one: Json) => [one.accrued_holding_fee, one.effective_amount]),
      [
        ['2.0000000000', '10.0000000000'],
        ['1.0000000000', '1.0000000000'],
      ],
    )
  })

  test('a wallet taps dollars at the price of the round, rounded up, once for each command id', async () => {
    const outcomes = { outcomes: [{ tag: 'COO_Tap', value: 'new' }] }
    const { ask, submissions } = walletAt(
      { [templates.amulet]: [{ owner: 'ann-party' }], [templates.validatorRight]: [{ user: 'ann-party' }] },
      outcomes,
    )
    assert.deepEqual(await ask('POST wallet/tap', { amount: '10', command_id: 'one' }), { contract_id: 'new' })
    const [{ actAs, readAs, commandId, commands, disclosed }] = submissions as [Submission]
    assert.deepEqual([actAs, readAs, commandId], [['host'], ['ann-party'], 'tap-ann-one'])
    const { choice, choiceArgument } = (commands[0] as Json).ExerciseCommand
    assert.equal(choice, 'WalletAppInstall_ExecuteBatch')
    assert.deepEqual(choiceArgument.operations, [{ tag: 'CO_Tap', value: { tapAmount: '333.3333333334' } }])
    assert.deepEqual(choiceArgument.inputs, [{ tag: 'InputAmulet', value: 'Amulet-0' }])
    assert.deepEqual(choiceArgument.context.context.validatorRights, []) // Those are the validator's.
    assert.deepEqual(
      disclosed!.map((one: Json) => one.contractId),
      ['AmuletRules-0', 'OpenMiningRound-0'],
    )
  })

  test('a wallet refuses to tap what is no amount, or without an open round', async () => {
    for (const amount of [undefined, 'ten', '1e3', {}]) {
      await assert.rejects(walletAt().ask('POST wallet/tap', { amount }), isRefused(400))
    }
    const closed = walletAt({ [templates.openMiningRound]: [] })
    await assert.rejects(closed.ask('POST wallet/tap', { amount: '1' }), isRefused(404))
  })

  test('a wallet offers a transfer once for each tracking id', async () => {
    const { ask, submissions } = walletAt(
      { [templates.transferOffer]: [{ trackingId: 'known' }] },
      { transferOffer: 'offer' },
    )
    const request = { receiver_party_id: 'bob', amount: '5', description: 'rent', expires_at: nowMs * 1000 }
    const created = await ask('POST wallet/transfer-offers', { ...request, tracking_id: 'new' })
    assert.deepEqual(created, { offer_contract_id: 'offer' })
    const { choiceArgument } = (submissions[0]!.commands[0] as Json).ExerciseCommand
    assert.deepEqual(choiceArgument.amount, { amount: '5', unit: 'AmuletUnit' })
    assert.equal(choiceArgument.expiresAt, '2030-01-01T00:10:00.000Z')
    await assert.rejects(
      ask('POST wallet/transfer-offers', { ...request, tracking_id: 'known' }),
      isRefused(409, 'Transfer offer with trackingId known already exists.'),
    )
    await assert.rejects(ask('POST wallet/transfer-offers', {}), isRefused(400))
  })

  test('a wallet transfers by the token standard with the context of the registry', async () => {
    const output = { tag: 'TransferInstructionResult_Pending', value: { transferInstructionCid: 'waiting' } }
    const { ask, submissions } = walletAt({}, { output, senderChangeCids: ['change'], meta: { values: { a: 'b' } } })
    const request = { receiver_party_id: 'bob', amount: '5', description: 'rent', expires_at: nowMs * 1000 }
    assert.deepEqual(await ask('POST wallet/token-standard/transfers', { ...request, tracking_id: 't' }), {
      output: { transfer_instruction_cid: 'waiting' },
      sender_change_cids: ['change'],
      meta: { a: 'b' },
    })
    const { choiceArgument } = (submissions[0]!.commands[0] as Json).ExerciseCommand
    const { transfer, extraArgs } = choiceArgument.transferArg
    assert.deepEqual(transfer.instrumentId, { admin: 'DSO', id: 'Amulet' })
    assert.equal(extraArgs.context.values['open-round'].value, 'OpenMiningRound-0')
    assert.ok(submissions[0]!.disclosed!.every((one) => !('debugPayload' in one)))
  })

  test('a wallet decides about offers of other tokens as the party of its user, because Splice’s wallet knows Amulet alone', async () => {
    const output = { tag: 'TransferInstructionResult_Completed', value: { receiverHoldingCids: ['got'] } }
    const { ask, submissions } = walletAt(
      { [tokenTemplates.transferOffer]: [{}] },
      { output, senderChangeCids: [], meta: { values: {} } },
    )
    const params = { cid: 'TransferOffer-0' }
    const answer = await ask('POST wallet/token-standard/transfers/{cid}/accept', {}, 'ann', params)
    assert.deepEqual(answer.output, { receiver_holding_cids: ['got'] })
    const [{ actAs, commands }] = submissions as [Submission]
    assert.deepEqual(actAs, ['ann-party'])
    assert.equal((commands[0] as Json).ExerciseCommand.choice, 'TransferInstruction_Accept')
  })

  test('a wallet transfers by version 2 of the standard from account to account', async () => {
    const output = { tag: 'TransferInstructionResult_Completed', value: { receiverHoldingCids: ['got'] } }
    const { ask, submissions } = walletAt({}, { output, senderChangeCids: [], meta: { values: {} } })
    const request = { receiver_party_id: 'bob', amount: '5', description: 'rent', expires_at: nowMs * 1000 }
    const answer = await ask('POST v2/wallet/token-standard/transfers', { ...request, tracking_id: 't' })
    assert.deepEqual(answer.output, { receiver_holding_cids: ['got'] })
    const { choice, choiceArgument } = (submissions[0]!.commands[0] as Json).ExerciseCommand
    assert.equal(choice, 'WalletAppInstall_TransferFactoryV2_Transfer')
    const { actors, transfer, expectedAdmin } = choiceArgument.transferArg
    assert.deepEqual(
      [actors, transfer.sender, transfer.receiver, expectedAdmin],
      [['ann-party'], { owner: 'ann-party', id: '' }, { owner: 'bob', id: '' }, undefined],
    )
  })

  test('a wallet sets Amulet aside by version 2 of the standard', async () => {
    const output = { tag: 'AllocationInstructionResult_Completed', value: { allocationCid: 'kept' } }
    const result = { output, authorizerChangeCids: { Amulet: ['change'] }, meta: { values: {} } }
    const { ask, submissions } = walletAt({}, result)
    const leg = { transfer_leg_id: 'leg', side: 'SENDERSIDE', otherside: 'bob', amount: '5' }
    const request = {
      settlement: { executors: ['app'], settlement_ref: { id: 'trade' }, settlement_deadline: nowMs * 1000 },
      transfer_leg_sides: [leg],
      committed: true,
    }
    assert.deepEqual(await ask('POST v2/allocations', request), {
      output: { allocation_cid: 'kept' },
      sender_change_cids: ['change'],
      meta: {},
    })
    const { allocation, settlement } = (submissions[0]!.commands[0] as Json).ExerciseCommand.choiceArgument.allocateArg
    assert.deepEqual(settlement, { executors: ['app'], id: 'trade', meta: { values: {} } })
    assert.equal(allocation.settlementDeadline, '2030-01-01T00:10:00.000Z')
    assert.deepEqual(allocation.transferLegSides, [
      {
        transferLegId: 'leg',
        side: 'SenderSide',
        otherside: { owner: 'bob', id: '' },
        amount: '5',
        instrumentId: 'Amulet',
        meta: { values: {} },
      },
    ])
    const wrong = { ...request, transfer_leg_sides: [{ ...leg, side: 'BOTH' }] }
    await assert.rejects(ask('POST v2/allocations', wrong), isRefused(400))
  })

  test('a wallet asks for traffic of a validator once for each tracking id', async () => {
    const { ask, submissions } = walletAt(
      { [templates.buyTrafficRequest]: [{ trackingId: 'known' }] },
      { buyTrafficRequest: 'request' },
    )
    const request = {
      receiving_validator_party_id: 'host',
      domain_id: 's',
      traffic_amount: 1000,
      expires_at: nowMs * 1000,
    }
    assert.deepEqual(await ask('POST wallet/buy-traffic-requests', { ...request, tracking_id: 'new' }), {
      request_contract_id: 'request',
    })
    const { memberId, trafficAmount } = (submissions[0]!.commands[0] as Json).ExerciseCommand.choiceArgument
    assert.deepEqual([memberId, trafficAmount], ['PAR::participant::1', '1000'])
    await assert.rejects(
      ask('POST wallet/buy-traffic-requests', { ...request, tracking_id: 'known' }),
      isRefused(409, 'Buy traffic request with trackingId known already exists.'),
    )
  })

  test('a wallet pays what apps ask for, and answers the same when it is asked again', async () => {
    const payloads = {
      [templates.appPaymentRequest]: [{ sender: 'ann-party' }, { sender: 'other' }],
      [templates.acceptedAppPayment]: [{ sender: 'ann-party', reference: 'gone' }],
    }
    const { ask } = walletAt(payloads, { outcomes: [{ tag: 'COO_AcceptedAppPayment', value: 'paid' }] })
    const { payment_requests: requests } = await ask('GET wallet/app-payment-requests')
    assert.deepEqual(
      requests.map((one: Json) => one.contract.contract_id),
      ['AppPaymentRequest-0'],
    )
    const accept = (cid: string) => ask('POST wallet/app-payment-requests/{cid}/accept', {}, 'ann', { cid })
    assert.deepEqual(await accept('AppPaymentRequest-0'), { accepted_payment_contract_id: 'paid' })
    assert.deepEqual(await accept('gone'), { accepted_payment_contract_id: 'AcceptedAppPayment-0' })
    await assert.rejects(accept('AppPaymentRequest-1'), isRefused(404))
  })

  test('a wallet lists subscriptions with their states, but not those whose payment is overdue', async () => {
    const subscriptionData = { sender: 'ann-party' }
    const { ask } = walletAt({
      [templates.subscription]: [{ subscriptionData }, { subscriptionData }, { subscriptionData }],
      [templates.subscriptionIdleState]: [
        { subscriptionData, subscription: 'Subscription-0', nextPaymentDueAt: '2030-01-02T00:00:00Z' },
        { subscriptionData, subscription: 'Subscription-1', nextPaymentDueAt: '2030-01-01T00:00:00Z' },
      ],
      [templates.subscriptionPayment]: [{ subscriptionData, subscription: 'Subscription-2' }],
    })
    const { subscriptions } = await ask('GET wallet/subscriptions')
    assert.deepEqual(
      subscriptions.map(({ subscription, state }: Json) => [subscription.contract_id, Object.keys(state)[0]]),
      [
        ['Subscription-0', 'idle'],
        ['Subscription-2', 'payment'],
      ],
    )
  })

  test('a wallet lists coupons of its party, and a validator those of its users', async () => {
    const { ask } = walletAt({
      [templates.appRewardCoupon]: [{ provider: 'ann-party' }, { provider: 'ann-party', beneficiary: 'other' }],
      [templates.validatorRewardCoupon]: [{ user: 'bob' }, { user: 'stranger' }],
      [templates.validatorRight]: [{ validator: 'ann-party', user: 'bob' }],
    })
    const { app_reward_coupons: own } = await ask('GET wallet/app-reward-coupons')
    const { validator_reward_coupons: ofUsers } = await ask('GET wallet/validator-reward-coupons')
    assert.deepEqual([own.length, ofUsers.length], [1, 1])
    assert.deepEqual(await ask('GET wallet/sv-reward-coupons'), { sv_reward_coupons: [] })
  })

  test('a wallet sends only to receivers who have approved', async () => {
    const request = { receiver_party_id: 'bob', amount: '5', deduplication_id: 'd' }
    await assert.rejects(
      walletAt().ask('POST wallet/transfer-preapproval/send', request),
      isRefused(400, 'Receiver bob does not have a TransferPreapproval'),
    )
    const approved = walletAt({ [templates.transferPreapproval]: [{ receiver: 'ann-party' }] })
    await assert.rejects(approved.ask('POST wallet/transfer-preapproval'), isRefused(409))
  })
})

function isRefused(status: number, message?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof RouteRefusal, String(error))
    assert.equal(error.status, status)
    if (message !== undefined) assert.equal(error.message, message)
    return true
  }
}
