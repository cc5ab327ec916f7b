import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryStore } from '../../../../test/fixtures/stores.ts'
import { delta, forParties, updates } from '../../../../test/support/reading/sample-formats.ts'
import { synchronizerId } from '../../../../test/support/reading/sample-ledger.ts'
import {
  createSampleReading,
  type Json,
  parsed,
  sampleLimits,
} from '../../../../test/support/reading/sample-reading.ts'
import { idleCheckpointMs } from '../../../base/limits.ts'
import type { End } from '../../model/ledger-end.ts'
import { checkpointJson, createStreamCheckpoints } from './checkpoints.ts'
import { firstCheckpointMs } from './tailing.ts'

const { offsetCheckpointMs } = sampleLimits
const idleMs = idleCheckpointMs(sampleLimits)

/** A ledger with updates for alice and others, and what alice's stream from an offset has sent so far. */
async function following(beginExclusive: bigint, before: readonly ('alice' | 'bob')[]) {
  const reading = createSampleReading(await openMemoryStore())
  const { ledger, clock } = reading
  const commit = async (party: string) => {
    await ledger.commit({ nodes: [{ kind: 'create', contract: party, signatories: [party] }] })
    await settled()
  }
  for (const party of before) await commit(party)
  const sent: string[] = []
  const gone = new AbortController()
  return {
    commit,
    async start() {
      const query = { beginExclusive, endInclusive: undefined, descending: false, form: 'transaction' } as const
      const format = updates(delta(forParties('alice')))
      const elements = reading.updates.stream({ ...query, format }, gone.signal)
      void (async () => {
        for await (const some of elements) sent.push(...some.map(parsed).map(textOf))
      })()
      await settled()
    },
    async pass(ms: number) {
      clock.advance(ms)
      await settled()
    },
    sent,
    [Symbol.dispose]: () => gone.abort(),
  }
}

describe('offset checkpoints', () => {
  test('come once after the first wait, when the stream has reached the ledger end', async () => {
    using stream = await following(0n, ['alice', 'bob'])
    await stream.pass(offsetCheckpointMs)
    await stream.start()
    assert.deepEqual(stream.sent, ['1', 'checkpoint 2'])
    await stream.pass(firstCheckpointMs)
    await stream.pass(idleMs)
    assert.deepEqual(stream.sent, ['1', 'checkpoint 2'])
  })

  test('do not come while the source has none', async () => {
    using stream = await following(0n, ['alice'])
    await stream.start()
    await stream.pass(firstCheckpointMs)
    assert.deepEqual(stream.sent, ['1'])
    await stream.pass(idleMs)
    assert.deepEqual(stream.sent, ['1', 'checkpoint 1'])
  })

  test('come for a stream that begins at the end', async () => {
    using stream = await following(1n, ['alice'])
    await stream.pass(offsetCheckpointMs)
    await stream.start()
    assert.deepEqual(stream.sent, [])
    await stream.pass(firstCheckpointMs - 1)
    assert.deepEqual(stream.sent, [])
    await stream.pass(1)
    assert.deepEqual(stream.sent, ['checkpoint 1'])
  })

  test('come after an idle minute without updates for the reader', async () => {
    using stream = await following(1n, ['alice'])
    await stream.start()
    await stream.pass(firstCheckpointMs)
    await stream.pass(1000)
    await stream.commit('bob')
    await stream.pass(idleMs - 1)
    assert.deepEqual(stream.sent, [])
    await stream.pass(1)
    assert.deepEqual(stream.sent, ['checkpoint 2'])
  })

  test('follow the update of their offset, and are renewed from time to time', async () => {
    using stream = await following(0n, ['alice'])
    await stream.start()
    await stream.pass(offsetCheckpointMs)
    await stream.commit('bob')
    assert.deepEqual(stream.sent, ['1', 'checkpoint 1'])
    await stream.pass(offsetCheckpointMs)
    await stream.commit('alice')
    await stream.commit('alice')
    assert.deepEqual(stream.sent, ['1', 'checkpoint 1', '3', 'checkpoint 3', '4'])
  })
})

describe('the checkpoints of a stream', () => {
  const checkpoint = (offset: bigint): End => ({ offset, synchronizerTimes: [] })

  test('stand between the elements around them', () => {
    const stream = createStreamCheckpoints(() => checkpoint(5n), 0n)
    assert.equal(stream.rangeBegins(1n), undefined)
    assert.equal(stream.beforeElement(3n), undefined)
    assert.equal(stream.beforeElement(5n), undefined)
    assert.equal(stream.beforeElement(7n)?.offset, 5n)
    assert.equal(stream.beforeElement(8n), undefined)
    assert.equal(stream.rangeEnds(9n), undefined)
  })

  test('hold the record time of each synchronizer', () => {
    const synchronizerTimes = [
      { synchronizerId: 'a::1220', recordTime: 2_000_000n },
      { synchronizerId: 'b::1220', recordTime: 1_000_001n },
    ]
    assert.deepEqual(JSON.parse(checkpointJson({ offset: 7n, synchronizerTimes })).value, {
      offset: 7,
      synchronizerTimes: [
        { synchronizerId: 'a::1220', recordTime: '1970-01-01T00:00:02Z' },
        { synchronizerId: 'b::1220', recordTime: '1970-01-01T00:00:01.000001Z' },
      ],
    })
  })

  test('wait for a range that reaches them', () => {
    const later = checkpoint(9n)
    const stream = createStreamCheckpoints(() => later, 0n)
    stream.rangeBegins(1n)
    assert.equal(stream.rangeEnds(5n), undefined)
    assert.equal(stream.timeOut(), undefined)
    stream.rangeBegins(6n)
    assert.equal(stream.rangeEnds(9n), later)
    assert.equal(stream.timeOut(), undefined)
    assert.equal(stream.rangeBegins(10n), undefined)
  })

  test('are not sent inside a range on a timeout', () => {
    const stream = createStreamCheckpoints(() => checkpoint(3n), 3n)
    stream.rangeBegins(4n)
    assert.equal(stream.timeOut(), undefined)
  })
})

function textOf({ update }: Json): string {
  if (update.OffsetCheckpoint === undefined) return String(update.Transaction.value.offset)
  const { offset, synchronizerTimes } = update.OffsetCheckpoint.value
  const recordTime = new Date(1_700_000_000_000 + offset * 1000).toISOString().replace('.000', '')
  assert.deepEqual(synchronizerTimes, [{ synchronizerId, recordTime }])
  return `checkpoint ${offset}`
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}
