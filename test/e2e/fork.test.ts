// A node that begins as a fork of another participant: the same contracts, field by field, and a life of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { trustCertificates } from '../../src/cli/trusted-certificates.ts'
import { startNode } from '../../src/node/node.ts'
import { createIdentity } from '../fixtures/certificate.ts'
import { call } from '../fixtures/command.ts'
import {
  archiveIou,
  createTarget,
  effectsDar,
  holdingType,
  interfaceFilter,
  type Json,
  keys,
  keysDar,
  move,
  right,
  startTestLedger,
  type TestLedger,
} from '../fixtures/ledger.ts'
import { type StoreKind, startTestNode, stores, type TestNode, testSettings } from '../fixtures/node.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { illTypedPackage } from '../support/engine/ill-typed-package.ts'

const withBlobs = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }

type Wanted = { readonly parties?: readonly string[]; readonly filter?: object; readonly token?: string }

async function activeIn(node: TestNode, { parties, filter = withBlobs, token }: Wanted = {}): Promise<Json[]> {
  const { offset } = (await node.call('GET', '/v2/state/ledger-end')).json
  const cumulative = { cumulative: [filter] }
  const eventFormat =
    parties === undefined
      ? { filtersForAnyParty: cumulative, filtersByParty: {}, verbose: true }
      : { filtersByParty: Object.fromEntries(parties.map((party) => [party, cumulative])), verbose: true }
  const body = { activeAtOffset: offset, eventFormat }
  const answer = await node.call('POST', '/v2/state/active-contracts', { body, ...(token && { token }) })
  assert.equal(answer.status, 200, answer.text)
  const idOf = ({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent.contractId
  return answer.json
    .map(({ workflowId, contractEntry }: Json) => ({ workflowId, contractEntry }))
    .toSorted((a: Json, b: Json) => (idOf(a) < idOf(b) ? -1 : 1))
}

function forkOf(original: TestLedger, store: StoreKind, fork: { readonly token: string }): Promise<TestNode> {
  return startTestNode({
    store,
    settings: { auth: { mode: 'off', userId: 'participant_admin' }, fork: { url: original.node.url, ...fork } },
  })
}

for (const store of stores) {
  describe(`a fork on ${store}`, () => {
    let original: TestLedger
    let token: string
    let fork: TestNode
    let moved: string
    before(async () => {
      original = await startTestLedger({
        settings: {
          dars: [effectsDar, keysDar],
          lenient: true,
          synchronizers: [
            { alias: 'first', priority: 1 },
            { alias: 'second', priority: 0 },
          ],
        },
      })
      const { alice, bob } = original
      const kept: string[] = []
      for (const amount of ['1.0', '2.5', '3.0']) {
        kept.push((await original.submit([original.createIou({ amount })])).contractId)
      }
      await original.submit([archiveIou(kept[0]!)])
      moved = kept[2]!
      await move(original, moved, true)
      await original.submit([
        createTarget([alice], { observers: [bob], note: 'two "signatories" – and an 8-bit dash' }),
      ])
      const key = { maintainers: [alice], name: 'k', maintainersFault: 'Fine' }
      const keyed = { signatories: [alice], observers: [bob], key, keyFault: 'Fine', note: 'n' }
      await original.submit([{ CreateCommand: { templateId: `${keys}:Keys:Keyed`, createArguments: keyed } }])
      token = await original.userWith('reader', right('ParticipantAdmin'), right('CanReadAsAnyParty'))
      fork = await forkOf(original, store, { token })
    })
    after(async () => {
      await fork?.[Symbol.asyncDispose]()
      await original[Symbol.asyncDispose]()
    })

    test('has the contracts of the original, field by field, at its offset', async () => {
      const { offset } = (await fork.call('GET', '/v2/state/ledger-end')).json
      assert.equal(offset, await original.end())
      const contracts = await activeIn(fork)
      assert.equal(contracts.length, 4)
      const same = async (wanted: Wanted) =>
        assert.deepEqual(await activeIn(fork, wanted), await activeIn(original.node, { ...wanted, token }))
      await same({})
      for (const party of [original.alice, original.bob]) await same({ parties: [party] })
      await same({ filter: interfaceFilter(holdingType, true, true) })
    })

    test('has its packages, what is vetted, its parties and its synchronizers', async () => {
      for (const path of ['/v2/packages', '/v2/state/connected-synchronizers']) {
        const [ours, theirs] = [await fork.call('GET', path), await original.node.call('GET', path)]
        const sorted = (json: Json) => (json.packageIds === undefined ? json : json.packageIds.toSorted())
        assert.deepEqual(sorted(ours.json), sorted(theirs.json))
      }
      const parties = async (node: TestNode) =>
        (await node.call('GET', '/v2/parties?pageSize=1000')).json.partyDetails.map(({ party }: Json) => party)
      const own = (await fork.call('GET', '/v2/parties/participant-id')).json.participantId
      assert.deepEqual(
        (await parties(fork)).filter((party: string) => party !== own),
        await parties(original.node),
      )
    })

    test('goes on alone: commands use the contracts of the original, which hears nothing of it', async () => {
      await using own = await forkOf(original, store, { token })
      const before = await original.end()
      const { alice, bank } = original
      const events = (await activeIn(own)).map(({ contractEntry }) => contractEntry.JsActiveContract.createdEvent)
      const { contractId } = events.find(({ templateId }) => templateId.endsWith(':Iou:Iou'))
      const { contractKey } = events.find(({ templateId }) => templateId.endsWith(':Keys:Keyed'))
      const byKey = { templateId: `${keys}:Keys:Keyed`, contractKey, choice: 'Archive', choiceArgument: {} }
      for (const [index, command] of [archiveIou(contractId), { ExerciseByKeyCommand: byKey }].entries()) {
        const commandId = `command ${index}`
        const body = { commands: [command], commandId, actAs: [bank, alice], userId: 'u' }
        const answer = await own.call('POST', '/v2/commands/submit-and-wait', { body })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.json.completionOffset, before + 1 + index)
      }
      await own.restart()
      assert.equal((await activeIn(own)).length, events.length - 2)
      assert.equal(await original.end(), before)
    })

    test('shows a contract that was moved before it, and exercises its choices', async () => {
      const here = async (...words: string[]) => (await call([...words, '--url', fork.url])).output
      const shown = await here('contract', moved)
      assert.match(shown, /\nstate +active\n\nfields\n(?: .*\n)* {2}amount +3\.0/)
      assert.doesNotMatch(shown, /^history/m)
      const tried = JSON.parse(await here('exercise', moved, 'Iou_Split', 'amount=1', '--dry-run'))
      assert.equal(tried.nodes.length, 3)
    })

    test('answers about updates before it as a ledger that is pruned', async () => {
      const answer = await fork.call('POST', '/v2/updates', {
        body: {
          beginExclusive: 0,
          updateFormat: {
            includeTransactions: {
              eventFormat: { filtersByParty: {}, filtersForAnyParty: { cumulative: [] } },
              transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
            },
          },
        },
      })
      assert.equal(answer.json.code, 'PARTICIPANT_PRUNED_DATA_ACCESSED', answer.text)
    })
  })
}

describe('a fork is refused, with one line,', () => {
  let original: TestLedger
  let reader: string
  before(async () => {
    original = await startTestLedger()
    reader = await original.userWith('reader', right('CanReadAsAnyParty'))
    await original.submit([original.createIou()])
  })
  after(() => original[Symbol.asyncDispose]())

  const refused = async (fork: object, line: RegExp) => {
    const settings = { auth: { mode: 'off' as const }, fork: { url: original.node.url, token: reader, ...fork } }
    await assert.rejects(startTestNode({ settings }), { message: line })
  }

  test('at an offset after the end', async () => {
    const end = await original.end()
    await refused({ at: end + 1 }, new RegExp(`ends at offset ${end}; it cannot be forked at ${end + 1}$`))
  })

  test('at an offset that was pruned', async () => {
    await using own = await startTestLedger()
    for (let index = 0; index < 2; index += 1) await own.submit([own.createIou()])
    const end = await own.end()
    const pruned = await own.node.call('POST', '/v2/pruning', { body: { pruneUpTo: end - 1 } })
    assert.equal(pruned.status, 200, pruned.text)
    const line = new RegExp(`is pruned up to offset ${end - 1}; it can be forked there or later, not at ${end - 2}$`)
    await refused({ url: own.node.url, token: own.token, at: end - 2 }, line)
  })

  test('with a package that is not accepted here', async () => {
    await using own = await startTestLedger({ isCheckingPackages: false })
    const { templateId, dar } = illTypedPackage('invalid', ({ write, types }) => ({
      returns: types.int,
      body: write.pure(types.int, write.text('one')),
    }))
    const uploaded = await own.node.call('POST', '/v2/dars', { body: dar })
    assert.equal(uploaded.status, 200, uploaded.text)
    const [id] = templateId.split(':')
    const line = new RegExp(`^cannot upload package ${id} of participant::.*: Package validation failed`)
    await refused({ url: own.node.url, token: own.token }, line)
  })

  test('of a party that the participant does not host', () =>
    refused({ parties: ['nobody::1220aa'] }, /^party nobody::1220aa is not hosted by the participant at http/))

  test('with a token that may read as no party', async () => {
    const token = await original.userWith('nobody')
    await refused({ token }, /^user nobody of the token may read as no party; grant it CanReadAsAnyParty/)
  })

  test('with a token that is not accepted', () => refused({ token: 'x.y.z' }, /^cannot fork http.*: /))

  test('where nobody answers', () => refused({ url: 'http://127.0.0.1:1' }, /^cannot fork http.*: cannot reach/))

  test('behind a certificate that is not trusted; it is made when it is', async () => {
    using folder = temporaryFolder()
    const tls = createIdentity(folder.path, 'own', '127.0.0.1')
    const settings = { http: { tls }, auth: { mode: 'off' as const } }
    await using behind = await startTestNode({ settings })
    await refused(
      { url: behind.url },
      /^the certificate of https:.* is not trusted: self-signed.*; name the file of its authority in NODE_EXTRA_CA_CERTS/,
    )
    trustCertificates(tls.certificateFile) // As the variable does.
    const { party } = (await behind.call('POST', '/v2/parties', { body: { partyIdHint: 'behind' } })).json.partyDetails
    await using fork = await startTestNode({ settings: { auth: settings.auth, fork: { url: behind.url } } })
    assert.equal((await fork.call('GET', `/v2/parties/${encodeURIComponent(party)}`)).json.partyDetails[0].party, party)
    assert.deepEqual(await activeIn(fork), [])
  })

  test('at an address of gRPC', () => refused({ url: 'grpc://127.0.0.1:1' }, /JSON Ledger API/))

  test('into a ledger that has updates of its own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-fork-'))
    try {
      const settings = testSettings({
        store: { kind: 'sqlite', data: folder },
        auth: { mode: 'off' },
        http: { port: 0 },
        grpc: { port: 'off' },
        log: { level: 'silent' },
      })
      {
        await using node = await startNode(settings)
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ partyIdHint: 'own' })
        const answer = await fetch(`${node.url}/v2/parties`, { method: 'POST', headers, body })
        assert.equal(answer.status, 200)
      }
      const fork = { url: original.node.url, token: reader, parties: [], follow: false }
      const line = 'the ledger is no fork and has updates: fork into a new one (--data DIR, or --memory)'
      await assert.rejects(startNode({ ...settings, fork }), { message: line })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('by a node that is not for development', () => {
    const settings = { auth: { mode: 'off' as const }, development: false, fork: { url: original.node.url } }
    return assert.rejects(startTestNode({ settings }), /only a development node can be one$/)
  })
})

test('a fork that was cut off is not served, and goes on where it stopped', async () => {
  const limits = { listElementsMax: 1_000 }
  await using original = await startTestLedger({ settings: { limits } })
  const reader = await original.userWith('reader', right('CanReadAsAnyParty'))
  const contracts = 700
  await original.submit(Array.from({ length: contracts }, () => original.createIou()))
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-fork-'))
  const settings = testSettings({
    store: { kind: 'sqlite', data: folder },
    auth: { mode: 'off' },
    http: { port: 0 },
    grpc: { port: 'off' },
    log: { level: 'silent' },
    limits,
  })
  try {
    const sent = JSON.stringify(await activeIn(original.node, { token: reader })).length
    await using cut = await cutAfter(sent * 0.85, original.node.url)
    const fork = { token: reader, parties: [], follow: false }
    await assert.rejects(startNode({ ...settings, fork: { url: cut.url, ...fork } }), /cannot fork .* ended the stream/)
    await assert.rejects(startNode(settings), /is an unfinished fork of participant::.*, with 500 contracts so far/)
    await original.submit([original.createIou()]) // After the offset of the fork.
    await using node = await startNode({ ...settings, fork: { url: original.node.url, ...fork } })
    const { offset } = (await (await fetch(`${node.url}/v2/state/ledger-end`)).json()) as Json
    assert.equal(offset, (await original.end()) - 1)
    const eventFormat = { filtersForAnyParty: { cumulative: [] }, filtersByParty: {} }
    const answer = await fetch(`${node.url}/v2/state/active-contracts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ activeAtOffset: offset, eventFormat }),
    })
    const ids = ((await answer.json()) as Json[]).map(
      (one: Json) => one.contractEntry.JsActiveContract.createdEvent.contractId,
    )
    assert.equal(new Set(ids).size, contracts)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Passes connections on, and breaks the one that has brought this many bytes. */
async function cutAfter(bytes: number, url: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    let passed = 0
    upstream.on('data', (chunk) => {
      passed += chunk.length
      if (passed <= bytes) client.write(chunk)
      else {
        client.destroy()
        upstream.destroy()
      }
    })
    client.pipe(upstream)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    upstream.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
