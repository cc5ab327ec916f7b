// Several processes over the participants of one network on PostgreSQL, one of which dies, is slow, or leaves its work to
// another, while commands wait for a participant that is away.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Clock, wallClock } from '../../src/base/clock.ts'
import { exercise, type Json, proposalType } from '../fixtures/ledger.ts'
import { networkSettings, participantOf, startTestNetwork, type TestParticipant } from '../fixtures/network.ts'
import { entriesAt, propose, submitAs } from '../fixtures/network-moves.ts'
import type { Answer } from '../fixtures/node.ts'
import { createTestDatabase, needsPostgres } from '../fixtures/postgres.ts'
import { start } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'

const iouType = '#quickstart:Iou:Iou'
const hourMs = 3_600_000

const startOn = (postgresUrl: string, confirmationMs: number, clock?: Clock) =>
  startTestNetwork({
    ...{ store: 'postgres', postgresUrl, settings: { limits: { confirmationMs, stopWithinMs: 3000 } } },
    ...(clock && { clock }),
  })

/** A process over a new database, its parties, and what they do. */
async function startFirst(confirmationMs: number) {
  await using parts = new AsyncDisposableStack()
  const { url } = parts.use(await createTestDatabase())
  const network = parts.use(await startOn(url, confirmationMs))
  const { v1, v2, s1, s2 } = network
  const alice = await v1.allocate('alice', s1, s2)
  const dave = await v1.allocate('dave', s1, s2)
  const bob = await v2.allocate('bob', s1, s2)
  const owned = parts.move()
  let last = 0
  return {
    ...{ url, v1, v2, s2, alice, dave, bob },
    /** The participant of bob, from the second synchronizer. */
    connect: (isConnected: boolean) =>
      v2.ask(`/v2/synchronizers/synchronizer-2/${isConnected ? 'connect' : 'disconnect'}`, {}),
    /** For the first participant, on the second synchronizer. */
    areWaiting: (count: number) =>
      until(async () => (await v1.ask('/dev/network')).participants[0].synchronizers[1].waiting === count),
    /** Of bob to alice, which both sign. */
    async iou(): Promise<string> {
      const contractId = await propose(v2, bob, alice, s2)
      const { events } = await submitAs(v1, alice, [exercise(proposalType, contractId, 'IouProposal_Accept')])
      return events.find(({ CreatedEvent }: Json) => CreatedEvent !== undefined).CreatedEvent.contractId
    },
    split: (at: TestParticipant, contractId: string): Promise<Answer> =>
      at.post('/v2/commands/submit-and-wait-for-transaction', {
        commands: {
          commands: [exercise(iouType, contractId, 'Iou_Split', { amount: '1.0' })],
          ...{ commandId: `split-${++last}`, userId: 'u', actAs: [alice], synchronizerId: s2 },
        },
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function isSeenAt(at: TestParticipant, updateId: string): Promise<boolean> {
  const eventFormat = { filtersForAnyParty: {} }
  const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  const { status } = await at.post('/v2/updates/update-by-id', { updateId, updateFormat: { includeTransactions } })
  return status === 200
}

describe('processes of a network on PostgreSQL', needsPostgres, () => {
  test('go on without a command whose process was killed while it waited', async () => {
    await using first = await startFirst(2000)
    const { v1, v2, s2, bob, dave, iou, split, connect, areWaiting } = first
    const contractId = await iou()
    const operands = networkSettings.network.participants.map(({ name, synchronizers }) =>
      synchronizers === undefined ? name : `${name}@${synchronizers}`,
    )
    const environment = {
      TALLYSTICK_LIMITS_CONFIRMATION_MS: String(hourMs),
      TALLYSTICK_SYNCHRONIZERS: JSON.stringify(networkSettings.synchronizers),
    }
    const options = ['--postgres', first.url, '--auth', 'off', '--log-level', 'warn']
    await using killed = await start([...operands, ...options], environment, 'network')
    const there = participantOf(() => ({ name: 'sandbox', participantId: v1.participantId, url: killed.url }))
    await connect(false)
    const lost = split(there, contractId).catch(() => undefined)
    await areWaiting(1)
    assert.equal(await killed.stop('SIGKILL'), null)
    assert.equal(await lost, undefined)
    // At the participant that submitted it, and at the one that was to confirm it.
    const behind = await propose(v1, dave, bob, s2)
    await connect(true)
    await until(async () => (await entriesAt(v2, behind)).length === 1)
    const again = await split(v1, contractId)
    assert.equal(again.status, 200, again.text)
    assert.equal(await isSeenAt(v2, again.json.transaction.updateId), true)
  })

  test('refuse a command of a slow process whose contracts another has let go', async () => {
    await using first = await startFirst(2000)
    const { v1, v2, alice, bob, iou, split, connect, areWaiting } = first
    await using slow = await startOn(first.url, hourMs)
    const contractId = await iou()
    await connect(false)
    const [begin, end] = [await v1.end(), await v2.end()]
    const late = split(slow.v1, contractId)
    await areWaiting(1)
    await areWaiting(0) // The first process takes the other for dead.
    await connect(true) // All who have to confirm it are there.
    const { status, json } = await late
    assert.deepEqual([status, json.code, json.context.unresponsiveParties], [409, 'MEDIATOR_SAYS_TX_TIMED_OUT', bob])
    const again = await split(v1, contractId)
    assert.equal(again.status, 200, again.text)
    assert.equal(await v2.end(), end + 1)
    const body = { userId: 'u', parties: [alice], beginExclusive: begin }
    const completions: Json[] = await v1.ask('/v2/commands/completions?stream_idle_timeout_ms=50', body)
    assert.deepEqual(
      completions.flatMap(({ completionResponse: { Completion } }) => Completion?.value.status.code ?? []),
      [10, 0],
    )
  })

  test('answer a command that another process has published', async () => {
    await using first = await startFirst(2000)
    const { v2, iou, split, connect, areWaiting } = first
    // For this process no time passes, so it never publishes what is delayed.
    const clock: Clock = { ...wallClock, elapsedMs: () => 0 }
    await using other = await startOn(first.url, hourMs, clock)
    const contractId = await iou()
    await connect(false)
    const waiting = split(other.v1, contractId)
    await areWaiting(1)
    await other.v1.ask('/dev/network', { participant: 'sandbox', action: 'delay', delayMs: 50 })
    await connect(true)
    const { status, text, json } = await waiting
    assert.equal(status, 200, text)
    assert.equal(await until(() => isSeenAt(v2, json.transaction.updateId)), true)
  })
})
