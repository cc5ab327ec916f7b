// What participants send over WebSockets: all along, to those who follow them from the beginning, and afterwards.
import assert from 'node:assert/strict'
import { filtersFor, type Json } from '../../fixtures/ledger.ts'
import { openSocket, type TestSocket } from '../../fixtures/websocket.ts'
import { briefOf } from './brief.ts'
import { isHosted, type Reader, stateAfter } from './model.ts'
import { everythingFor, expectedUpdates, formatFor, type Scene, updateIn, type View, viewOf } from './view.ts'

export type Followers = AsyncDisposable & {
  /** When every participant has been given everything. */
  check(): Promise<void>
}

/** A client of each participant follows all updates, another those of one party, and a third one the completions. */
export async function followAll(scene: Scene): Promise<Followers> {
  await using owned = new AsyncDisposableStack()
  const following: (() => Promise<void>)[] = []
  for (const [index, at] of [scene.network.v1, scene.network.v2, scene.network.v3].entries()) {
    const participant = index + 1
    const beginExclusive = scene.begins[index]!
    const parties = scene.world.parties.map(({ id }) => id)
    for (const reader of [undefined, parties[(participant * 2) % parties.length]]) {
      const request = { beginExclusive, updateFormat: everythingFor(reader, 'LEDGER_EFFECTS') }
      const socket = owned.use(await openSocket(`${at.url}/v2/updates`, { request }))
      following.push(async () => checkFollowed(await viewOf(scene, participant), reader, socket))
    }
    const request = { userId: 'u', parties, beginExclusive }
    const completions = owned.use(await openSocket(`${at.url}/v2/commands/completions`, { request }))
    following.push(async () => checkCompletions(await viewOf(scene, participant), completions))
  }
  const sockets = owned.move()
  return {
    async check() {
      for (const checkOne of following) await checkOne()
    },
    [Symbol.asyncDispose]: () => sockets.disposeAsync(),
  }
}

async function checkFollowed(view: View, reader: Reader, socket: TestSocket): Promise<void> {
  const expected = expectedUpdates(view, reader, 'LEDGER_EFFECTS')
  const found = await firstOf(view, socket, expected.length, ({ update }) => updateIn(update))
  assert.deepEqual(
    found.map(({ updateId, events }) => `${updateId} ${briefOf(events, view.world)}`),
    expected.map(({ update, text }) => `${update.id} ${text}`),
    `followed at ${view.at.name} for ${reader}`,
  )
}

async function checkCompletions(view: View, socket: TestSocket): Promise<void> {
  const own = view.updates.filter((update) => update.participant === view.participant)
  const found = await firstOf(view, socket, own.length, (one) => one.completionResponse.Completion?.value)
  assert.deepEqual(
    found.map(({ commandId, updateId }) => [commandId, updateId]),
    own.map(({ commandId, id }) => [commandId, id]),
    `completions followed at ${view.at.name}`,
  )
}

/** As many of the messages that mean something as are expected. */
async function firstOf(
  view: View,
  socket: TestSocket,
  count: number,
  meaningOf: (message: Json) => Json | undefined,
): Promise<Json[]> {
  const found: Json[] = []
  while (found.length < count) {
    const message = await socket.next()
    assert.ok(message !== undefined, `${view.at.name} ended the stream`)
    view.watch('a stream', JSON.stringify(message))
    const meaning = meaningOf(message)
    if (meaning !== undefined) found.push(meaning)
  }
  return found
}

/** Streams that end, in the formats of today and in older ones. */
export async function checkStreams(view: View, reader: string): Promise<void> {
  const { world, participant, begin, end, updates } = view
  const range = { beginExclusive: begin, endInclusive: end }
  const [flat, tree] = [filtersFor([reader]), { filtersByParty: { [reader]: {} } }]
  const requests = [
    ['/v2/updates', { ...range, updateFormat: everythingFor(reader, 'ACS_DELTA') }, 'ACS_DELTA'],
    ['/v2/updates/flats', { ...range, filter: flat, verbose: false }, 'ACS_DELTA'],
    ['/v2/updates/trees', { ...range, filter: tree, verbose: false }, 'LEDGER_EFFECTS'],
  ] as const
  for (const [path, request, shape] of requests) {
    const found = (await sent(view, path, request)).flatMap(({ update }) => idIn(update) ?? [])
    const expected = expectedUpdates(view, reader, shape).map(({ update }) => update.id)
    assert.deepEqual(found, expected, `${path} streamed at ${view.at.name} for ${reader}`)
  }
  const active = await sent(view, '/v2/state/active-contracts', { activeAtOffset: end, eventFormat: formatFor(reader) })
  const ids = JSON.stringify(active)
  for (const contract of world.contracts) {
    const state = stateAfter(updates, contract)
    if (state === 'torn') continue
    const isKnown = isHosted(world, participant, contract.stakeholders) && state !== 'gone' && state !== 'unknown'
    const isActive = isKnown && contract.stakeholders.includes(reader)
    assert.equal(
      ids.includes(`"contractId":"${contract.id}"`),
      isActive,
      `${contract.note} streamed at ${view.at.name}`,
    )
  }
}

/** Of a transaction, a tree or a reassignment. */
const idIn = (update: Json): string | undefined => {
  const [[kind, { value }]] = Object.entries(update) as [[string, Json]]
  return kind === 'TopologyTransaction' ? undefined : value.updateId
}

/** All messages of a stream that ends. */
async function sent(view: View, path: string, request: object): Promise<Json[]> {
  await using socket = await openSocket(`${view.at.url}${path}`, { request })
  const messages = await socket.rest()
  view.watch(path, JSON.stringify(messages))
  for (const message of messages) assert.ok(message.code === undefined, `${path}: ${JSON.stringify(message)}`)
  return messages
}
