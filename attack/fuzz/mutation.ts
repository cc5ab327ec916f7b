// Makes valid inputs invalid in small ways; most stay close enough to valid to reach deep into a decoder.
import { type Dice, pick } from '../../test/fixtures/dice.ts'

/** Mutations may double an input; the cost of large inputs is tested by another campaign. */
const lengthMax = 32 * 1024

type Edit<T> = (input: T, dice: Dice, others: readonly T[]) => T

/** A few edits in a row. */
function edited<T extends { readonly length: number }>(
  edits: readonly Edit<T>[],
  input: T,
  dice: Dice,
  others: readonly T[],
): T {
  let current = input
  for (let left = 1 + dice(4); left > 0; left -= 1) {
    const next = pick(dice, edits)(current, dice, others)
    if (next.length <= lengthMax) current = next
  }
  return current
}

// ── Bytes

const oddBytes = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x1a, 0x22, 0xfe, 0xc0, 0xed] as const
/** Lengths, counts and tags at the limits of protobuf and zip. */
const oddPieces = [
  Buffer.from('ffffffff0f', 'hex'),
  Buffer.from('ffffffffffffffffff01', 'hex'),
  Buffer.from('8080808080808080808000', 'hex'),
  Buffer.from('ffffffff', 'hex'),
  Buffer.from('ffffff7f', 'hex'),
  Buffer.from('0000000000000080', 'hex'),
  Buffer.from('0b0b0b0b0c0c0c0c', 'hex'),
  Buffer.from('0a7f0a7d0a7b0a79', 'hex'),
  Buffer.from('__proto__'),
  Buffer.from('constructor'),
  Buffer.from('eda080', 'hex'),
  Buffer.from('c080', 'hex'),
]

const at = (dice: Dice, input: { readonly length: number }) => dice(input.length + 1)
const replaced = (bytes: Buffer, from: number, to: number, piece: Buffer) =>
  Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)])

const byteEdits: readonly Edit<Buffer>[] = [
  withByte((byte, dice) => byte ^ (1 << dice(8))),
  withByte((_, dice) => dice(256)),
  withByte((_, dice) => pick(dice, oddBytes)),
  withByte((byte, dice) => byte + dice(9) - 4),
  (bytes, dice) => {
    const from = at(dice, bytes)
    return replaced(bytes, from, from + dice(9), Buffer.alloc(0))
  },
  (bytes, dice) => {
    const from = at(dice, bytes)
    return replaced(bytes, from, from, Buffer.from([dice(256), dice(256)].slice(dice(2))))
  },
  (bytes, dice) => {
    const from = at(dice, bytes)
    const piece = pick(dice, oddPieces)
    return replaced(bytes, from, from + dice(2) * piece.length, piece)
  },
  (bytes, dice) => bytes.subarray(0, at(dice, bytes)),
  (bytes, dice) => {
    const [from, length, to] = [at(dice, bytes), dice(64), at(dice, bytes)]
    return replaced(bytes, to, to, bytes.subarray(from, from + length))
  },
  (bytes, dice, others) => {
    const other = pick(dice, others)
    return Buffer.concat([bytes.subarray(0, at(dice, bytes)), other.subarray(at(dice, other))])
  },
  (bytes, dice, others) => {
    const other = pick(dice, others)
    const [from, to] = [at(dice, other), at(dice, bytes)]
    return replaced(bytes, to, to, other.subarray(from, from + dice(64)))
  },
]

function withByte(change: (byte: number, dice: Dice) => number): Edit<Buffer> {
  return (bytes, dice) => {
    if (bytes.length === 0) return bytes
    const copy = Buffer.from(bytes)
    const index = dice(copy.length)
    copy[index] = change(copy[index]!, dice)
    return copy
  }
}

export function mutateBytes(bytes: Buffer, dice: Dice, others: readonly Buffer[]): Buffer {
  return edited(byteEdits, bytes, dice, others)
}

// ── Text

const oddTexts = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'true', '""', '{}', '[]', '[[', '{"', '"'],
  ...[
    '\0',
    '\ud800',
    '\udc00',
    '\uffff',
    '\u{1f600}',
    'é',
    '\\u0000',
    '\\u0000@0',
    '\\u00001',
    '\\u0000{',
    '\\ud800',
    '\\',
    '\r\n',
    '\t',
    ' ',
    '\u2028',
  ],
  ...['0', '-0', '-1', '1e999', '1e-999', '0.1', '9223372036854775807', '9223372036854775808', '-9223372036854775809'],
  ...['9'.repeat(40), '9'.repeat(400), '9007199254740993', '2147483648', '4294967296', '1.00000000001', '+1', '01'],
  ...['.', '..', ':', '::', '#', '%', '%00', '/', '-', '_', ',', ';', '=', '==', '+', '@', '$', '*', '&', '?'],
  ...['T', 'Z', '+00:00', '-18:00', '9999-12-31T23:59:59.999999Z', '0000-00-00', '1220', 'ff', '00'],
] as const

const textEdits: readonly Edit<string>[] = [
  (text, dice) => {
    const from = at(dice, text)
    return text.slice(0, from) + pick(dice, oddTexts) + text.slice(from)
  },
  (text, dice) => {
    const from = at(dice, text)
    const odd = pick(dice, oddTexts)
    return text.slice(0, from) + odd + text.slice(from + odd.length)
  },
  (text, dice) => {
    const from = at(dice, text)
    return text.slice(0, from) + text.slice(from + dice(9))
  },
  (text, dice) => {
    const from = at(dice, text)
    return (
      text.slice(0, from) +
      String.fromCharCode(dice(4) === 0 ? dice(0x10000) : 0x20 + dice(0x5f)) +
      text.slice(from + 1)
    )
  },
  (text, dice) => text.slice(0, at(dice, text)),
  (text, dice) => {
    const [from, length, to] = [at(dice, text), dice(64), at(dice, text)]
    return text.slice(0, to) + text.slice(from, from + length) + text.slice(to)
  },
  (text, dice) => {
    const from = at(dice, text)
    return text.slice(0, from) + text.slice(from, from + 1 + dice(4)).repeat(2 + dice(40)) + text.slice(from)
  },
  (text, dice, others) => {
    const other = pick(dice, others)
    return text.slice(0, at(dice, text)) + other.slice(at(dice, other))
  },
]

export function mutateText(text: string, dice: Dice, others: readonly string[]): string {
  return edited(textEdits, text, dice, others)
}

// ── JSON

const oddValues: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e300, 2 ** 53, 2 ** 63, '', 'text', [], {}, [null], [[]], '\0', '\ud800'],
  ...[
    '9223372036854775808',
    '1e5',
    ' 1',
    '1 ',
    '#a:b:c',
    'a:b:c',
    ':::',
    'Bw==',
    'not base64!',
    '2030-01-01T00:00:00Z',
  ],
  ...[Object.fromEntries([['', 1]]), JSON.parse('{"__proto__":{"polluted":true}}'), { constructor: { prototype: 1 } }],
  ...[{ tag: 'Some', value: {} }, { value: {} }, { oneof: 1 }, Array.from({ length: 300 }, () => ({}))],
]

const oddValueTexts = oddValues.map((value) => JSON.stringify(value))

type Parts = Record<string, unknown>

/** Mutates the text half of the time; otherwise replaces, removes, renames or repeats one part of the value. */
export function mutateJson(text: string, dice: Dice, others: readonly string[]): string {
  if (dice(2) === 0) return mutateText(text, dice, others)
  const root = parsed(text)
  if (root === undefined) return mutateText(text, dice, others)
  const holder: Parts = { root }
  for (let left = 1 + dice(3); left > 0; left -= 1) editPart(holder, dice, others)
  const changed = JSON.stringify(holder.root) ?? 'null'
  return changed.length <= lengthMax ? changed : text
}

function editPart(holder: Parts, dice: Dice, others: readonly string[]): void {
  let parent = holder
  let key = 'root'
  for (;;) {
    const child = parent[key]
    if (typeof child !== 'object' || child === null || dice(5) === 0) break
    const keys = Object.keys(child)
    if (keys.length === 0) break
    parent = child as Parts
    key = pick(dice, keys)
  }
  const found = parent[key]
  const isNamed = parent !== holder && !Array.isArray(parent)
  const action = dice(6)
  if (action === 0 && parent !== holder) delete parent[key]
  else if (action === 1 && isNamed) define(parent, pick(dice, oddTexts), found)
  else if (action === 2) parent[key] = [found]
  else if (action === 3) parent[key] = parsed(pick(dice, others)) ?? null
  else if (action === 4 && typeof found === 'string') parent[key] = mutateText(found, dice, others)
  else parent[key] = JSON.parse(pick(dice, oddValueTexts))
}

function define(parts: Parts, name: string, value: unknown): void {
  Object.defineProperty(parts, name, { value, enumerable: true, configurable: true, writable: true })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
