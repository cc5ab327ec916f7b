// Messages of protobuf that no client would send: cut off, changed, with fields that do not exist or of another wire
// type, nested too deep, too many, too long.
import { MessageWriter } from '../../src/protobuf/message-writer.ts'
import type { Field, MessageType } from '../../src/protobuf/messages.ts'
import { type Dice, pick } from '../../test/fixtures/dice.ts'
import { mutateBytes } from './mutation.ts'

type Make = (type: MessageType, dice: Dice) => Uint8Array

const texts = [
  '',
  'a',
  'alice::1220',
  '#quickstart:Iou:Iou',
  '00'.repeat(33),
  '\0',
  'ü'.repeat(300),
  '__proto__',
] as const
const numbers = [0n, 1n, -1n, 127n, 2n ** 31n, -(2n ** 31n), 2n ** 63n - 1n, -(2n ** 63n)] as const
const depthMax = 6

/** All fields of the message, each with some value of its type. */
function whole(type: MessageType, dice: Dice, depth = 0): Buffer {
  const writer = new MessageWriter()
  for (const field of type.fields) {
    for (let times = field.occurs === 'repeated' ? dice(3) : dice(5) === 0 ? 0 : 1; times > 0; times -= 1) {
      writeField(writer, field, dice, depth)
    }
  }
  return Buffer.from(writer.finish())
}

function writeField(writer: MessageWriter, { number, kind, occurs }: Field, dice: Dice, depth: number): void {
  const content = (): Buffer => {
    if (typeof kind === 'object' && kind.is === 'message') {
      return depth >= depthMax ? Buffer.alloc(0) : whole(kind, dice, depth + 1)
    }
    return kind === 'bytes' ? Buffer.from([dice(256), dice(256)]) : Buffer.from(pick(dice, texts))
  }
  if (occurs === 'map') {
    const value = new MessageWriter()
    value.tag(1, 2).string(pick(dice, texts)).tag(2, 2).bytes(content())
    writer.tag(number, 2).bytes(value.finish())
  } else if (typeof kind === 'object' ? kind.is === 'message' : kind === 'string' || kind === 'bytes') {
    writer.tag(number, 2).bytes(content())
  } else if (kind === 'sfixed64') writer.tag(number, 1).sfixed64(pick(dice, numbers))
  else writer.tag(number, 0).int64(pick(dice, numbers))
}

const random = (dice: Dice, length: number) => Buffer.from(Array.from({ length }, () => dice(256)))

/** A field of any number and wire type; groups are none that proto3 has. */
function stray(dice: Dice, number = 1 + dice(2) * dice(2 ** 29 - 1), wireType = dice(8)): Buffer {
  const writer = new MessageWriter()
  writer.uint32(((number << 3) | wireType) >>> 0)
  return Buffer.concat([writer.finish(), random(dice, pick(dice, [0, 1, 4, 8, 12]))])
}

/** The first field that holds a message of messages, within itself as often as it goes. */
function nested(type: MessageType, dice: Dice): Buffer {
  const field = type.fields.find(({ kind }) => typeof kind === 'object' && kind.is === 'message') ?? type.fields[0]
  const number = field?.number ?? 1
  let content: Buffer = Buffer.alloc(0)
  for (let depth = pick(dice, [50, 200, 2_000]); depth > 0; depth -= 1) {
    const writer = new MessageWriter()
    writer.tag(number, 2).bytes(content)
    content = Buffer.from(writer.finish())
  }
  return content
}

export const kinds: Readonly<Record<string, Make>> = {
  'random bytes': (_, dice) => random(dice, dice(60)),
  'all fields': (type, dice) => whole(type, dice),
  'cut off': (type, dice) => {
    const bytes = whole(type, dice)
    return bytes.subarray(0, dice(bytes.length + 1))
  },
  changed: (type, dice) => mutateBytes(whole(type, dice), dice, [whole(type, dice)]),
  'unknown fields': (type, dice) => {
    const unknown = new MessageWriter()
    unknown
      .tag(500 + dice(1000), 2)
      .string('unknown')
      .tag(1_000_000, 0)
      .int64(-1)
      .tag(77, 1)
      .sfixed64(5n)
    return Buffer.concat([unknown.finish(), whole(type, dice), unknown.finish()])
  },
  'another wire type': (type, dice) => {
    const field = pick(dice, type.fields)
    return Buffer.concat([whole(type, dice), stray(dice, field?.number ?? 1)])
  },
  'stray tags': (type, dice) => Buffer.concat([whole(type, dice), stray(dice), stray(dice)]),
  'nested too deep': (type, dice) => nested(type, dice),
  'many elements': (type, dice) => {
    const field = type.fields.find(({ occurs }) => occurs === 'repeated' || occurs === 'map') ?? type.fields[0]
    const one = Buffer.from([(((field?.number ?? 1) << 3) | 2) & 0x7f, 0])
    return Buffer.alloc(pick(dice, [2_000, 60_000]), one)
  },
  'one long text': (type, dice) => {
    const writer = new MessageWriter()
    const field = type.fields.find(({ kind }) => kind === 'string') ?? type.fields[0]
    return Buffer.from(
      writer
        .tag(field?.number ?? 1, 2)
        .bytes(Buffer.alloc(pick(dice, [1_000, 60_000]), pick(dice, ['x', '%', '\xff'])))
        .finish(),
    )
  },
}

/** Frames that hold no message: other flags, other lengths, several, none. */
export function hostileFrames(message: Uint8Array, dice: Dice): Buffer {
  const head = Buffer.alloc(5)
  head[0] = pick(dice, [0, 0, 1, 2, 255])
  head.writeUInt32BE(
    pick(dice, [0, message.length, message.length + 1, Math.max(0, message.length - 1), 2 ** 32 - 1]),
    1,
  )
  const frame = Buffer.concat([head, message])
  return pick(dice, [
    frame,
    frame.subarray(0, dice(5)),
    Buffer.concat([frame, frame]),
    Buffer.concat([frame, random(dice, 3)]),
  ])
}
