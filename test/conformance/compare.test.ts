// The program that compares this node with Canton (tools/compare), without a Canton: what counts as the same answer, what is
// sent in whose terms, and that every declared difference has its row in COMPAT.md.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Correspondence } from '../../tools/compare/correspondence.ts'
import { compareAnswers } from '../../tools/compare/difference.ts'
import { answerToJson } from '../../tools/compare/grpc-side.ts'
import { createLearning } from '../../tools/compare/learning.ts'
import { mutationsOf, typedMutationsOf } from '../../tools/compare/mutations.ts'
import { answerOf, createReplay, type Recorded, recording, type Side } from '../../tools/compare/side.ts'
import { createVerdicts, type Declared } from '../../tools/compare/verdicts.ts'

const fingerprint = (digit: string) => `1220${digit.repeat(64)}`
const [ourKey, cantonKey, otherKey] = [fingerprint('a'), fingerprint('b'), fingerprint('c')]
const answer = (json: unknown, status = 200) => answerOf(status, 'application/json', JSON.stringify(json))

function differencesOf(...pairs: [ours: unknown, canton: unknown][]): string[] {
  const ids = new Correspondence()
  return pairs.flatMap(([ours, canton]) => compareAnswers(answer(ours), answer(canton), ids)).map(({ where }) => where)
}

describe('two answers are the same', () => {
  const same: Record<string, [ours: unknown, canton: unknown][]> = {
    'when their ids correspond': [
      [{ party: `alice::${ourKey}` }, { party: `alice::${cantonKey}` }],
      [{ party: `bob::${ourKey}` }, { party: `bob::${cantonKey}` }],
    ],
    'when a short id is that of a long one': [
      [{ party: `alice::${ourKey}` }, { party: `alice::${cantonKey}` }],
      [{ cause: `no ${ourKey.slice(0, 12)}...` }, { cause: `no ${cantonKey.slice(0, 12)}...` }],
    ],
    'whatever the time is': [[{ at: '2026-01-01T00:00:00Z' }, { at: '2026-02-01T00:00:01.5Z' }]],
    'whatever the order of a set is': [[{ rights: [1, 2] }, { rights: [2, 1] }]],
    'when offsets keep their order': [
      [{ offset: 1 }, { offset: 10 }],
      [{ offset: 1 }, { offset: 10 }],
      [{ offset: 2 }, { offset: 13 }],
    ],
    'with checkpoints among elements': [[[{ update: { OffsetCheckpoint: {} } }, 1], [1]]],
  }
  for (const [title, pairs] of Object.entries(same)) {
    test(title, () => assert.deepEqual(differencesOf(...pairs), []))
  }
})

describe('two answers differ', () => {
  const different: Record<string, [pairs: [ours: unknown, canton: unknown][], where: string]> = {
    'when an id stands for two': [
      [
        [{ a: ourKey }, { a: cantonKey }],
        [{ b: ourKey }, { b: otherKey }],
      ],
      'b',
    ],
    'when two ids stand for one': [
      [
        [{ a: ourKey }, { a: cantonKey }],
        [{ b: otherKey }, { b: cantonKey }],
      ],
      'b',
    ],
    'in a field that only one has': [[[{ context: {} }, { context: { commands: '{}' } }]], 'context.commands'],
    'in an element': [[[{ events: [{ nodeId: 0 }] }, { events: [{ nodeId: 1 }] }]], 'events[].nodeId'],
    'in words': [[[{ cause: 'Contract not found' }, { cause: 'Contract not active' }]], 'cause'],
    'in a code': [[[{ code: 'A_B' }, { code: 'C_D' }]], 'status'],
  }
  for (const [title, [pairs, where]] of Object.entries(different)) {
    test(title, () => assert.deepEqual(differencesOf(...pairs), [where]))
  }

  test('where a package id is another one', () => {
    const ids = new Correspondence()
    ids.fix('d'.repeat(64))
    assert.equal(ids.texts('d'.repeat(64), 'e'.repeat(64)), false)
  })
})

describe('an answer over gRPC', () => {
  const path = '/com.daml.ledger.api.v2.StateService/GetLedgerEnd'
  const none = { code: 0, message: '', details: undefined, messages: [], reset: 0, httpStatus: 200 }

  test('an answer in protobuf becomes the JSON of the JSON API', () => {
    assert.deepEqual(answerToJson(path, { ...none, messages: [Buffer.of(0x08, 5)] }), { offset: 5 })
    // google.rpc.Status with an ErrorInfo whose reason is A_B and whose metadata has one entry.
    const info = Buffer.concat([Buffer.of(0x0a, 3), Buffer.from('A_B'), Buffer.of(0x1a, 6, 0x0a, 1, 107, 0x12, 1, 118)])
    const type = Buffer.from('type.googleapis.com/google.rpc.ErrorInfo')
    const any = Buffer.concat([Buffer.of(0x0a, type.length), type, Buffer.of(0x12, info.length), info])
    const details = Buffer.concat([Buffer.of(0x08, 3, 0x12, 1, 109, 0x1a, any.length), any])
    const refusal = answerToJson(path, { ...none, code: 3, message: 'm', details })
    assert.deepEqual([refusal.code, refusal.cause, refusal.context], ['A_B', 'm', { k: 'v' }])
    assert.deepEqual(refusal.order, ['ErrorInfo'])
    assert.deepEqual(answerToJson(path, { ...none, code: -1, reset: 8 }), { elements: [], reset: 8 })
  })

  test('a recorded answer over gRPC is replayed', async () => {
    const json = { offset: 5 }
    const side = { grpc: async () => ({ status: 0, type: 'grpc', text: JSON.stringify(json), json }) }
    const recorded: Recorded[] = []
    const request = { path, frames: Buffer.alloc(0), headers: {} }
    const first = await recording(side as unknown as Side, recorded).grpc(request)
    assert.deepEqual(await createReplay(recorded).grpc(request), first)
    await assert.rejects(createReplay(recorded).grpc({ ...request, path: '/other' }), /recorded is gRPC/)
  })
})

test('a field of a message of gRPC is replaced by others of its type', () => {
  const notes = typedMutationsOf({ id: 'a', size: 1, items: ['b'] }).map(({ note }) => note)
  for (const wanted of ['without id', 'id is ""', 'size is -1', 'items is []', 'without items.0']) {
    assert.ok(notes.includes(wanted), wanted)
  }
  assert.ok(!notes.includes('id is 5') && !notes.includes('items is {}'), notes.join())
})

test('requests are sent in the terms of each node', () => {
  const ids = new Correspondence()
  assert.ok(ids.texts(`alice::${ourKey}`, `alice::${cantonKey}`))
  ids.pairEnds(5, 17)
  assert.ok(ids.offsets(5, 15))
  const request = { beginExclusive: 5, offset: 5, filtersByParty: { [`alice::${ourKey}`]: {} }, limit: 5 }
  const sent = { beginExclusive: 17, offset: 15, filtersByParty: { [`alice::${cantonKey}`]: {} }, limit: 5 }
  assert.deepEqual(ids.jsonToCanton(request), sent)
  const path = (key: string, offset: number) => `/v2/updates/transaction-tree-by-offset/${offset}?parties=a%3A%3A${key}`
  assert.equal(ids.pathToCanton(path(ourKey, 5)), path(cantonKey, 15))
})

test('an offset that nobody has read is looked up before a request names it', async () => {
  const ids = new Correspondence()
  ids.pairEnds(4, 10)
  ids.pairEnds(6, 17)
  const sideWith = (...offsets: number[]) => {
    const requests: unknown[] = []
    const update = (offset: number) => ({ update: { Transaction: { value: { events: [{ offset: 99 }], offset } } } })
    const send = async ({ body }: { readonly body: string | Uint8Array | undefined }) => {
      const { beginExclusive, endInclusive } = JSON.parse(String(body)) as Record<string, number>
      requests.push([beginExclusive, endInclusive])
      return answer([...offsets.map(update), { update: { OffsetCheckpoint: { value: { offset: 20 } } } }])
    }
    return { side: { send } as unknown as Side, requests }
  }
  const [mine, theirs] = [sideWith(5, 6), sideWith(12, 15)]
  const learning = createLearning({ ours: mine.side, canton: theirs.side, ids, headers: () => ({}) })
  assert.deepEqual(ids.jsonToCanton({ offset: 6, beginExclusive: 5 }), { offset: 17, beginExclusive: 10 })
  await learning.beforeRequest('/v2/updates/update-by-offset', '{"offset":6}')
  await learning.beforeRequest('/v2/updates', { beginExclusive: 5, endInclusive: 6 })
  await learning.beforeRequest('/v2/updates/transaction-tree-by-offset/6?parties=a', undefined)
  await learning.beforeRequest('/v2/updates/update-by-offset', { offset: 1.5, limit: 5 })
  await learning.beforeRequest('/v2/updates/update-by-offset', { offset: 7 }) // After the end.
  assert.deepEqual([mine.requests, theirs.requests], [[[4, 6]], [[10, 17]]])
  assert.deepEqual(ids.jsonToCanton({ offset: 6, beginExclusive: 5 }), { offset: 15, beginExclusive: 12 })
  assert.deepEqual(ids.jsonToCanton({ offset: 1.5 }), { offset: 1.5 })
})

test('offset 0 is before everything, and the end of a page anywhere before the next update', () => {
  const ids = new Correspondence()
  ids.pairEnds(0, 15)
  assert.deepEqual(ids.jsonToCanton({ beginExclusive: 0 }), { beginExclusive: 0 })
  ids.pairEnds(5, 17)
  const pages = (ours: number, canton: number) =>
    compareAnswers(answer({ highestPageOffsetInclusive: ours }), answer({ highestPageOffsetInclusive: canton }), ids)
  assert.ok(ids.offsets(6, 21))
  assert.deepEqual(pages(5, 20), [])
  assert.equal(pages(5, 16).length, 1)
  assert.equal(pages(5, 21).length, 1)
})

test('a mutation changes one thing', () => {
  const bodies = mutationsOf({ a: { b: 1 }, c: [2] }).map(({ body }) => JSON.stringify(body))
  for (const expected of ['null', '{"c":[2]}', '{"a":{},"c":[2]}', '{"a":{"b":"x"},"c":[2]}', '{"a":{"b":1},"c":[]}']) {
    assert.ok(bodies.includes(expected), expected)
  }
  assert.equal(new Set(bodies).size > 30, true)
})

const declared = JSON.parse(
  readFileSync(new URL('../../tools/compare/declared.json', import.meta.url), 'utf8'),
) as Declared[]

test('every declared difference has its row in COMPAT.md', () => {
  const page = readFileSync(new URL('../../COMPAT.md', import.meta.url), 'utf8')
  const rows = page.split('\n').map((line) => line.replace(/^\|\s*/, ''))
  for (const { row } of declared)
    assert.ok(
      rows.some((line) => line.startsWith(row)),
      row,
    )
})

test('a difference is told unless it is declared', () => {
  const told: string[] = []
  const verdicts = createVerdicts([{ row: 'a row', where: '^a$' }], ({ differences }) => {
    told.push(...differences.map(({ where }) => where))
  })
  const compared = {
    label: 'GET /',
    at: undefined,
    note: undefined,
    as: undefined,
    headers: '{}',
    body: '',
    ours: answer({}),
    canton: answer({}),
  }
  const difference = (where: string) => ({ where, ours: '1', canton: '2' })
  verdicts.add({ ...compared, differences: [] })
  verdicts.add({ ...compared, differences: [difference('a')] })
  verdicts.add({ ...compared, differences: [difference('a'), difference('b')] })
  assert.deepEqual(verdicts.counts, { compared: 3, equal: 1, declared: 1, undeclared: 1 })
  assert.deepEqual(told, ['b'])
})
