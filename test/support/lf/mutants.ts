// Packages that are wrong in one place each: a well-typed package, taken apart into messages, with one of them changed,
// left out, repeated, swapped, or replaced by another of its kind. A seed names a mutant.

import { packageSchema, repeatedFields } from './package-schema.ts'
import { archiveOf, payloadOf } from './package-writer.ts'

type Leaf = { readonly number: number; readonly wire: number; value: Buffer }
type Node = { readonly number: number; readonly wire: 2; readonly message: string; fields: Field[] }
type Field = Leaf | Node

const isNode = (field: Field): field is Node => 'message' in field

/** Numbers from a seed: mulberry32. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

export type Mutation = { readonly archive: Buffer; readonly what: string }

/** `content` is a package as an archive's payload holds it. */
export function mutate(content: Uint8Array, minor: string, seed: number): Mutation {
  const root: Node = { number: 0, wire: 2, message: 'Package', fields: parse(Buffer.from(content), 'Package') }
  const random = randomFrom(seed)
  const places = collect(root)
  let what = ''
  for (let attempt = 0; what === '' && attempt < 100; attempt++) what = change(places, random)
  return { archive: archiveOf(payloadOf(encodeFields(root.fields), minor)), what }
}

type Place = { readonly parent: Node; readonly field: Field }

function collect(root: Node): readonly Place[] {
  const places: Place[] = []
  const pending = [root]
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    for (const field of parent.fields) {
      if (isText(parent, field)) continue
      places.push({ parent, field })
      if (isNode(field)) pending.push(field)
    }
  }
  return places
}

/** Texts of a package stay: another one is another index. */
const isText = (parent: Node, field: Field): boolean => parent.message === 'Package' && !isNode(field)

/** Says what was changed, or nothing if the change does not apply here. */
function change(places: readonly Place[], random: (below: number) => number): string {
  const { parent, field } = places[random(places.length)]!
  const index = parent.fields.indexOf(field)
  const name = `${parent.message}.${field.number}`
  switch (random(6)) {
    case 0:
    case 1:
    case 2: {
      const others = places.filter((other) => isSameKind(other, { parent, field }) && other.field !== field)
      const other = others[random(Math.max(others.length, 1))]
      if (other === undefined || encodeField(other.field).equals(encodeField(field))) return ''
      parent.fields[index] = renumbered(other.field, field.number)
      return `replace ${name}`
    }
    case 3:
      if (parent.message === 'Package') return ''
      parent.fields.splice(index, 1)
      return `drop ${name}`
    case 4:
      if (!repeatedFields.has(name)) return ''
      parent.fields.splice(index, 0, field)
      return `repeat ${name}`
    default: {
      const next = parent.fields.findIndex((other, at) => at > index && other.number === field.number)
      if (next < 0 || parent.message === 'Package') return ''
      const other = parent.fields[next]!
      if (encodeField(other).equals(encodeField(field))) return ''
      parent.fields[index] = other
      parent.fields[next] = field
      return `swap ${name}`
    }
  }
}

function isSameKind(a: Place, b: Place): boolean {
  if (isNode(a.field) && isNode(b.field)) return a.field.message === b.field.message
  return (
    !isNode(a.field) && !isNode(b.field) && a.parent.message === b.parent.message && a.field.number === b.field.number
  )
}

/** A copy: what replaces a message may contain it. */
function renumbered(field: Field, number: number): Field {
  if (!isNode(field)) return { ...field, number }
  return { ...field, number, fields: parse(encodeFields(field.fields), field.message) }
}

// ── The wire format

function parse(bytes: Buffer, message: string): Field[] {
  const fields: Field[] = []
  const schema = packageSchema[message] ?? {}
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const [number, wire] = [tag >>> 3, tag & 7]
    const start = at
    if (wire === 0) {
      varint()
      fields.push({ number, wire, value: bytes.subarray(start, at) })
    } else if (wire === 1) {
      at += 8
      fields.push({ number, wire, value: bytes.subarray(start, at) })
    } else {
      const length = varint()
      const value = bytes.subarray(at, at + length)
      at += length
      const inner = schema[number]
      if (inner === undefined) fields.push({ number, wire, value })
      else fields.push({ number, wire: 2, message: inner, fields: parse(value, inner) })
    }
  }
  return fields
}

function encodeField(field: Field): Buffer {
  const tag = encodeVarint(field.number * 8 + field.wire)
  const value = isNode(field) ? encodeFields(field.fields) : field.value
  return field.wire === 2 ? Buffer.concat([tag, encodeVarint(value.length), value]) : Buffer.concat([tag, value])
}

function encodeFields(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.map(encodeField))
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return Buffer.from(bytes)
}
