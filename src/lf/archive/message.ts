// Protobuf messages as tables. A row names a field and how its content is read; the loop here walks the rows and
// refuses what no row allows: unknown fields, wrong wire types, fields given twice, fields that are missing.

import { readInt32, readLength, tagOf, wireTypes } from '../../protobuf/wire-reading.ts'
import type { Minor } from '../syntax/ast.ts'
import { refuse } from './archive-error.ts'
import type { Content, Field, Form, Rule } from './content.ts'
import { type Decoding, seek } from './decoding.ts'
import { compileMapped, compileMessage, compileOneOf, type Helpers, readerOf } from './reader-code.ts'

type Values<Fields extends readonly Field<unknown>[]> = {
  [I in keyof Fields]: Fields[I] extends Field<infer T> ? T : never
}

export const once = <T>(number: number, name: string, content: Content<T>): Field<T> => {
  return { number, name, content, occurs: 'once' }
}

export const maybe = <T>(number: number, name: string, content: Content<T>): Field<T | undefined> => {
  return { number, name, content, occurs: 'maybe' }
}

export const many = <T>(number: number, name: string, content: Content<T>, rule: Rule = {}): Field<readonly T[]> => {
  return { number, name, content, occurs: 'many', rule }
}

/** A message whose fields, in the order of its rows, are the arguments of `build`. */
export function message<const Fields extends readonly Field<unknown>[], T>(
  name: string,
  fields: Fields,
  build: (...values: Values<Fields>) => T,
): Content<T> {
  const rows = rowsByTag(fields)
  const buildFrom = build as unknown as (...values: unknown[]) => T
  const read = (decoding: Decoding): T => {
    const outerEnd = decoding.end
    const end = enterMessage(decoding)
    const values: unknown[] = new Array(fields.length)
    while (decoding.position < end) {
      const tag = readInt32(decoding)
      const row = rows[tag]
      if (row === undefined) return refuseField(decoding, name, tag, fields)
      row.take(decoding, values)
    }
    leaveMessage(decoding, end, outerEnd)
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!
      if (values[i] === undefined) values[i] = absentValue(decoding, name, field)
      if (field.rule) checkRule(decoding, name, field, values[i] as unknown[])
    }
    return values.length <= 3 ? buildFrom(values[0], values[1], values[2]) : buildFrom(...values)
  }
  return onceOften(read, () => compileMessage(name, fields, buildFrom, helpers))
}

export const form = <T>(number: number, name: string, content: Content<T>, since?: Minor, until?: Minor): Form<T> => {
  return { number, name, content, ...(since && { since }), ...(until && { until }) }
}

/** A message that is one `oneof` and nothing else: exactly one form must be there. */
export function oneOf<T>(name: string, forms: readonly Form<T>[]): Content<T> {
  const byTag = formsByTag(forms)
  const read = (decoding: Decoding): T => {
    const outerEnd = decoding.end
    const end = enterMessage(decoding)
    let value: T | undefined
    while (decoding.position < end) {
      const tag = readInt32(decoding)
      const chosen = byTag[tag]
      if (chosen === undefined) return refuseField(decoding, name, tag, forms)
      if (value !== undefined) refuse(decoding, `${name} has more than one form`)
      value = readForm(decoding, name, chosen)
    }
    leaveMessage(decoding, end, outerEnd)
    return value === undefined ? refuse(decoding, `${name} has no form`) : value
  }
  return onceOften(read, () => compileOneOf(name, forms, helpers))
}

/** Up to so many are read by walking the rows: most programs read few, and compiling takes as long as reading 500. */
const walkedMax = 500

/** Content that is read by compiled code once many were read. */
function onceOften<T>(
  walk: (decoding: Decoding) => T,
  compile: () => (decoding: Decoding) => T,
): Content<T> & { compiled: () => (decoding: Decoding) => T } {
  let current: ((decoding: Decoding) => T) | undefined
  let count = 0
  const compiled = (): ((decoding: Decoding) => T) => {
    current ??= compile()
    return current
  }
  const read = (decoding: Decoding): T => {
    if (current !== undefined) return current(decoding)
    count += 1
    return count > walkedMax ? compiled()(decoding) : walk(decoding)
  }
  return { wireType: wireTypes.bytes, read, compiled }
}

export function formsByTag<T>(forms: readonly Form<T>[]): (Form<T> | undefined)[] {
  const byTag: (Form<T> | undefined)[] = []
  for (const row of forms) byTag[tagOf(row.number, row.content.wireType)] = row
  return filled(byTag)
}

export function readForm<T>(decoding: Decoding, name: string, chosen: Form<T>): T {
  if (chosen.since !== undefined && decoding.minor < chosen.since) refuseVersion(decoding, `${name}.${chosen.name}`)
  if (chosen.until !== undefined && decoding.minor > chosen.until) refuseVersion(decoding, `${name}.${chosen.name}`)
  return chosen.content.read(decoding)
}

/** Content that is converted after it is read. */
export function mapped<A, B>(content: Content<A>, convert: (value: A, decoding: Decoding) => B): Content<B> {
  const { wireType, read, absent } = content
  return {
    wireType,
    read: (decoding) => convert(read(decoding), decoding),
    compiled: () => compileMapped(readerOf(content), convert),
    ...(absent && { absent: (decoding) => convert(absent(decoding), decoding) }),
  }
}

/** Reads what starts at a place directly in the package. */
export function readPart<T>(decoding: Decoding, start: number, content: Content<T>): T {
  seek(decoding, start)
  return content.read(decoding)
}

const messagesBetweenChecksMask = 2 ** 10 - 1

/** Reads a message's length; from here on the cursor may not pass its end. */
export function enterMessage(decoding: Decoding): number {
  const end = readLength(decoding)
  decoding.messages++
  if ((decoding.messages & messagesBetweenChecksMask) === 0) decoding.check?.()
  decoding.depth++
  if (decoding.depth > decoding.depthMax) refuse(decoding, `messages are nested more than ${decoding.depthMax} deep`)
  decoding.end = end
  return end
}

export function leaveMessage(decoding: Decoding, end: number, outerEnd: number): void {
  if (decoding.position !== end) refuse(decoding, 'a field reaches beyond the message it is in')
  decoding.end = outerEnd
  decoding.depth--
}

export function refuseVersion(decoding: Decoding, what: string): never {
  return refuse(decoding, `${what} is not available in LF 2.${decoding.minor}`)
}

export function refuseField(
  decoding: Decoding,
  message: string,
  tag: number,
  known: readonly { readonly number: number; readonly name: string }[],
): never {
  const number = tag >>> 3
  const wireType = tag & 7
  const field = known.find((row) => row.number === number)
  if (field) return refuse(decoding, `${message}.${field.name} has the wrong wire type ${wireType}`)
  return refuse(decoding, `unknown field ${number} in ${message}`)
}

type Row = { readonly take: (decoding: Decoding, values: unknown[]) => void }

function rowsByTag(fields: readonly Field<unknown>[]): (Row | undefined)[] {
  const rows: (Row | undefined)[] = []
  for (const [slot, field] of fields.entries()) {
    const { wireType, read } = field.content
    if (field.occurs !== 'many') {
      rows[tagOf(field.number, wireType)] = { take: takeOne(slot, field) }
      continue
    }
    rows[tagOf(field.number, wireType)] = {
      take: (decoding, values) => listIn(values, slot).push(read(decoding)),
    }
    if (wireType === wireTypes.varint) {
      rows[tagOf(field.number, wireTypes.bytes)] = { take: takePacked(slot, read) }
    }
  }
  return filled(rows)
}

function takeOne(slot: number, field: Field<unknown>): Row['take'] {
  const { read } = field.content
  return (decoding, values) => {
    if (values[slot] !== undefined) refuseTwice(decoding, field)
    values[slot] = read(decoding)
  }
}

/** Numbers may be written one by one or packed into one field; protobuf readers must accept both. */
function takePacked(slot: number, read: (decoding: Decoding) => unknown): Row['take'] {
  return (decoding, values) => readPacked(decoding, listIn(values, slot), read)
}

function readPacked(decoding: Decoding, list: unknown[], read: (decoding: Decoding) => unknown): void {
  const end = readLength(decoding)
  while (decoding.position < end) list.push(read(decoding))
  if (decoding.position !== end) refuse(decoding, 'a field reaches beyond the list it is in')
}

function listIn(values: unknown[], slot: number): unknown[] {
  const list = values[slot] as unknown[] | undefined
  if (list !== undefined) return list
  const created: unknown[] = []
  values[slot] = created
  return created
}

function refuseTwice(decoding: Decoding, { name }: Field<unknown>): never {
  return refuse(decoding, `the field ${name} is given twice`)
}

const noElements: readonly unknown[] = []

function absentValue(decoding: Decoding, message: string, field: Field<unknown>): unknown {
  if (field.occurs === 'many') return noElements
  if (field.occurs === 'maybe') return undefined
  if (field.content.absent) return field.content.absent(decoding)
  return refuse(decoding, `${message}.${field.name} is missing`)
}

function checkRule(decoding: Decoding, message: string, field: Field<unknown>, list: readonly unknown[]): void {
  const { min = 0, flatMax } = field.rule!
  if (list.length < min) refuse(decoding, `${message}.${field.name} is empty`)
  if (flatMax !== undefined && decoding.minor >= 2 && list.length > flatMax) {
    refuse(
      decoding,
      `${message}.${field.name} has ${list.length} elements where LF 2.${decoding.minor} allows ${flatMax}`,
    )
  }
}

/** Look-ups in an array without holes are faster. */
function filled<T>(rows: (T | undefined)[]): (T | undefined)[] {
  return Array.from(rows)
}

/** What compiled readers call. */
const helpers: Helpers = {
  enterMessage,
  leaveMessage,
  readInt32,
  readPacked,
  refuse,
  refuseField,
  refuseTwice,
  absentValue,
  checkRule,
  readForm,
}
