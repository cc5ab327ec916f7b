import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerProblem } from '../../../test/fixtures/splice/answer-check.ts'
import type { LocalNetwork } from '../founding/founding.ts'
import { createDsoReads } from '../ledger/dso-reads.ts'
import type { Contract, Json, Participant } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { type RouteContext, RouteRefusal } from '../serving/route.ts'
import { registryRoutes } from './registry-routes.ts'

const nowMs = Date.parse('2030-01-01T00:10:00Z')
const before = '2030-01-01T00:00:00Z'
const later = '2030-01-01T00:20:00Z'

/** A DSO whose participant has these contracts. */
function contextOf(extra: Readonly<Record<string, readonly object[]>> = {}): RouteContext {
  const round = (number: number, opensAt: string) => ({ round: { number: String(number) }, opensAt })
  const payloads: Readonly<Record<string, readonly object[]>> = {
    [templates.amuletRules]: [{ dso: 'DSO' }],
    [templates.externalPartyAmuletRules]: [{ dso: 'DSO' }],
    [templates.openMiningRound]: [round(4, before), round(5, before), round(6, later)],
    [templates.externalPartyConfigState]: [{ targetArchiveAfter: before }, { targetArchiveAfter: later }],
    ...extra,
  }
  const participant = {
    end: async () => 1,
    contracts: async (template: string): Promise<Contract[]> =>
      (payloads[template] ?? []).map((payload, index) => {
        const [, , name] = template.split(':')
        return {
          contractId: `${name}-${index}`,
          templateId: template.replace('#', 'id-'),
          packageName: 'splice-amulet',
          payload,
          blob: 'AAAA',
          createdAt: before,
          synchronizerId: 'global-domain::1220',
        }
      }),
  } as unknown as Participant
  const network = { dso: 'DSO' } as unknown as LocalNetwork
  return { network, dso: createDsoReads(participant, 'DSO', true), now: async () => nowMs }
}

async function ask(
  line: string,
  context: RouteContext,
  body: Json = {},
  params: Readonly<Record<string, string>> = {},
) {
  const [method, path] = line.split(' ')
  const route = registryRoutes.find((one) => one.method === method && one.path === path)
  assert.ok(route, line)
  assert.equal(route.access, 'anyone')
  const answer = await route.answer(context, { params, query: new URLSearchParams(), body, user: undefined })
  assert.equal(answerProblem(method!, route.path, 200, answer), undefined)
  return answer
}

const idsIn = (context: Json) => context.disclosedContracts.map(({ contractId }: Json) => contractId)
const factoryLine = 'POST /registry/transfer-instruction/v1/transfer-factory'

const transferOf = (sender: unknown, receiver: unknown) => ({
  choiceArguments: {
    ...{ expectedAdmin: 'DSO', actors: ['alice'], extraArgs: { context: { values: {} }, meta: { values: {} } } },
    transfer: {
      ...{ sender, receiver, amount: '1.0', instrumentId: { admin: 'DSO', id: 'Amulet' } },
      ...{ requestedAt: before, executeBefore: later, inputHoldingCids: [], meta: { values: {} } },
    },
  },
})
const accountOf = (owner: string | null) => ({ owner, provider: null, id: '' })

describe('the transfer factory', () => {
  test('the transfer factory offers a transfer with the newest open round, and discloses what the sender does not see', async () => {
    const answer = await ask(factoryLine, contextOf(), transferOf('alice', 'bob'))
    assert.deepEqual([answer.factoryId, answer.transferKind], ['ExternalPartyAmuletRules-0', 'offer'])
    assert.deepEqual(answer.choiceContext.choiceContextData.values, {
      'amulet-rules': { tag: 'AV_ContractId', value: 'AmuletRules-0' },
      'open-round': { tag: 'AV_ContractId', value: 'OpenMiningRound-1' },
      'external-party-config-state': { tag: 'AV_ContractId', value: 'ExternalPartyConfigState-1' },
    })
    assert.deepEqual(idsIn(answer.choiceContext), [
      'AmuletRules-0',
      'OpenMiningRound-1',
      'ExternalPartyConfigState-1',
      'ExternalPartyAmuletRules-0',
    ])
    const [rules] = answer.choiceContext.disclosedContracts
    assert.deepEqual([rules.debugPackageName, rules.debugPayload], ['splice-amulet', { dso: 'DSO' }])
  })

  test('the transfer factory transfers directly to a receiver that has approved, with the right of its provider', async () => {
    const context = contextOf({
      [templates.transferPreapproval]: [{ receiver: 'carol' }, { receiver: 'bob', provider: 'host' }],
      [templates.featuredAppRight]: [{ provider: 'host' }],
    })
    const answer = await ask(factoryLine, context, { ...transferOf('alice', 'bob'), excludeDebugFields: true })
    assert.equal(answer.transferKind, 'direct')
    const { values } = answer.choiceContext.choiceContextData
    assert.equal(values['transfer-preapproval'].value, 'TransferPreapproval-1')
    assert.equal(values['featured-app-right'].value, 'FeaturedAppRight-0')
    assert.ok(!('debugPayload' in answer.choiceContext.disclosedContracts[0]))
    assert.equal((await ask(factoryLine, context, transferOf('bob', 'bob'))).transferKind, 'self')
  })

  test('the transfer factory of version 2 takes the owners of accounts', async () => {
    const line = factoryLine.replace('v1', 'v2')
    const answer = await ask(line, contextOf(), transferOf(accountOf('alice'), accountOf('bob')))
    assert.equal(answer.transferKind, 'offer')
    const refused: readonly [body: Json, words: RegExp][] = [
      [transferOf('alice', 'bob'), /valid `TransferFactory_Transfer`/],
      [transferOf(accountOf('alice'), accountOf(null)), /no owner/],
    ]
    for (const [body, words] of refused) {
      await assert.rejects(ask(line, contextOf(), body), isRefused(400, words))
    }
  })

  const whole = transferOf('alice', 'bob').choiceArguments
  const malformed: readonly [what: string, choiceArguments: Json][] = [
    ['no admin', { ...whole, expectedAdmin: undefined }],
    ['no extra arguments', { ...whole, extraArgs: undefined }],
    ['no time', { ...whole, transfer: { ...whole.transfer, executeBefore: 'soon' } }],
    ['an amount that is no number', { ...whole, transfer: { ...whole.transfer, amount: '1,0' } }],
    ['an instrument without its admin', { ...whole, transfer: { ...whole.transfer, instrumentId: { id: 'Amulet' } } }],
    ['a holding that is no contract id', { ...whole, transfer: { ...whole.transfer, inputHoldingCids: [1] } }],
    ['no metadata', { ...whole, transfer: { ...whole.transfer, meta: {} } }],
  ]
  for (const [what, choiceArguments] of malformed) {
    test(`the transfer factory refuses ${what}`, async () => {
      const asked = ask(factoryLine, contextOf(), { choiceArguments })
      await assert.rejects(asked, isRefused(400, /valid `TransferFactory_Transfer`/))
    })
  }

  test('the transfer factory refuses a request without a transfer, and a network without an open round', async () => {
    await assert.rejects(ask(factoryLine, contextOf()), isRefused(400, /valid `TransferFactory_Transfer`/))
    const closed = contextOf({ [templates.openMiningRound]: [] })
    await assert.rejects(
      ask(factoryLine, closed, transferOf('a', 'b')),
      isRefused(404, /^No open usable OpenMiningRound found\.$/),
    )
  })
})

describe('the choices of a transfer that waits', () => {
  const instruction = { lockedAmulet: 'LockedAmulet-0', transfer: { executeBefore: later } }
  const waiting = { [templates.amuletTransferInstruction]: [instruction] }
  const line = (choice: string) =>
    `POST /registry/transfer-instruction/v1/{transferInstructionId}/choice-contexts/${choice}`
  const params = { transferInstructionId: 'AmuletTransferInstruction-0' }

  test('choices of a waiting transfer get the locked Amulet while it is there', async () => {
    const context = contextOf({ ...waiting, [templates.lockedAmulet]: [{}] })
    for (const choice of ['accept', 'reject', 'withdraw']) {
      const answer = await ask(line(choice), context, {}, params)
      assert.deepEqual(answer.choiceContextData.values['expire-lock'], { tag: 'AV_Bool', value: true })
      assert.ok(idsIn(answer).includes('LockedAmulet-0'))
    }
  })

  test('choices of a waiting transfer need no locked Amulet, except acceptance', async () => {
    const context = contextOf(waiting)
    for (const choice of ['reject', 'withdraw']) {
      assert.deepEqual(await ask(line(choice), context, {}, params), {
        choiceContextData: { values: { 'expire-lock': { tag: 'AV_Bool', value: false } } },
        disclosedContracts: [],
      })
    }
    await assert.rejects(ask(line('accept'), context, {}, params), isRefused(404, /^LockedAmulet .* not found/))
  })

  test('an archived transfer instruction has no choices', async () => {
    const words = /^AmuletTransferInstruction 'AmuletTransferInstruction-0' not found\.$/
    await assert.rejects(ask(line('accept'), contextOf(), {}, params), isRefused(404, words))
  })
})

describe('allocations', () => {
  test('allocations are executed with the right of a featured executor', async () => {
    const settlement = { settleBefore: later, executor: 'venue' }
    const context = contextOf({
      [templates.amuletAllocation]: [{ lockedAmulet: 'LockedAmulet-0', allocation: { settlement } }],
      [templates.lockedAmulet]: [{}],
      [templates.featuredAppRight]: [{ provider: 'venue' }],
    })
    const line = 'POST /registry/allocations/v1/{allocationId}/choice-contexts/'
    const executed = await ask(`${line}execute-transfer`, context, {}, { allocationId: 'AmuletAllocation-0' })
    assert.equal(executed.choiceContextData.values['featured-app-right'].value, 'FeaturedAppRight-0')
    const cancelled = await ask(`${line}cancel`, context, {}, { allocationId: 'AmuletAllocation-0' })
    assert.equal(cancelled.choiceContextData.values['featured-app-right'], undefined)
    await assert.rejects(
      ask(`${line}withdraw`, context, {}, { allocationId: 'x' }),
      isRefused(404, /^AmuletAllocation 'x' not found\.$/),
    )
  })

  test('allocations have a factory, and Amulet has no instructions of them', async () => {
    const { factoryId } = await ask('POST /registry/allocation-instruction/v1/allocation-factory', contextOf())
    assert.equal(factoryId, 'ExternalPartyAmuletRules-0')
    const line = 'POST /registry/allocation-instruction/v2/{allocationInstructionId}/choice-contexts/accept'
    await assert.rejects(ask(line, contextOf()), isRefused(400, /amulet does not create allocation instructions/))
  })
})

test('the registry has one instrument, whose supply is what there is', async () => {
  const amount = (initialAmount: string) => ({ initialAmount })
  const context = contextOf({
    [templates.amulet]: [{ amount: amount('1.5') }, { amount: amount('2.0000000001') }],
    [templates.lockedAmulet]: [{ amulet: { amount: amount('10.0') } }],
  })
  const line = 'GET /registry/metadata/v1/instruments'
  const [instrument] = (await ask(line, context)).instruments
  assert.deepEqual([instrument.id, instrument.decimals, instrument.totalSupply], ['Amulet', 10, '13.5000000001'])
  await assert.rejects(
    ask(`${line}/{instrumentId}`, context, {}, { instrumentId: 'EUR' }),
    isRefused(404, /^No instrument with id EUR found$/),
  )
})

function isRefused(status: number, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof RouteRefusal)
    assert.equal(error.status, status)
    assert.match(error.message, message)
    return true
  }
}
