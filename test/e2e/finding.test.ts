// What the explorer asks the node to find, over HTTP and on both databases: contracts, updates in short, places and names.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { exercise, iouType, type Json, right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode, stores } from '../fixtures/node.ts'

const everything = { cumulative: [] }
const ofAnybody = { filtersByParty: {}, filtersForAnyParty: everything }
const of = (...parties: string[]) => ({
  filtersByParty: Object.fromEntries(parties.map((party) => [party, everything])),
})
const updatesOf = (eventFormat: object, parties: readonly string[] = []) => ({
  includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
  includeReassignments: eventFormat,
  includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
})

for (const store of stores) {
  describe(`finding, on ${store}`, () => {
    let ledger: TestLedger
    /** Of alice, of bob, one of alice that was split, and a large transaction of alice. */
    const made: Record<string, string> = {}
    let finder: string
    let split: Json
    let large: Json

    before(async () => {
      ledger = await startTestLedger({ store })
      const { alice, bob, bank } = ledger
      finder = await ledger.userWith('finder', right('ParticipantAdmin'), right('CanReadAsAnyParty'))
      made.alice = (
        await ledger.submit([ledger.createIou({ amount: '7' })], { commandId: 'first-of-alice' })
      ).contractId
      const forBob = ledger.createIou({ owner: bob, amount: '900' })
      made.bob = (await ledger.submit([forBob], { actAs: [bank, bob], commandId: 'first-of-bob' })).contractId
      made.gone = (await ledger.submit([ledger.createIou({ amount: '100' })])).contractId
      const splitting = [exercise(iouType, made.gone, 'Iou_Split', { amount: '30' })]
      split = (await ledger.submit(splitting, { commandId: 'splitting' })).transaction
      const many = Array.from({ length: 200 }, (_, index) => ledger.createIou({ amount: String(1000 + index) }))
      large = (await ledger.submit(many, { commandId: 'many', actAs: [bank, alice] })).transaction
    })
    after(() => ledger[Symbol.asyncDispose]())

    const find = async (what: string, body: object, token = finder) => {
      const answer = await ledger.node.call('POST', `/explorer/find/${what}`, { body, token })
      assert.equal(answer.status, 200, answer.text)
      return answer.json
    }
    const createdIn = (page: Json): Json[] =>
      page.activeContracts.map((one: Json) => one.contractEntry.JsActiveContract.createdEvent)

    test('lists contracts newest first as the API has them, with a total', async () => {
      const page = await find('contracts', { eventFormat: ofAnybody, pageSize: 3 })
      assert.deepEqual(page.total, { count: 204, is: 'exact' })
      const oldest = await ledger.node.call('POST', '/v2/state/active-contracts-page', {
        body: { eventFormat: ofAnybody, maxPageSize: 1000 },
        token: finder,
      })
      assert.deepEqual(page.activeContracts, oldest.json.activeContracts.toReversed().slice(0, 3))
      const next = await find('contracts', { eventFormat: ofAnybody, pageSize: 2, pageToken: page.nextPageToken })
      assert.deepEqual(next.activeContracts, oldest.json.activeContracts.toReversed().slice(3, 5))
    })

    test('sorts and filters by fields, numbers by their size', async () => {
      const sortBy = { field: 'amount', descending: false }
      const { activeContracts: _, ...page } = await find('contracts', { eventFormat: ofAnybody, sortBy, pageSize: 4 })
      const rows = await find('contracts', { eventFormat: ofAnybody, sortBy, pageSize: 4 })
      const amounts = createdIn(rows).map(({ createArgument }) => Number(createArgument.amount))
      assert.deepEqual(amounts, [7, 30, 70, 900])
      assert.deepEqual(page.total, { count: 204, is: 'exact' })
      const filters = [{ field: 'amount', test: 'greater', value: '1197' }]
      const large = await find('contracts', { eventFormat: ofAnybody, filters })
      assert.deepEqual(
        createdIn(large).map(({ createArgument }) => Number(createArgument.amount)),
        [1199, 1198],
      )
    })

    test('sums updates up in a few kilobytes, without values', async () => {
      const answer = await ledger.node.call('POST', '/explorer/find/updates', {
        body: { updateFormat: updatesOf(ofAnybody), pageSize: 2 },
        token: finder,
      })
      assert.ok(answer.text.length < 4_000, answer.text)
      const [newest, before] = answer.json.updates
      assert.deepEqual(
        { ...newest, roots: newest.roots.map(({ verb }: Json) => verb), acting: newest.acting.toSorted() },
        {
          ...{ kind: 'transaction', offset: large.offset, updateId: large.updateId, recordTime: large.recordTime },
          ...{ commandId: 'many', synchronizerId: large.synchronizerId, roots: ['create', 'create', 'create'] },
          ...{ hasMoreRoots: true, created: 200, archived: 0, exercised: 0, templates: [iouType] },
          ...{
            acting: [ledger.alice, ledger.bank].sort(),
            parties: [ledger.alice, ledger.bank].sort(),
            partyCount: 2,
            isWhole: true,
          },
        },
      )
      assert.equal(before.commandId, 'splitting')
      assert.deepEqual([before.created, before.archived, before.exercised], [2, 1, 1])
      const [root] = before.roots
      assert.deepEqual([root.verb, root.choice, before.roots.length], ['exercise', 'Iou_Split', 1])
      assert.deepEqual(before.acting, [ledger.alice])
      assert.equal(answer.json.next, split.offset - 1)
    })

    const filters: [title: string, filter: () => object, commands: readonly string[]][] = [
      ['a command id', () => ({ commandId: 'first-of' }), ['first-of-bob', 'first-of-alice']],
      ['a choice', () => ({ choice: 'Iou_Sp' }), ['splitting']],
      ['a party', () => ({ party: ledger.bob, kind: 'transaction' }), ['first-of-bob']],
      ['a time', () => ({ from: split.recordTime, to: split.recordTime }), ['splitting']],
    ]
    for (const [title, filter, commands] of filters) {
      test(`finds updates by ${title}`, async () => {
        const page = await find('updates', { updateFormat: updatesOf(ofAnybody), filter: filter() })
        assert.deepEqual(
          page.updates.map(({ commandId }: Json) => commandId),
          commands,
        )
      })
    }

    test('goes through all updates, in both orders, as the API has them', async () => {
      const all = await ledger.node.call('POST', '/v2/updates/get-updates-page', {
        body: { updateFormat: updatesOf(ofAnybody), maxPageSize: 1000 },
        token: finder,
      })
      const offsets = all.json.updates.map(({ update }: Json) => (Object.values(update)[0] as Json).value.offset)
      for (const oldestFirst of [true, false]) {
        const found: number[] = []
        for (let at: object | undefined = {}; at !== undefined; ) {
          const page: Json = await find('updates', {
            updateFormat: updatesOf(ofAnybody),
            oldestFirst,
            pageSize: 3,
            ...at,
          })
          found.push(...page.updates.map(({ offset }: Json) => offset))
          at = page.next === null ? undefined : oldestFirst ? { after: page.next } : { upTo: page.next }
        }
        assert.deepEqual(found, oldestFirst ? offsets : offsets.toReversed())
      }
    })

    test('finds places by the beginning of an id', async () => {
      const places = async (text: string, more = {}) =>
        (await find('places', { text, eventFormat: ofAnybody, ...more })).places
      assert.deepEqual(await places(String(split.offset)), [{ kind: 'offset', offset: split.offset }])
      const [update] = await places(split.updateId.slice(0, 24))
      assert.deepEqual(update, {
        ...{ kind: 'update', offset: split.offset, updateId: split.updateId, commandId: 'splitting' },
      })
      const [gone] = await places(made.gone!.slice(0, 12))
      assert.deepEqual([gone.kind, gone.contractId, gone.isActive], ['contract', made.gone, false])
      const [whole] = await places(made.alice!)
      assert.deepEqual([whole.contractId, whole.isActive], [made.alice, true])
      const [command] = await places('splitt')
      assert.deepEqual([command.kind, command.commandId], ['command', 'splitting'])
      assert.deepEqual(await places('ALICE::'), [{ kind: 'party', party: ledger.alice }])
      assert.deepEqual(
        (await places('ap')).filter(({ kind }: Json) => kind === 'user'),
        [{ kind: 'user', userId: 'app' }],
      )
      assert.deepEqual(await places('nothing like that'), [])
      const [value] = await places('900', { inValues: true })
      assert.deepEqual([value.kind, value.contractId, value.field], ['value', made.bob, 'amount'])
    })

    test('tells nobody of what they may not see', async () => {
      const { bob, alice } = ledger
      const token = await ledger.userWith('bob-reads', right('CanReadAs', bob))
      const eventFormat = of(bob)
      const contracts = await find('contracts', { eventFormat }, token)
      assert.deepEqual(
        createdIn(contracts).map(({ contractId }) => contractId),
        [made.bob],
      )
      assert.deepEqual(contracts.total, { count: 1, is: 'exact' })
      const updates = await find('updates', { updateFormat: updatesOf(eventFormat, [bob]) }, token)
      assert.deepEqual(
        updates.updates.filter(({ kind }: Json) => kind === 'transaction').map(({ created }: Json) => created),
        [1],
      )
      const texts = [made.alice!, made.gone!.slice(0, 12), split.updateId, large.updateId.slice(0, 24), 'many', alice]
      for (const text of [...texts, 'app', '1001']) {
        const { places } = await find('places', { text, eventFormat, inValues: true }, token)
        assert.deepEqual(
          places.filter(({ kind }: Json) => kind !== 'offset'),
          [],
          text,
        )
      }
      const { places } = await find('places', { text: bob.slice(0, 3), eventFormat }, token)
      assert.deepEqual(places, [{ kind: 'party', party: bob }])
      for (const [what, body] of [
        ['contracts', { eventFormat: ofAnybody }],
        ['contracts', { eventFormat: of(alice) }],
        ['updates', { updateFormat: updatesOf(ofAnybody) }],
        ['updates', { updateFormat: updatesOf(eventFormat, []) }],
        ['places', { text: 'x', eventFormat: of(bob, alice) }],
      ] as const) {
        const answer = await ledger.node.call('POST', `/explorer/find/${what}`, { body, token })
        assert.equal(answer.status, 403, `${what} ${JSON.stringify(body)}`)
      }
    })

    test('names what packages define, once for each set of packages', async () => {
      const ask = (headers = {}) => ledger.node.call('GET', '/explorer/find/names', { headers })
      const { json, headers } = (await ask()) as Json
      const quickstart = json.packages.find(({ name }: Json) => name === 'quickstart')
      assert.ok(quickstart.templates['Iou:Iou'].includes('Iou_Split'))
      assert.equal(quickstart.isLibrary, false)
      assert.equal((await ledger.node.call('GET', '/explorer/find/names', { token: null })).status, 401)
      const answer = await fetch(`${ledger.node.url}/explorer/find/names`, {
        headers: { authorization: `Bearer ${ledger.node.adminToken}` },
      })
      const again = await fetch(answer.url, {
        headers: {
          authorization: `Bearer ${ledger.node.adminToken}`,
          'if-none-match': answer.headers.get('etag')!,
        },
      })
      assert.deepEqual([again.status, headers], [304, undefined])
    })
  })
}

test('finding is there where the explorer is, and looks into fields on development nodes only', async () => {
  const settings = { development: false, auth: { mode: 'off' as const } }
  await using without = await startTestNode({ settings })
  assert.equal((await without.call('POST', '/explorer/find/contracts', { body: {} })).status, 404)
  await using node = await startTestNode({ settings: { ...settings, explorer: true } })
  const body = { eventFormat: ofAnybody }
  assert.equal((await node.call('POST', '/explorer/find/contracts', { body })).status, 200)
  for (const change of [{ text: 'x' }, { sortBy: { field: 'amount' } }]) {
    const refused = await node.call('POST', '/explorer/find/contracts', { body: { ...body, ...change } })
    assert.deepEqual([refused.status, refused.json.code], [400, 'INVALID_ARGUMENT'])
  }
})
