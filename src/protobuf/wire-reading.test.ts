import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Cursor,
  openCursor,
  readFixedInt64,
  readInt32,
  readLength,
  readSignedInt64,
  readText,
} from './wire-reading.ts'

type Read = (cursor: Cursor) => unknown

const good: readonly (readonly [title: string, read: Read, bytes: number[], want: unknown])[] = [
  ['a small int32', readInt32, [0x7f], 127],
  ['an int32 of two bytes', readInt32, [0x80, 0x01], 128],
  ['an int32 below zero', readInt32, [...Array(9).fill(0xff), 0x01], -1],
  ['a sint64', readSignedInt64, [0x03], -2n],
  ['a sint64 of two bytes', readSignedInt64, [0x80, 0x01], 64n],
  ['the smallest sint64', readSignedInt64, [...Array(9).fill(0xff), 0x01], -(2n ** 63n)],
  ['an sfixed64', readFixedInt64, Array(8).fill(0xff), -1n],
  ['a text', readText, [3, 0x61, 0xc3, 0xa9], 'aé'],
  ['a text with a replacement character of its own', readText, [3, 0xef, 0xbf, 0xbd], '\ufffd'],
]

for (const [title, read, bytes, want] of good) {
  test(`${title} is read to its last byte`, () => {
    const cursor = openCursor(Uint8Array.from(bytes), 'test')
    assert.equal(read(cursor), want)
    assert.equal(cursor.position, bytes.length)
  })
}

const bad: readonly (readonly [title: string, read: Read, bytes: number[], message: RegExp])[] = [
  ['no int32', readInt32, [], /cut off \(at byte 0\)/],
  ['an int32 that does not end', readInt32, [0x80], /cut off \(at byte 1\)/],
  ['an int32 of 11 bytes', readInt32, Array(11).fill(0x80), /more than 10 bytes/],
  ['a sint64 that does not end', readSignedInt64, [0x80, 0x80], /cut off/],
  ['a sint64 of 11 bytes', readSignedInt64, Array(11).fill(0x80), /more than 10 bytes/],
  ['an sfixed64 of 7 bytes', readFixedInt64, Array(7).fill(0), /cut off/],
  ['a length beyond the end', readLength, [1], /cut off, or a length is wrong/],
  ['a length below zero', readLength, [...Array(9).fill(0xff), 0x01], /a length is negative/],
  ['a text that is not UTF-8', readText, [1, 0xff], /not valid UTF-8/],
]

for (const [title, read, bytes, message] of bad) {
  test(`${title} is refused`, () => {
    assert.throws(() => read(openCursor(Uint8Array.from(bytes), 'test')), { name: 'ProtobufError', message })
  })
}
