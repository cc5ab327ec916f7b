import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finishWriting } from '../lf/codec/protobuf-writing.ts'
import { createJsonWriters, jsonOf, type OwnMessages } from './json-writing.ts'
import { ledgerApi } from './ledger-api.ts'
import { createDecoder } from './reading.ts'

const prefix = 'com.daml.ledger.api.v2.'

function asRead(name: string, answers: readonly unknown[], own: OwnMessages = {}): unknown[] {
  const message = ledgerApi().message(`${prefix}${name}`)
  const write = createJsonWriters(own).of(message)
  const decode = createDecoder(message)
  return answers.map((answer) => {
    const bytes = finishWriting((writer) => write(writer, jsonOf(answer)))
    return decode(Buffer.from(bytes), { depthMax: 100, valuesMax: 1000 })
  })
}

const status = { code: 3, message: 'no', details: [] }
const completion = { commandId: 'c', status, updateId: '1220', actAs: ['a', 'b'], offset: 12 }

test('names may come in any order, also in another one than last time', () => {
  const backwards = Object.fromEntries(Object.entries(completion).reverse())
  const shorter = { offset: 12, commandId: 'c' }
  const [first, second, third, fourth] = asRead('Completion', [completion, backwards, shorter, completion])
  assert.deepEqual(second, first)
  assert.deepEqual(fourth, first)
  const [alone] = asRead('Completion', [shorter])
  assert.deepEqual(third, alone)
})

test('names that the message does not have are passed, and so is null', () => {
  const more = { none: { a: [1, '}'] }, ...completion, traceContext: null, last: 'x' }
  const [plain, other] = asRead('Completion', [completion, more])
  assert.deepEqual(other, plain)
})

test('a variant may be in a box, in its oneof, and the whole message', () => {
  const offsetCheckpoint = { offset: 7, synchronizerTimes: [] }
  const [boxed, ...others] = asRead('CompletionStreamResponse', [
    { completionResponse: { OffsetCheckpoint: { value: offsetCheckpoint } } },
    { completionResponse: { OffsetCheckpoint: offsetCheckpoint } },
    { OffsetCheckpoint: { value: offsetCheckpoint } },
  ])
  for (const other of others) assert.deepEqual(other, boxed)
  assert.match(
    JSON.stringify(boxed, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    /"?7"?/,
  )
})

test('an owner writes its fields and is told the end of the message', () => {
  const told: string[] = []
  const own: OwnMessages = {
    [`${prefix}Completion`]: {
      fields: {
        commandId(writer, json, usual) {
          told.push('commandId')
          usual(writer, json)
        },
        unknown(_, json) {
          told.push(json.source())
        },
      },
      after: () => told.push('end'),
    },
  }
  const [given, plain] = asRead('Completion', [{ ...completion, unknown: null }, completion], own)
  assert.deepEqual(given, plain)
  assert.deepEqual(told, ['commandId', 'null', 'end', 'commandId', 'end'])
})

test('times are exact, whatever time came before', () => {
  const times = [
    ['2026-11-16T15:02:44.456Z', 1794841364, 456000000],
    ['2026-11-16T15:02:44Z', 1794841364, 0],
    ['2026-11-16T15:02:05.000001Z', 1794841325, 1000],
    ['2026-11-16T15:03:05.1Z', 1794841385, 100000000],
    ['2026-11-16T15:03:05.123456789Z', 1794841385, 123456000],
    ['2026-11-16T15:03:05+01:00', 1794837785, 0],
    ['1969-12-31T23:59:59.5Z', -1, 500000000],
    ['1969-12-31T23:59:58.25Z', -2, 250000000],
    ['1970-01-01T00:00:00Z', 0, 0],
  ] as const
  const { fields } = ledgerApi().message('google.protobuf.Timestamp')
  assert.deepEqual(
    fields.map(({ name, number }) => [name, number]),
    [
      ['seconds', 1],
      ['nanos', 2],
    ],
  )
  const write = createJsonWriters().of(ledgerApi().message('google.protobuf.Timestamp'))
  for (const [text, seconds, nanos] of [...times, ...times.toReversed(), ...times]) {
    const expected = finishWriting((writer) => {
      if (seconds !== 0) writer.tag(1, 0).int64(seconds)
      if (nanos !== 0) writer.tag(2, 0).int32(nanos)
    })
    assert.deepEqual(
      finishWriting((writer) => write(writer, jsonOf(text))),
      expected,
      text,
    )
  }
})
