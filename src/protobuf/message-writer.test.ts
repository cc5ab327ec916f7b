// Messages compared byte by byte with those of another protobuf writer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { MessageWriter } from './message-writer.ts'

type Writer = Pick<MessageWriter, 'tag' | 'bool' | 'int32' | 'int64' | 'sint64' | 'sfixed64' | 'string' | 'bytes'> &
  Pick<MessageWriter, 'uint32' | 'fork' | 'join' | 'finish'>

const int64s = [0, 1, -1, 63, 64, -64, -65, 127, 128, 2 ** 31, -(2 ** 31), 2 ** 51, 2 ** 53 - 1, 1 - 2 ** 53, 2n ** 60n]
const limits = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, -(2n ** 53n)]
const texts = ['', 'a', 'é', 'x'.repeat(127), 'x'.repeat(128), 'é'.repeat(64), '€'.repeat(43), '😀'.repeat(5_000)]

const cases: [what: string, write: (writer: Writer) => unknown][] = [
  ['tags', (writer) => [1, 15, 16, 1001, 2 ** 28].map((field) => writer.tag(field, 2))],
  ['truth', (writer) => writer.bool(true).bool(false)],
  ['numbers of 32 bits', (writer) => [0, 1, 300, -1, 2 ** 31 - 1, -(2 ** 31)].map((value) => writer.int32(value))],
  ['unsigned numbers of 32 bits', (writer) => [0, 127, 128, 2 ** 31 - 1].map((value) => writer.uint32(value))],
  ['numbers of 64 bits', (writer) => [...int64s, ...limits].map((value) => writer.int64(value))],
  ['zig-zag numbers', (writer) => [...int64s, ...limits].map((value) => writer.sint64(value))],
  ['fixed numbers', (writer) => [...int64s, ...limits].map((value) => writer.sfixed64(value))],
  ['texts, also with more bytes than characters', (writer) => texts.map((text) => writer.string(text))],
  ['bytes', (writer) => [0, 1, 127, 128, 20_000].map((length) => writer.bytes(Buffer.alloc(length, 7)))],
  ['messages in messages, of all lengths', (writer) => nested(writer, 40)],
]

function nested(writer: Writer, depth: number): void {
  writer.tag(1, 2).fork().string('x'.repeat(depth))
  if (depth > 0) nested(writer, depth - 1)
  writer.bool(true).join()
}

for (const [what, write] of cases) {
  test(what, () => {
    const [ours, theirs] = [new MessageWriter(), new BinaryWriter() as unknown as Writer]
    write(ours)
    write(theirs)
    assert.deepEqual(Buffer.from(ours.finish()), Buffer.from(theirs.finish()))
  })
}

test('digits are written as the bytes they stand for', () => {
  const [digits, bytes] = [new MessageWriter(), new MessageWriter()]
  for (const text of ['', '00', 'ab'.repeat(100)]) {
    digits.hex(text)
    bytes.bytes(Buffer.from(text, 'hex'))
  }
  assert.deepEqual(digits.finish(), bytes.finish())
})

test('a finished message stays unchanged when the writer goes on', () => {
  const writer = new MessageWriter()
  const first = writer.string('first').finish()
  const large = writer.bytes(Buffer.alloc(100_000, 1)).finish()
  const last = writer.string('last').finish()
  assert.deepEqual(Buffer.from(first), Buffer.from('\x05first'))
  assert.equal(large.length, 100_003)
  assert.deepEqual(Buffer.from(last), Buffer.from('\x04last'))
})
