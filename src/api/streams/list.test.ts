import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { testSettings } from '../../../test/fixtures/node.ts'
import { freeAccount } from '../../base/byte-budget.ts'
import { createTestClock } from '../../base/clock.ts'
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import type { Limits } from '../../base/settings.ts'
import type { ReadHints } from '../../ledger/reading/reader.ts'
import { collectList } from './list.ts'

const limits: Limits = { ...testSettings({}).limits, listElementsMax: 5, readBytesMax: 2000 }
const elements = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)
const joined = (count: number) => `[${elements(count).join(',')}]`

const aside = <T>(task: () => Promise<T>) => task()

type Setting = {
  limit?: bigint
  idleMs?: bigint
  isOpenEnded?: boolean
}

/** A scripted stream, and a list that collects it. */
function collecting({ limit, idleMs, isOpenEnded = true }: Setting = {}) {
  const clock = createTestClock(0)
  const client = new AbortController()
  const batches: (readonly string[] | Error | 'end')[] = []
  let wake = () => {}
  let state: 'unopened' | 'open' | 'stopped' = 'unopened'
  async function* stream(signal: AbortSignal, { onWaiting }: ReadHints = {}) {
    state = 'open'
    try {
      while (!signal.aborted) {
        const batch = batches.shift()
        if (batch === 'end') return
        if (batch instanceof Error) throw batch
        if (batch !== undefined) yield batch
        else {
          const { promise, resolve } = Promise.withResolvers<void>()
          wake = resolve
          if (isOpenEnded) onWaiting?.()
          signal.addEventListener('abort', () => resolve())
          await promise
        }
      }
    } finally {
      state = 'stopped'
    }
  }
  const query = {
    ...(limit !== undefined && { limit }),
    ...(idleMs !== undefined && { stream_idle_timeout_ms: idleMs }),
  }
  const context = {
    clock,
    signal: client.signal,
    account: freeAccount,
    traceContext: { traceparent: '', tracestate: null },
    aside,
    owner: '',
  }
  let outcome: string | Error | undefined
  const answer = collectList({ query, limits, elements: { open: stream } }, context).then(
    ({ body }) => (outcome = body.toString()),
    (error: Error) => (outcome = error),
  )
  return {
    answer,
    client,
    async give(...more: typeof batches) {
      batches.push(...more)
      wake()
      await turn()
    },
    async advance(byMs: number) {
      clock.advance(byMs)
      await turn()
    },
    outcome: () => outcome,
    state: () => state,
  }
}

describe('a list', () => {
  const ends: [title: string, setting: Setting, given: number[], outcome: string][] = [
    ['is empty when the stream is', {}, [], '[]'],
    ['has what the stream gives until it ends', {}, [1, 2], '[0,0,1]'],
    ['has as many elements as the node allows', {}, [5], joined(5)],
    ['stops at its limit', { limit: 2n }, [5], joined(2)],
    ['stops at its limit across batches', { limit: 3n }, [2, 2], '[0,1,0]'],
    ['may have a limit that is the node’s own', { limit: 5n }, [9], joined(5)],
    ['may have a limit that is never reached', { limit: 2n ** 62n }, [2], joined(2)],
    ['waits for the end of a stream that has one', { isOpenEnded: false }, [2], joined(2)],
  ]
  for (const [title, setting, given, outcome] of ends) {
    test(title, async () => {
      const list = collecting(setting)
      await list.give(...given.map(elements), 'end')
      assert.equal(list.outcome(), outcome)
      assert.equal(list.state(), 'stopped')
    })
  }

  for (const idleMs of [0n, -1n, -5000n]) {
    test(`cannot wait for a silence of ${idleMs} ms`, async () => {
      const list = collecting({ idleMs })
      const words = 'which means creating an infinite loop. The expected delay must be greater than 0.'
      const reason = `Task scheduled with [${idleMs / 1000n}] seconds delay, ${words}`
      assert.deepEqual(await list.answer, invalidArgument(reason, { early: true }))
      assert.equal(list.state(), 'unopened')
    })
  }

  for (const limit of [0n, -1n]) {
    test(`asks for nothing when its limit is ${limit}`, async () => {
      const list = collecting({ limit })
      assert.equal(await list.answer, '[]')
      assert.equal(list.state(), 'unopened')
    })
  }

  test('does not wait once it has enough', async () => {
    const list = collecting({ limit: 2n })
    await list.give(elements(2))
    assert.equal(list.outcome(), joined(2))
    assert.equal(list.state(), 'stopped')
  })

  for (const limit of [undefined, 6n, 100n]) {
    test(`with more elements than the node allows is refused if its limit is ${limit}`, async () => {
      const list = collecting({ ...(limit !== undefined && { limit }) })
      await list.give(elements(3), elements(9))
      const refusal = list.outcome() as LedgerError
      assert.equal(refusal.code, 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED')
      assert.equal(refusal.message, 'The number of matching elements (6) is greater than the node limit (5).')
      assert.equal(list.state(), 'stopped')
    })
  }

  test('with more bytes than the node allows is refused', async () => {
    const list = collecting()
    await list.give(['x'.repeat(600), 'x'.repeat(600)])
    const refusal = list.outcome() as LedgerError
    assert.equal(refusal.code, 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED')
    assert.equal(refusal.message, 'The matching elements take more bytes than the node limit (1000).')
    assert.equal(list.state(), 'stopped')
  })

  test('is sent after a silence, measured from the last element', async () => {
    const list = collecting()
    await list.advance(499)
    await list.give(elements(1))
    await list.advance(499)
    await list.give(elements(1))
    await list.advance(499)
    assert.equal(list.outcome(), undefined)
    await list.advance(1)
    assert.equal(list.outcome(), '[0,0]')
    assert.equal(list.state(), 'stopped')
  })

  const idle: [title: string, setting: Setting, atMs: number][] = [
    ['the time it asks for', { idleMs: 2000n }, 2000],
    ['more time than timers have', { idleMs: 2n ** 62n }, 2 ** 31 - 1],
  ]
  for (const [title, setting, atMs] of idle) {
    test(`waits ${title}`, async () => {
      const list = collecting(setting)
      await turn()
      if (atMs > 0) await list.advance(atMs - 1)
      if (atMs > 0) assert.equal(list.outcome(), undefined)
      await list.advance(1)
      assert.equal(list.outcome(), '[]')
      assert.equal(list.state(), 'stopped')
    })
  }

  for (const idleMs of [undefined, 10n]) {
    test(`waits without limit for a stream that ends by itself, if it asks for ${idleMs} ms`, async () => {
      const list = collecting({ ...(idleMs !== undefined && { idleMs }), isOpenEnded: false })
      await list.give(elements(1))
      await list.advance(3_600_000)
      assert.equal(list.outcome(), undefined)
      await list.give('end')
      assert.equal(list.outcome(), '[0]')
    })
  }

  test('is complete however long the store takes', async () => {
    const clock = createTestClock(0)
    const { signal } = new AbortController()
    const traceContext = { traceparent: '', tracestate: null }
    const context = { clock, signal, account: freeAccount, owner: '', traceContext, aside }
    const slow = Promise.withResolvers<string[]>()
    async function* open(_: AbortSignal, { onWaiting }: ReadHints = {}) {
      yield await slow.promise
      onWaiting?.()
      await new Promise<never>(() => {})
    }
    const answer = collectList({ query: {}, limits, elements: { open } }, context)
    await turn()
    clock.advance(3_600_000)
    slow.resolve(elements(2))
    await turn()
    clock.advance(500)
    assert.equal((await answer).body.toString(), joined(2))
  })

  test('is lost if its stream fails midway', async () => {
    const list = collecting()
    const failure = new LedgerError('PARTICIPANT_BACKPRESSURE', 'busy')
    await list.give(elements(2), failure)
    assert.equal(list.outcome(), failure)
    assert.equal(list.state(), 'stopped')
  })

  test('stops its stream when the client disconnects', async () => {
    const list = collecting({ isOpenEnded: false })
    await list.give(elements(1))
    list.client.abort()
    await list.answer
    await turn()
    assert.equal(list.state(), 'stopped')
  })

  for (const end of ['falls silent', 'fails'] as const) {
    test(`is refused when its reader loses its rights, and its stream ${end} then`, async () => {
      const list = collecting({ idleMs: 60_000n })
      await list.give(elements(2))
      const refusal = new LedgerError('STALE_STREAM_AUTHORIZATION', 'Stale stream authorization. Retry quickly.')
      list.client.abort(refusal)
      if (end === 'fails') await list.give(new Error('aborted'))
      await list.answer
      assert.equal(list.outcome(), refusal)
      await turn()
      assert.equal(list.state(), 'stopped')
    })
  }

  test('is answered even if its stream ignores the abort', async () => {
    const open = (_: AbortSignal, { onWaiting }: ReadHints = {}) => {
      const next = () => {
        onWaiting?.()
        return new Promise<never>(() => {})
      }
      return { [Symbol.asyncIterator]: () => ({ next }) }
    }
    const clock = createTestClock(0)
    const { signal } = new AbortController()
    const traceContext = { traceparent: '', tracestate: null }
    const context = { clock, signal, account: freeAccount, owner: '', traceContext, aside }
    const answer = collectList({ query: {}, limits, elements: { open } }, context)
    await turn()
    clock.advance(500)
    assert.equal((await answer).body.toString(), '[]')
  })
})
