import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerProblem } from '../../../../test/fixtures/splice/answer-check.ts'
import type { Json } from '../../ledger/participant.ts'
import type { Entry } from './entries.ts'
import { entryJson } from './entry-json.ts'
import { historyPage } from './paging.ts'
import { readTransaction } from './reading.ts'
import { historyRules } from './rules.ts'

const date = '2030-01-01T00:00:00Z'

type Node = { created: string; payload: object; id?: string } | Exercise
type Exercise = {
  choice: string
  on?: string
  argument?: object
  result?: object
  id?: string
  interfaceId?: string
  inside?: readonly Node[]
}

/** A transaction with these events, numbered in their order. */
function transaction(nodes: readonly Node[], updateId = 'u', offset = 1): Json {
  const events: Json[] = []
  const add = (node: Node): void => {
    const nodeId = events.length
    if ('created' in node) {
      const { created, payload, id } = node
      events.push({
        CreatedEvent: { nodeId, templateId: `p:${created}`, contractId: id ?? `c${nodeId}`, createArgument: payload },
      })
      return
    }
    const { choice, on = 'Splice.AmuletRules:AmuletRules', argument = {}, result = {}, id, interfaceId } = node
    const event = {
      nodeId,
      templateId: `p:${on}`,
      ...(interfaceId !== undefined && { interfaceId }),
      contractId: id ?? `c${nodeId}`,
      choice,
      choiceArgument: argument,
      exerciseResult: result,
      consuming: false,
      lastDescendantNodeId: nodeId,
    }
    events.push({ ExercisedEvent: event })
    for (const one of node.inside ?? []) add(one)
    event.lastDescendantNodeId = events.length - 1
  }
  for (const node of nodes) add(node)
  return { updateId, offset, effectiveAt: date, events }
}

const read = (nodes: readonly Node[], party: string): Entry[] =>
  readTransaction(transaction(nodes), party, historyRules)

/** Type, choice and the change of each party's balance. */
function brief(entry: Entry): unknown[] {
  const json = entryJson(entry) as Json
  const amounts = [json.sender, ...(json.receivers ?? [])].filter((one) => one !== undefined)
  return [
    json.transaction_type,
    json.transaction_subtype.choice,
    ...amounts.map((one: Json) => [one.party, one.amount]),
  ]
}

const amulet = (id: string, owner: string, amount: string): Node => ({
  created: 'Splice.Amulet:Amulet',
  id,
  payload: { owner, amount: { initialAmount: amount } },
})

const tap: Exercise = {
  choice: 'AmuletRules_DevNet_Tap',
  result: { amuletSum: { amulet: 'a1' } },
  inside: [amulet('a1', 'ann', '2000.0')],
}

const summary = (fields: object) => ({
  inputAppRewardAmount: '0.0',
  inputValidatorRewardAmount: '0.0',
  inputSvRewardAmount: '0.0',
  inputAmuletAmount: '100.0',
  holdingFees: '0.0',
  outputFees: ['0.0'],
  senderChangeAmount: '90.0',
  balanceChanges: [],
  ...fields,
})

const output = (receiver: string, amount: string, lock?: object) => ({
  receiver,
  amount,
  receiverFeeRatio: '0.0',
  lock,
})

const transfer = (outputs: object[], fields: object = {}): Exercise => ({
  choice: 'AmuletRules_Transfer',
  argument: { transfer: { sender: 'ann', outputs } },
  result: { summary: summary(fields) },
  inside: [amulet('new', 'bob', '10.0')],
})

const install = 'Splice.Wallet.Install:WalletAppInstall'
const batch = (...inside: Node[]): Exercise => ({ choice: 'WalletAppInstall_ExecuteBatch', on: install, inside })

/** [name, events, whose history, what is in it]. */
const cases: readonly [string, readonly Node[], string, unknown[][]][] = [
  [
    'a tap is new Amulet for its receiver',
    [batch(tap)],
    'ann',
    [['balance_change', 'AmuletRules_DevNet_Tap', ['ann', '2000.0000000000']]],
  ],
  ['what concerns other parties is left out', [batch(tap)], 'host', []],
  [
    'a transfer has the balances of both sides',
    [
      {
        choice: 'AppPaymentRequest_Accept',
        on: 'Splice.Wallet.Payment:AppPaymentRequest',
        inside: [transfer([output('bob', '10.0')])],
      },
    ],
    'bob',
    [['transfer', 'AppPaymentRequest_Accept', ['ann', '-10.0000000000'], ['bob', '10.0000000000']]],
  ],
  [
    'each side pays its part of the fee',
    [
      transfer([{ ...output('bob', '10.0'), receiverFeeRatio: '0.25' }], {
        outputFees: ['4.0'],
        senderChangeAmount: '87.0',
      }),
    ],
    'ann',
    [['transfer', 'AmuletRules_Transfer', ['ann', '-13.0000000000'], ['bob', '9.0000000000']]],
  ],
  [
    'Amulet that is locked for somebody has left its owner and reached nobody',
    [transfer([output('ann', '10.0', { holders: ['bob'] })])],
    'ann',
    [['transfer', 'AmuletRules_Transfer', ['ann', '-10.0000000000']]],
  ],
  [
    'merging is the work of the wallet',
    [batch(transfer([], { inputAmuletAmount: '100.0', senderChangeAmount: '100.0', outputFees: [] }))],
    'ann',
    [['transfer', 'WalletAppInstall_ExecuteBatch', ['ann', '0.0000000000']]],
  ],
  [
    'a completed offer is a payment between people',
    [
      batch({
        choice: 'AcceptedTransferOffer_Complete',
        on: 'Splice.Wallet.TransferOffer:AcceptedTransferOffer',
        inside: [transfer([output('bob', '10.0')])],
      }),
    ],
    'ann',
    [['transfer', 'AcceptedTransferOffer_Complete', ['ann', '-10.0000000000'], ['bob', '10.0000000000']]],
  ],
  [
    'what was unlocked to be collected is part of the collection',
    [
      {
        choice: 'AcceptedAppPayment_Collect',
        on: 'Splice.Wallet.Payment:AcceptedAppPayment',
        inside: [
          {
            choice: 'LockedAmulet_Unlock',
            on: 'Splice.Amulet:LockedAmulet',
            result: { amuletSum: { amulet: 'u' } },
            inside: [amulet('u', 'ann', '100.0')],
          },
          transfer([output('bob', '100.0')], { senderChangeAmount: '0.0' }),
        ],
      },
    ],
    'ann',
    [['transfer', 'AcceptedAppPayment_Collect', ['ann', '0.0000000000'], ['bob', '100.0000000000']]],
  ],
  [
    'the second version of a choice goes by the name of the first',
    [
      {
        choice: 'LockedAmulet_UnlockV2',
        on: 'Splice.Amulet:LockedAmulet',
        result: { amuletCid: 'u' },
        inside: [amulet('u', 'ann', '5.0')],
      },
    ],
    'ann',
    [['balance_change', 'LockedAmulet_Unlock', ['ann', '5.0000000000']]],
  ],
  [
    'expired Amulet was worth nothing',
    [{ choice: 'Amulet_Expire', on: 'Splice.Amulet:Amulet', result: { expireSum: { owner: 'ann' } } }],
    'ann',
    [['balance_change', 'Amulet_Expire', ['ann', '0.0000000000']]],
  ],
  [
    'traffic is paid to nobody',
    [
      {
        choice: 'AmuletRules_BuyMemberTraffic',
        argument: { provider: 'ann' },
        result: {
          summary: summary({
            balanceChanges: [
              ['ann', {}],
              ['DSO', {}],
            ],
          }),
        },
      },
    ],
    'ann',
    [['transfer', 'AmuletRules_BuyMemberTraffic', ['ann', '-10.0000000000'], ['DSO', '0.0000000000']]],
  ],
  [
    'a validator pays for preapprovals',
    [
      {
        choice: 'AmuletRules_CreateExternalPartySetupProposal',
        result: { validator: 'host', transferResult: { summary: summary({}) } },
      },
    ],
    'host',
    [['transfer', 'AmuletRules_CreateTransferPreapproval', ['host', '-10.0000000000']]],
  ],
  [
    'a preapproved transfer without a transfer inside counts, too',
    [
      {
        choice: 'TransferPreapproval_SendV2',
        on: 'Splice.AmuletRules:TransferPreapproval',
        argument: { sender: 'ann', amount: '10.0', description: 'rent' },
        result: {
          result: {
            summary: summary({
              balanceChanges: [
                ['ann', {}],
                ['bob', {}],
              ],
            }),
          },
        },
        inside: [amulet('new', 'bob', '10.0')],
      },
    ],
    'bob',
    [['transfer', 'TransferPreapproval_Send', ['ann', '-10.0000000000'], ['bob', '10.0000000000']]],
  ],
  [
    'a missed payment is a notification',
    [
      {
        choice: 'SubscriptionIdleState_ExpireSubscription',
        on: 'Splice.Wallet.Subscriptions:SubscriptionIdleState',
        argument: { actor: 'ann' },
      },
    ],
    'ann',
    [['notification', 'SubscriptionIdleState_ExpireSubscription']],
  ],
  ['Amulet from nowhere is unknown', [amulet('odd', 'ann', '1.0')], 'ann', [['unknown', 'unknown']]],
]

describe('a transaction in the history of a wallet', () => {
  for (const [name, nodes, party, expected] of cases) {
    test(name, () => {
      const entries = read(nodes, party)
      assert.deepEqual(entries.map(brief), expected)
      const answer = { items: entries.map(entryJson) }
      assert.equal(answerProblem('POST', '/api/validator/v0/wallet/transactions', 200, answer), undefined)
    })
  }

  test('a transaction in the history of a wallet has every field of Splice’s API', () => {
    const fields = { inputAppRewardAmount: '1.0', inputSvRewardAmount: '2.0', holdingFees: '3.0' }
    const [entry] = read([transfer([output('bob', '10.0')], fields)], 'ann')
    assert.deepEqual(entryJson(entry!), {
      transaction_type: 'transfer',
      transaction_subtype: { template_id: 'p:Splice.AmuletRules:AmuletRules', choice: 'AmuletRules_Transfer' },
      event_id: '#u:0',
      date,
      sender: { party: 'ann', amount: '-7.0000000000' },
      receivers: [{ party: 'bob', amount: '10.0000000000' }],
      holding_fees: '3.0000000000',
      app_rewards_used: '1.0000000000',
      validator_rewards_used: '0.0000000000',
      sv_rewards_used: '2.0000000000',
      development_fund_coupons_used: '0.0000000000',
    })
  })
})

describe('a transfer by the token standard', () => {
  const meta = { values: { 'splice.lfdecentralizedtrust.org/reason': 'rent' } }
  const wish = { sender: 'ann', receiver: 'bob', amount: '10.0', instrumentId: { admin: 'DSO', id: 'Amulet' }, meta }
  const instruction: Node = {
    created: 'Splice.AmuletTransferInstruction:AmuletTransferInstruction',
    id: 'instruction',
    payload: { transfer: wish },
  }
  const factory = 'Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules'
  const offered: Exercise = {
    choice: 'TransferFactory_Transfer',
    on: factory,
    argument: { transfer: wish },
    result: { output: { tag: 'TransferInstructionResult_Pending', value: { transferInstructionCid: 'instruction' } } },
    inside: [amulet('change', 'ann', '90.0'), instruction],
  }

  test('a transfer by the token standard locks the amount of its sender, and says for whom', () => {
    const [entry, ...more] = read([offered], 'ann')
    assert.equal(more.length, 0)
    const json = entryJson(entry!) as Json
    assert.deepEqual(json.sender, { party: 'ann', amount: '-10.0000000000' })
    assert.deepEqual(json.receivers, [])
    assert.deepEqual(
      [json.transfer_instruction_receiver, json.transfer_instruction_amount, json.transfer_instruction_cid],
      ['bob', '10.0000000000', 'instruction'],
    )
    assert.equal(json.description, 'rent')
    assert.match(json.transaction_subtype.interface_id, /TransferInstructionV1:TransferFactory$/)
  })

  test('a receiver knows a transfer by its instruction alone', () => {
    const [entry] = read([instruction], 'bob')
    const json = entryJson(entry!) as Json
    assert.deepEqual(brief(entry!), [
      'transfer',
      'TransferFactory_Transfer',
      ['ann', '0.0000000000'],
      ['bob', '0.0000000000'],
    ])
    assert.equal(json.transfer_instruction_cid, 'instruction')
  })

  const unlocked: Node = {
    choice: 'LockedAmulet_UnlockV2',
    on: 'Splice.Amulet:LockedAmulet',
    result: { amuletCid: 'free' },
    inside: [amulet('free', 'ann', '10.0')],
  }
  const on = 'Splice.AmuletTransferInstruction:AmuletTransferInstruction'

  test('an accepted transfer moves the locked amount', () => {
    const accepted: Exercise = {
      choice: 'TransferInstruction_Accept',
      on,
      id: 'instruction',
      result: {
        output: { tag: 'TransferInstructionResult_Completed', value: { receiverHoldingCids: ['got'] } },
        meta: { values: { 'splice.lfdecentralizedtrust.org/sender': 'ann' } },
      },
      inside: [unlocked, amulet('got', 'bob', '10.0')],
    }
    const entries = read([accepted], 'ann').map(brief)
    assert.deepEqual(entries, [
      ['transfer', 'TransferInstruction_Accept', ['ann', '0.0000000000'], ['bob', '10.0000000000']],
    ])
  })

  test('a rejected or withdrawn transfer returns the amount', () => {
    for (const choice of ['TransferInstruction_Reject', 'TransferInstruction_Withdraw']) {
      const ended: Node[] = [{ choice, on, id: 'instruction', inside: [unlocked] }]
      const [entry] = read(ended, 'ann')
      assert.deepEqual(brief(entry!), ['balance_change', choice, ['ann', '10.0000000000']])
      assert.equal((entryJson(entry!) as Json).transfer_instruction_cid, 'instruction')
      assert.deepEqual(read(ended, 'bob').map(brief), [['balance_change', choice, ['bob', '0.0000000000']]])
    }
  })

  test('version 2 settles a transfer leg by leg, and allocates it without an entry', () => {
    const account = (owner: string) => ({ owner, id: '' })
    const leg = { transferLegId: 'leg', sender: account('ann'), receiver: account('bob'), amount: '5.0' }
    const settled: Exercise = {
      choice: 'SettlementFactory_SettleBatch',
      on: factory,
      argument: {
        transferLegs: [
          { ...leg, instrumentId: 'Amulet' },
          { ...leg, instrumentId: 'EUR' },
        ],
      },
    }
    const entries = read([settled], 'bob')
    assert.deepEqual(
      entries.map(({ eventId }) => eventId),
      ['#u:0:leg'],
    )
    const allocated = {
      choice: 'AllocationFactory_Allocate',
      on: factory,
      argument: { allocation: {} },
      inside: [unlocked],
    }
    assert.deepEqual(read([allocated], 'ann'), [])
  })
})

describe('a page of the history of a wallet', () => {
  /** Ten transactions; the one at offset 5 has two entries, the one at offset 7 none. */
  const ledger = Array.from({ length: 10 }, (_, index) => {
    const offset = index + 1
    const taps = offset === 7 ? [] : offset === 5 ? [tap, { ...tap }] : [tap]
    return transaction(taps, `u${offset}`, offset)
  })
  let reads = 0
  const reading = {
    offsetOf: async (updateId: string) => ledger.find((one) => one.updateId === updateId)?.offset,
    async *transactions(upTo = ledger.length) {
      for (const one of ledger.slice(0, upTo).reverse()) {
        reads += 1
        yield one
      }
    },
  }
  const page = (size: number, afterId?: string) =>
    historyPage(reading, (one) => readTransaction(one, 'ann', historyRules), size, afterId)

  test('a page of a wallet’s history continues after the last entry of the page before it, newest first', async () => {
    const ids: string[] = []
    let last: string | undefined
    for (;;) {
      const entries = await page(3, last)
      if (entries.length === 0) break
      ids.push(...entries.map(({ eventId }) => eventId))
      last = ids.at(-1)
    }
    const expected = ['10:0', '9:0', '8:0', '6:0', '5:2', '5:0', '4:0', '3:0', '2:0', '1:0']
    assert.deepEqual(
      ids,
      expected.map((id) => `#u${id}`),
    )
  })

  test('a page of a wallet’s history reads no more transactions than it shows', async () => {
    reads = 0
    assert.equal((await page(2, '#u9:0')).length, 2)
    assert.equal(reads, 4) // With the one of the last entry, and the one without entries.
  })

  test('a page of a wallet’s history is empty after an unknown entry', async () => {
    for (const id of ['#other:0', '#u9:7', 'nonsense']) assert.deepEqual(await page(3, id), [])
  })
})
