import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LooseMessage } from './loose-message.ts'
import { type Damage, ProtobufError } from './protobuf-error.ts'

const read = (hex: string) => new LooseMessage(Buffer.from(hex.replaceAll(' ', ''), 'hex'), 'test')

describe('an untrusted protobuf message', () => {
  test('may have fields in any order, where the last counts, and unknown fields', () => {
    const message = read(
      '12 01 61' + // 2: "a"
        '08 01' + // 1: 1
        '39 0000000000000000' + // 7: a fixed number
        '7d 00000000' + // 15: a shorter one
        '23 2b 10 01 2c 24' + // 4: a group with a group in it
        '08 ffffffffffffffffff01' + // 1: -1
        '12 01 62', // 2: "b"
    )
    assert.deepEqual([message.int(1), message.text(2), message.texts(2)], [-1, 'b', ['a', 'b']])
    assert.deepEqual([message.int(9), message.text(9), message.bytes(9)], [0, '', undefined])
  })

  test('may have numbers one by one or packed, and messages in pieces', () => {
    const message = read('28 01 2a 03 05 04 03 28 07 1a 02 08 01 1a 02 10 02')
    assert.deepEqual(message.ints(5), [1, 5, 4, 3, 7])
    const embedded = message.message(3)!
    assert.deepEqual([embedded.int(1), embedded.int(2)], [1, 2])
  })

  test('has the last of the messages of a oneof', () => {
    const message = read('0a 00 1a 00 0a 00 20 01')
    assert.deepEqual([message.choice([1, 3, 4]), message.choice([3, 4]), message.choice([4, 5])], [1, 3, undefined])
  })

  test('ignores the end of a group that did not begin', () => {
    assert.equal(read('24 12 01 61 2c').text(2), 'a')
  })

  const cases: [title: string, bytes: string, damage: Damage][] = [
    ['field zero', '00', 'tag'],
    ['half a tag', '80', 'truncated'],
    ['half a text', '12 02 61', 'truncated'],
    ['half a number', '39 00', 'truncated'],
    ['a group without an end', '23 10 01', 'group'],
    ['the end of another group', '23 2c', 'group'],
    ['groups that are nested too deeply', '23'.repeat(101), 'depth'],
    ['an invalid wire type', '0e', 'wireType'],
    ['a number without end', `08 ${'ff'.repeat(11)}`, 'varint'],
    ['a negative length', '12 ffffffff0f', 'negative'],
  ]
  for (const [title, bytes, damage] of cases) {
    test(`is refused with ${title}`, () => {
      assert.throws(
        () => read(bytes),
        (error) => error instanceof ProtobufError && error.damage === damage,
      )
    })
  }

  test('is refused if a text in it is not UTF-8', () => {
    const message = read('12 01 ff')
    assert.throws(() => message.text(2), { name: 'ProtobufError', damage: 'utf8' })
  })
})
