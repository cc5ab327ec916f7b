// Changes of the topology over HTTP, as lists, lines, pages and WebSockets, on both databases: parties that are allocated
// take an offset, and appear where they are asked for.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { timestampFromText } from '../../src/lf/codec/time-text.ts'
import { type Json, right, startTestLedger, type TestLedger, updateFormat } from '../fixtures/ledger.ts'
import { refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { createOnboardingClient } from '../fixtures/onboarding.ts'
import { createSigner } from '../fixtures/signer.ts'
import { openSocket } from '../fixtures/websocket.ts'

const oneSynchronizer = { synchronizers: [{ alias: 'global', priority: 0 }] }

const includeTopology = (...parties: string[]) => ({
  includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
})

async function allocate(node: TestNode, body: object, headers: Record<string, string> = {}): Promise<string> {
  const answer = await node.call('POST', '/v2/parties', { body, headers })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.partyDetails.party
}

const endOf = async (node: TestNode): Promise<number> => (await node.call('GET', '/v2/state/ledger-end')).json.offset

/** All changes of the topology, as the administrator's user that reads everything sees them. */
async function topologyOf(node: TestNode, token?: string): Promise<Json[]> {
  const body = { beginExclusive: 0, endInclusive: await endOf(node), updateFormat: includeTopology() }
  const answer = await node.call('POST', '/v2/updates', { body, ...(token && { token }) })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.map(({ update }: Json) => update.TopologyTransaction.value)
}

const added = (partyId: string, participantId: string, permission: 'SUBMISSION' | 'CONFIRMATION' = 'SUBMISSION') => ({
  event: {
    ParticipantAuthorizationAdded: {
      value: { partyId, participantId, participantPermission: `PARTICIPANT_PERMISSION_${permission}` },
    },
  },
})

for (const store of stores) {
  describe(`an allocated party on ${store}`, () => {
    let node: TestNode
    let reader: string
    let participantId: string
    before(async () => {
      node = await startTestNode({ store, settings: oneSynchronizer })
      participantId = node.node.participantId
      await node.call('POST', '/v2/users', { body: { user: { id: 'reader' }, rights: [right('CanReadAsAnyParty')] } })
      reader = await node.token('reader')
    })
    after(() => node[Symbol.asyncDispose]())

    test('takes one offset and is among the updates when it is answered', async () => {
      const begin = await endOf(node)
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const party = await allocate(node, { partyIdHint: 'one' }, { traceparent })
      const offset = await endOf(node)
      assert.equal(offset, begin + 1)
      const { json: connected } = await node.call('GET', '/v2/state/connected-synchronizers')
      const update = (await topologyOf(node, reader)).at(-1)
      const { updateId, recordTime, traceContext, ...rest } = update
      assert.match(updateId, /^1220[0-9a-f]{64}$/)
      assert.match(recordTime, /^20\d\d-.*Z$/)
      assert.match(traceContext.traceparent, /^00-0af7651916cd43dd8448eb211c80319c-/)
      assert.deepEqual(rest, {
        offset,
        synchronizerId: connected.connectedSynchronizers[0].synchronizerId,
        events: [added(party, participantId)],
      })
      assert.deepEqual(Object.keys(update), [
        ...['updateId', 'offset', 'synchronizerId', 'recordTime', 'events', 'traceContext'],
      ])
    })

    test('that is refused takes no offset', async () => {
      await allocate(node, { partyIdHint: 'twice' })
      const begin = await endOf(node)
      const refused: object[] = [
        { partyIdHint: 'twice' },
        { partyIdHint: 'a%' },
        { partyIdHint: 'three', userId: 'nobody' },
        { partyIdHint: 'three', identityProviderId: 'nobody' },
        { partyIdHint: 'three', synchronizerId: `other::1220${'0'.repeat(64)}` },
      ]
      for (const body of refused) assert.notEqual((await node.call('POST', '/v2/parties', { body })).status, 200)
      assert.equal(await endOf(node), begin)
    })

    test('is there once when many ask for it at once', async () => {
      const begin = await endOf(node)
      const asked = Array.from({ length: 8 }, () => node.call('POST', '/v2/parties', { body: { partyIdHint: 'race' } }))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      assert.deepEqual(statuses.sort(), [200, ...Array.from({ length: 7 }, () => 400)])
      assert.equal(await endOf(node), begin + 1)
    })

    test('with its own keys is confirmed for by the participant, and takes no offset while it is only proposed', async () => {
      const client = await createOnboardingClient(node)
      const signer = createSigner('SIGNING_KEY_SPEC_EC_CURVE25519')
      const begin = await endOf(node)
      const party = `external::${signer.fingerprint}`
      const generated = (await client.generate({ partyHint: 'external', publicKey: signer.publicKey })).json
      const unsigned = generated.topologyTransactions.map((transaction: string) => ({ transaction }))
      await client.allocate({ onboardingTransactions: unsigned, multiHashSignatures: [] })
      assert.equal(await endOf(node), begin)
      assert.equal((await client.onboard(signer, 'external')).status, 200)
      assert.equal(await endOf(node), begin + 1)
      const update = (await topologyOf(node, reader)).at(-1)
      assert.equal(update.offset, begin + 1)
      assert.deepEqual(update.events, [added(party, participantId, 'CONFIRMATION')])
      assert.notEqual((await client.onboard(signer, 'external')).status, 200)
      assert.equal(await endOf(node), begin + 1)
    })

    test('is still there after a restart, and the next one follows', async () => {
      await allocate(node, { partyIdHint: 'before' })
      const before = await topologyOf(node, reader)
      await node.restart()
      assert.deepEqual(await topologyOf(node, reader), before)
      await allocate(node, { partyIdHint: 'after' })
      const now = await topologyOf(node, reader)
      assert.equal(now.length, before.length + 1)
      assert.equal(now.at(-1).offset, before.at(-1).offset + 1)
      assert.equal(new Set(now.map(({ updateId }) => updateId)).size, now.length)
    })
  })
}

describe('parties on two synchronizers', () => {
  test('take an offset on each, and one more when they come to another', async () => {
    await using node = await startTestNode({
      settings: {
        lenient: true,
        synchronizers: [
          { alias: 'global', priority: 1 },
          { alias: 'private', priority: 0 },
        ],
      },
    })
    await node.call('POST', '/v2/users', { body: { user: { id: 'reader' }, rights: [right('CanReadAsAnyParty')] } })
    const token = await node.token('reader')
    const { json } = await node.call('GET', '/v2/state/connected-synchronizers')
    const ids: string[] = json.connectedSynchronizers.map(({ synchronizerId }: Json) => synchronizerId)
    assert.equal(ids.length, 2)
    const both = await allocate(node, { partyIdHint: 'both' })
    const one = await allocate(node, { partyIdHint: 'one', synchronizerId: ids[1] })
    await allocate(node, { partyIdHint: 'one', synchronizerId: ids[0] })
    const found = await topologyOf(node, token)
    const seen = found.map(({ offset, synchronizerId, events }) => {
      return [offset, synchronizerId, events.map((event: Json) => Object.values<Json>(event.event)[0].value.partyId)]
    })
    assert.deepEqual(seen, [
      [1, ids[0], [both]],
      [2, ids[1], [both]],
      [3, ids[1], [one]],
      [4, ids[0], [one]],
    ])
    assert.equal(new Set(found.map(({ updateId }) => updateId)).size, 4)
  })
})

describe('changes of the topology', () => {
  let ledger: TestLedger
  let dora: string
  let offset: number
  let end: number
  before(async () => {
    ledger = await startTestLedger({ settings: { ...oneSynchronizer, compatibility: 'canton-3.5' } })
    await ledger.submit([ledger.createIou()])
    dora = await allocate(ledger.node, { partyIdHint: 'dora' })
    offset = await ledger.end()
    await ledger.submit([ledger.createIou()])
    end = await ledger.end()
  })
  after(() => ledger[Symbol.asyncDispose]())

  const range = (format: object) => ({ beginExclusive: offset - 2, endInclusive: end, updateFormat: format })
  const both = (...parties: string[]) => ({
    ...updateFormat({ filtersByParty: { [ledger.alice]: {} } }),
    ...includeTopology(...parties),
  })
  const kindsOf = (elements: readonly Json[]) =>
    elements.flatMap(({ update }) => {
      const [[kind, { value }]] = Object.entries<Json>(update) as [[string, Json]]
      return kind === 'OffsetCheckpoint' ? [] : [[kind, value.offset]]
    })
  const want = () => [
    ['Transaction', offset - 1],
    ['TopologyTransaction', offset],
    ['Transaction', offset + 1],
  ]

  for (const path of ['/v2/updates', '/v2/updates/flats']) {
    test(`stand between transactions in ${path}`, async () => {
      const asked: [format: object, want: unknown[]][] = [
        [both(dora), want()],
        [both(), want()],
        [both(ledger.bob), [want()[0], want()[2]]],
        [includeTopology(dora), [want()[1]]],
        [updateFormat({ filtersForAnyParty: {} }), [want()[0], want()[2]]],
        [{ includeTopologyEvents: {} }, []],
      ]
      const token = await ledger.userWith(
        `reads${path.length}`,
        ...[right('CanReadAs', dora), right('CanReadAsAnyParty'), right('CanReadAs', ledger.alice)],
      )
      for (const [format, kinds] of asked) {
        const list = await ledger.post(path, range(format), { token })
        assert.deepEqual(kindsOf(list.json), kinds, JSON.stringify(format))
        const lines = await ledger.post(path, range(format), { token, headers: { accept: 'application/x-ndjson' } })
        const parsed = lines.text.split('\n').filter(Boolean)
        assert.deepEqual(kindsOf(parsed.map((line) => JSON.parse(line))), kinds)
        const protocols = [`jwt.token.${token}`, 'daml.ws.auth']
        await using socket = await openSocket(`${ledger.node.url}${path}`, { protocols, request: range(format) })
        assert.deepEqual(kindsOf(await socket.rest()), kinds)
      }
    })
  }

  test('come in pages, in either order', async () => {
    for (const descendingOrder of [false, true]) {
      const found: Json[] = []
      let pageToken: string | undefined
      do {
        const { json } = await ledger.post('/v2/updates/get-updates-page', {
          ...{ beginOffsetExclusive: offset - 2, endOffsetInclusive: end, maxPageSize: 1 },
          ...{ updateFormat: both(), descendingOrder, ...(pageToken && { pageToken }) },
        })
        found.push(...json.updates)
        pageToken = json.nextPageToken
      } while (pageToken)
      assert.deepEqual(kindsOf(found), descendingOrder ? want().toReversed() : want())
    }
  })

  test('are found by offset and by id, and are no transaction', async () => {
    const byOffset = await ledger.post('/v2/updates/update-by-offset', { offset, updateFormat: includeTopology() })
    const { updateId } = byOffset.json.update.TopologyTransaction.value
    const byId = await ledger.post('/v2/updates/update-by-id', { updateId, updateFormat: includeTopology() })
    assert.deepEqual(byId.json, byOffset.json)
    const notFound = [404, 'UPDATE_NOT_FOUND', 'Update not found, or not visible.']
    const everything = updateFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS')
    const { includeTransactions: transactionFormat } = everything
    for (const [path, body] of [
      ['update-by-offset', { offset, updateFormat: everything }],
      ['update-by-offset', { offset, updateFormat: includeTopology(ledger.bob) }],
      ['update-by-id', { updateId, updateFormat: everything }],
      ['transaction-by-offset', { offset, transactionFormat }],
      ['transaction-by-id', { updateId, transactionFormat }],
    ] as const) {
      assert.deepEqual(refusalOf(await ledger.post(`/v2/updates/${path}`, body)), notFound, path)
    }
    for (const path of [`transaction-tree-by-offset/${offset}`, `transaction-tree-by-id/${updateId}`]) {
      const answer = await ledger.node.call('GET', `/v2/updates/${path}?parties=${encodeURIComponent(ledger.alice)}`, {
        token: ledger.token,
      })
      assert.deepEqual(refusalOf(answer), notFound, path)
    }
  })

  test('are left out of trees', async () => {
    const { json } = await ledger.post('/v2/updates/trees', range(both()))
    assert.deepEqual(kindsOf(json), [
      ['TransactionTree', offset - 1],
      ['TransactionTree', offset + 1],
    ])
  })

  test('follow on a WebSocket as parties are allocated', async () => {
    const protocols = [`jwt.token.${ledger.token}`, 'daml.ws.auth']
    const request = { beginExclusive: await ledger.end(), updateFormat: includeTopology() }
    await using socket = await openSocket(`${ledger.node.url}/v2/updates`, { protocols, request })
    for (const partyIdHint of ['erna', 'fritz']) {
      const party = await allocate(ledger.node, { partyIdHint })
      let message = await socket.next()
      while (message.update.OffsetCheckpoint) message = await socket.next()
      const { events } = message.update.TopologyTransaction.value
      assert.equal(events[0].event.ParticipantAuthorizationAdded.value.partyId, party)
    }
  })

  test('need rights: to read as each party, or as any for all', async () => {
    const token = await ledger.userWith('narrow', right('CanReadAs', ledger.alice))
    for (const [parties, isAllowed] of [
      [[ledger.alice], true],
      [[ledger.alice, ledger.bob], false],
      [[], false],
    ] as const) {
      const format = includeTopology(...parties)
      const asked = { beginExclusive: 0, endInclusive: end, updateFormat: format }
      const answers = [
        await ledger.post('/v2/updates', asked, { token }),
        await ledger.post('/v2/updates/get-updates-page', { updateFormat: format }, { token }),
        await ledger.post('/v2/updates/update-by-offset', { offset, updateFormat: format }, { token }),
      ]
      if (!isAllowed) for (const answer of answers) assert.equal(answer.status, 403)
      else
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 404],
        )
    }
  })

  test('do not hold up commands, nor they them: all get offsets without gaps', async () => {
    const begin = await ledger.end()
    const work = Array.from({ length: 24 }, (_, n) =>
      n % 2 === 0 ? ledger.submit([ledger.createIou()]) : allocate(ledger.node, { partyIdHint: `beside-${n}` }),
    )
    await Promise.all(work)
    const now = await ledger.end()
    assert.equal(now, begin + 24)
    const format = { ...updateFormat({ filtersForAnyParty: {} }), ...includeTopology() }
    const { json } = await ledger.post('/v2/updates', {
      beginExclusive: begin,
      endInclusive: now,
      updateFormat: format,
    })
    const found = kindsOf(json) as [string, number][]
    assert.deepEqual(
      found.map(([, at]) => at),
      Array.from({ length: 24 }, (_, n) => begin + n + 1),
    )
    assert.equal(found.filter(([kind]) => kind === 'TopologyTransaction').length, 12)
    const times: number[] = json.map(({ update }: Json) => {
      return timestampFromText(Object.values<Json>(update)[0].value.recordTime)
    })
    assert.ok(
      times.every((time, index) => index === 0 || time > times[index - 1]!),
      `record times of a synchronizer are in order: ${times}`,
    )
  })
})

test('changes of the topology are pruned with the rest', async () => {
  await using ledger = await startTestLedger({ settings: oneSynchronizer })
  const offset = await ledger.end()
  await ledger.submit([ledger.createIou()])
  const last = await ledger.end()
  await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo: last - 1 } })
  const asked = { updateFormat: includeTopology() }
  const early = await ledger.post('/v2/updates', { ...asked, beginExclusive: 0, endInclusive: last })
  assert.equal(early.json.code, 'PARTICIPANT_PRUNED_DATA_ACCESSED')
  const answer = await ledger.post('/v2/updates/update-by-offset', { offset, ...asked })
  assert.equal(answer.status, 404)
})
