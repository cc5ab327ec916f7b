import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Cursor,
  inMessage,
  openCursor,
  readFixedInt64,
  readInt32,
  readLength,
  readSignedInt64,
  readTag,
  readText,
  skipField,
} from './wire-reading.ts'

type Read = (cursor: Cursor) => unknown

/** Groups may be nested twice. */
const skipAny: Read = (cursor) => skipField(cursor, readTag(cursor), 2)
/** One number in a message. */
const readFirst: Read = (cursor) => inMessage(cursor, () => readInt32(cursor))
const skipWithoutGroups: Read = (cursor) => skipField(cursor, readTag(cursor))

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
  ['an unknown number', skipAny, [0x08, 0x80, 0x01], undefined],
  ['an unknown fixed64', skipAny, [0x09, ...Array(8).fill(0)], undefined],
  ['unknown bytes', skipAny, [0x0a, 2, 1, 2], undefined],
  ['an unknown fixed32', skipAny, [0x0d, 0, 0, 0, 0], undefined],
  ['an unknown group in a group', skipAny, [0x0b, 0x13, 0x08, 1, 0x14, 0x0c], undefined],
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
  ['an int32 that reaches beyond its message', readFirst, [1, 0x80, 0x01], /cut off \(at byte 2\)/],
  ['a message with more than one number', readFirst, [2, 1, 1], /does not end where it should/],
  ['a field with the number 0', skipAny, [0x00], /number 0/],
  ['an unknown fixed32 of 3 bytes', skipAny, [0x0d, 0, 0, 0], /cut off/],
  ['a wire type that does not exist', skipAny, [0x0e], /cannot have the wire type 6/],
  ['a group where there may be none', skipWithoutGroups, [0x0b, 0x0c], /cannot have the wire type 3/],
  ['a group that is nested too deeply', skipAny, [0x0b, 0x13, 0x1b, 0x1c, 0x14, 0x0c], /nested too deeply/],
  ['a group with the end of another', skipAny, [0x0b, 0x14], /the end of another/],
  ['a group without an end', skipAny, [0x0b], /has no end/],
]

for (const [title, read, bytes, message] of bad) {
  test(`${title} is refused`, () => {
    assert.throws(() => read(openCursor(Uint8Array.from(bytes), 'test')), { name: 'ProtobufError', message })
  })
}
