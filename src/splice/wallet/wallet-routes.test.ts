import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LocalNetwork } from '../founding/founding.ts'
import type { Validator } from '../founding/parties.ts'
import { createDsoReads } from '../ledger/dso-reads.ts'
import type { Contract, Json, Participant, Submission } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { RouteRefusal, type ValidatorContext } from '../serving/route.ts'
import { walletRoutes } from './wallet-routes.ts'

const nowMs = Date.parse('2030-01-01T00:10:00Z')
const opensAt = '2030-01-01T00:00:00Z'

const amountOf = (initialAmount: string, round: number) => ({
  initialAmount,
  createdAt: { number: String(round) },
  ratePerRound: { rate: '0.5' },
})

/** A validator of `host`, at which `ann` has a wallet; all templates have these payloads. */
function walletAt(payloads: Readonly<Record<string, readonly object[]>> = {}, outcome: Json = {}) {
  const all: Readonly<Record<string, readonly object[]>> = {
    [templates.walletAppInstall]: [{ endUserName: 'ann', endUserParty: 'ann-party' }],
    [templates.amuletRules]: [{}],
    [templates.externalPartyAmuletRules]: [{}],
    [templates.openMiningRound]: [{ round: { number: '7' }, opensAt, amuletPrice: '0.03' }],
    ...payloads,
  }
  const submissions: Submission[] = []
  const participant = {
    end: async () => 1,
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
  const validator = { participant, party: 'host' } as unknown as Validator
  const network = { dso: 'DSO', sv: validator, validators: [validator] } as unknown as LocalNetwork
  const context: ValidatorContext = {
    network,
    validator,
    dso: createDsoReads(participant, 'DSO', true),
    now: async () => nowMs,
  }

  async function ask(line: string, body: Json = {}, user = 'ann', params = {}): Promise<Json> {
    const [method, path] = line.split(' ')
    const route = walletRoutes.find((one) => one.method === method && one.path === `/api/validator/v0/${path}`)
    assert.ok(route, line)
    assert.equal(route.access, 'user')
    return route.answer(context, { params, query: new URLSearchParams(), body, user })
  }
  return { ask, submissions }
}

describe('a wallet', () => {
  test('is told to a user who has one, and to one who has none', async () => {
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

  test('has what its party owns, less the fees for holding it', async () => {
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
      effective_unlocked_qty: '8.0000000000',
      effective_locked_qty: '4.0000000000',
      total_holding_fees: '3.0000000000',
    })
    const { amulets } = await ask('GET wallet/amulets')
    assert.deepEqual(
      amulets.map((one: Json) => [one.accrued_holding_fee, one.effective_amount]),
      [
        ['2.0000000000', '8.0000000000'],
        ['1.0000000000', '0.0000000000'],
      ],
    )
  })

  test('taps dollars at the price of the round, rounded up, once for each command id', async () => {
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

  test('refuses to tap what is no amount, or without an open round', async () => {
    for (const amount of [undefined, 'ten', '1e3', {}]) {
      await assert.rejects(walletAt().ask('POST wallet/tap', { amount }), isRefused(400))
    }
    const closed = walletAt({ [templates.openMiningRound]: [] })
    await assert.rejects(closed.ask('POST wallet/tap', { amount: '1' }), isRefused(404))
  })

  test('offers a transfer once for each tracking id', async () => {
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

  test('transfers by the token standard with the context of the registry', async () => {
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

  test('sends only to those who have approved', async () => {
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
