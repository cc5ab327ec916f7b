import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTables } from './messages.ts'
import { createStrictCodec } from './strict-codec.ts'

const tables = readTables([
  {
    name: 'test.proto',
    package: 'test',
    messages: `
      Whole: last_number=9 uint32, text_first=1 string, flag=2 bool, maybe_number=3 ?int64, choice=4 Choice,
        parts=5 *Whole, single.only=6 Choice, unread=7 string, name=8 *string;
      Choice: sum.some_text=1 string, sum.inner=2 Whole;
    `,
  },
])
const codec = createStrictCodec<object>(tables.message('test.Whole'), {
  'test.Whole': { text_first: 'text', unread: undefined },
})
const limits = { depthMax: 3, messagesMax: 5 }
const decode = (hex: string) => codec.decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'), 'Whole', limits)

const empty = {
  text: '',
  flag: false,
  maybeNumber: undefined,
  choice: undefined,
  parts: [],
  only: undefined,
  name: [],
  lastNumber: 0,
}

const good: readonly (readonly [title: string, hex: string, value: object])[] = [
  ['an empty message', '', empty],
  [
    'scalars, in the order of their numbers',
    '0a 01 61 10 01 48 05',
    { ...empty, text: 'a', flag: true, lastNumber: 5 },
  ],
  ['a default that is there', '18 00', { ...empty, maybeNumber: 0n }],
  ['a large unsigned number', '48 ff ff ff ff 0f', { ...empty, lastNumber: -1 }],
  ['lists', '2a 00 2a 02 10 01 42 00', { ...empty, parts: [empty, { ...empty, flag: true }], name: [''] }],
  ['a oneof', '22 03 0a 01 61', { ...empty, choice: { kind: 'some-text', value: 'a' } }],
]

for (const [title, hex, value] of good) {
  test(`${title} is read and written`, () => {
    assert.deepEqual(decode(hex), value)
    assert.equal(Buffer.from(codec.encode(value)).toString('hex'), hex.replaceAll(' ', ''))
  })
}

const bad: readonly (readonly [title: string, hex: string, message: RegExp])[] = [
  ['an unknown field', '52 00', /a field is unknown/],
  ['a field without a name', '3a 00', /a field is unknown/],
  ['a field of another wire type', '08 00', /a field is unknown/],
  ['a field that is given twice', '10 01 10 01', /flag is given twice/],
  ['two forms of a oneof', '22 04 0a 00 0a 00', /more than one form/],
  ['a truth value of 2', '10 02', /neither/],
  ['a message that is cut off', '2a 01', /cut off/],
  ['messages that are nested too deeply', '2a 06 2a 04 2a 02 2a 00', /nested too deeply/],
  ['too many messages', '2a 00'.repeat(6), /too many messages/],
]

for (const [title, hex, message] of bad) {
  test(`${title} is refused`, () => assert.throws(() => decode(hex), { name: 'ProtobufError', message }))
}

test('lists of numbers, enums and maps are refused, because no message has them that must be read strictly', () => {
  const { message } = readTables([{ name: '', package: 'p', messages: 'A: a=1 *int32; B: b=1 {string};' }])
  for (const name of ['p.A', 'p.B']) {
    assert.throws(() => createStrictCodec(message(name), {}).encode({ a: [], b: {} }), /not read strictly/)
  }
})
