import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryStore } from '../../../test/fixtures/stores.ts'
import {
  collect,
  createSampleReading,
  type Json,
  never,
  parsed,
  sampleLimits,
} from '../../../test/support/reading/sample-reading.ts'
import { firstCheckpointMs } from './following/tailing.ts'
import type { CompletionsQuery } from './requests/queries.ts'

const query: CompletionsQuery = { userId: 'user', parties: ['alice'], beginExclusive: 0n }

const written: [userId: string, actAs: string[]][] = [
  ['user', ['alice']],
  ['user', ['bob', 'alice', 'carol']],
  ['user', ['bob']],
  ['other', ['alice']],
]

async function fourCompletions(published = 4n) {
  const store = await openMemoryStore()
  const reading = createSampleReading(store)
  await store.completions.insert(
    written.map(([userId, actAs], index) => {
      const offset = BigInt(index + 1)
      return { offset, userId, actAs, head: `{"commandId":"c${offset}","actAs":`, tail: `,"offset":${offset}}` }
    }),
  )
  reading.ledger.publish(published)
  return reading
}

type Reading = Awaited<ReturnType<typeof fourCompletions>>

/** What a stream sends while time passes without new completions. */
async function sentTo({ completions, clock }: Reading, asked: CompletionsQuery, passMs = 0): Promise<Json[]> {
  const gone = new AbortController()
  const found: Json[] = []
  const elements = completions.stream(asked, gone.signal)
  const reads = (async () => {
    for await (const some of elements) found.push(...some.map(parsed))
  })()
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  clock.advance(passMs)
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  gone.abort()
  await reads
  return found
}

const shown = ({ completionResponse }: Json): string => {
  const { commandId, actAs } = completionResponse.Completion.value
  return `${commandId} ${actAs}`
}

describe('completions', () => {
  const rows: [title: string, change: Partial<CompletionsQuery>, want: string[]][] = [
    ['of a user and a party', {}, ['c1 alice', 'c2 alice']],
    ['name only the requested parties', { parties: ['alice', 'bob'] }, ['c1 alice', 'c2 bob,alice', 'c3 bob']],
    ['begin after their begin', { beginExclusive: 1n }, ['c2 alice']],
    ['of another user', { userId: 'other' }, ['c4 alice']],
    ['of all users', { userId: undefined }, ['c1 alice', 'c2 alice', 'c4 alice']],
    [
      'of all users and parties',
      { userId: undefined, parties: [] },
      ['c1 alice', 'c2 bob,alice,carol', 'c3 bob', 'c4 alice'],
    ],
    ['of nobody', { parties: ['zoe'] }, []],
  ]
  for (const [title, change, want] of rows) {
    test(title, async () => {
      const found = await sentTo(await fourCompletions(), { ...query, ...change })
      assert.deepEqual(found.map(shown), want)
    })
  }

  test('are shown as soon as they are published, and not before', async () => {
    const reading = await fourCompletions(1n)
    const gone = new AbortController()
    const elements = reading.completions.stream(query, gone.signal)[Symbol.asyncIterator]()
    assert.deepEqual((await elements.next()).value!.map(parsed).map(shown), ['c1 alice'])
    const next = elements.next()
    reading.ledger.publish(4n)
    assert.deepEqual((await next).value!.map(parsed).map(shown), ['c2 alice'])
    gone.abort()
  })

  test('come in several batches', async () => {
    const store = await openMemoryStore()
    const reading = createSampleReading(store)
    await store.completions.insert(
      Array.from({ length: 450 }, (_, index) => {
        const offset = BigInt(index + 1)
        return { offset, userId: 'user', actAs: ['alice'], head: `{"commandId":"${offset}","actAs":`, tail: '}' }
      }),
    )
    reading.ledger.publish(450n)
    const found = await sentTo(reading, query)
    assert.deepEqual(
      found.map(({ completionResponse }) => Number(completionResponse.Completion.value.commandId)),
      Array.from({ length: 450 }, (_, index) => index + 1),
    )
  })

  test('take few queries for a reader of one among many of others', async () => {
    const stored = await openMemoryStore()
    let queries = 0
    const range: typeof stored.completions.range = (...asked) => {
      queries += 1
      return stored.completions.range(...asked)
    }
    const reading = createSampleReading({ ...stored, completions: { ...stored.completions, range } })
    await stored.completions.insert(
      Array.from({ length: 450 }, (_, index) => {
        const [offset, party] = [BigInt(index + 1), index === 449 ? 'alice' : 'bob']
        return { offset, userId: 'user', actAs: [party], head: `{"commandId":"${offset}","actAs":`, tail: '}' }
      }),
    )
    reading.ledger.publish(450n)
    for await (const some of reading.completions.stream(query, never, { elementsMax: 1 })) if (some.length > 0) break
    assert.ok(queries <= 10, `${queries} queries`)
  })

  test('come with checkpoints', async () => {
    const reading = await fourCompletions()
    reading.clock.advance(sampleLimits.offsetCheckpointMs)
    const found = await sentTo(reading, { ...query, beginExclusive: 4n }, firstCheckpointMs)
    assert.equal(found.length, 1)
    assert.equal(found[0].completionResponse.OffsetCheckpoint.value.offset, 4)
  })

  const field = 'The submitted command has a field with invalid value: Invalid field '
  const refused: [change: Partial<CompletionsQuery>, message: string][] = [
    [{ userId: '', parties: [''] }, 'The submitted command is missing a mandatory field: user_id'],
    [{ userId: '%' }, `${field}user_id: User ID "%" does not match regex "[a-zA-Z0-9@^$.!\`\\-#+'~_|:\\(\\)]{1,128}"`],
    [{ parties: [''], beginExclusive: -1n }, 'The submitted request has invalid arguments: Daml-LF Party is empty'],
    [
      { beginExclusive: -1n, parties: [] },
      'Offset -1 in begin_exclusive is a negative integer: the offset in begin_exclusive field has to be a ' +
        'non-negative integer (>=0)',
    ],
    [{ beginExclusive: 5n, parties: [] }, 'Begin offset (5) is after ledger end (4)'],
    [{ parties: [] }, 'The submitted command is missing a mandatory field: parties'],
    [{}, 'Command completions request from 1 to 4 overlaps with pruned offset 2'],
  ]
  for (const [change, message] of refused) {
    test(`are refused: ${message}`, async () => {
      const reading = await fourCompletions()
      reading.ledger.end.publishPruning(2n)
      await assert.rejects(collect(reading.completions.stream({ ...query, ...change }, never)), { message })
    })
  }
})
