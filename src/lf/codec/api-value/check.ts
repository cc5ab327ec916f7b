// Reads the values of a client's commands from protobuf, and checks what can be checked without their types. Mirrors
// Canton's ValueValidator, text by text. Unlike for stored values, unknown fields are skipped, and of several forms of one
// value the last one counts.
import { invalidArgument, invalidField, missingField } from '../../../base/errors.ts'
import { dottedNameProblem, nameProblem, packageIdProblem, partyProblem } from '../../../base/names.ts'
import {
  type Cursor,
  inMessage,
  openCursor,
  readFixedInt64,
  readInt32,
  readInt64,
  readSignedInt64,
  readTag,
  readText,
  refuse,
  refuseWireType,
  skipField,
  wireTypes,
} from '../../../protobuf/wire-reading.ts'
import { dateRange, timestampRange } from '../../archive/literals.ts'
import type { Identifier } from '../../syntax/ast.ts'
import { contractIdFromText } from '../../values/contract-ids.ts'
import { numericFromDecimal } from '../numeric-text.ts'
import type { LedgerValue, MaybeValue } from './type.ts'

/** Deeper than any value that is accepted; the check by type says so. */
const depthMax = 200

type Reader = (cursor: Cursor, depth: number) => LedgerValue
type Fields = Readonly<Record<number, (cursor: Cursor) => void>>

/** The content of a Value. Throws a LedgerError, or a ProtobufError for what is no protobuf. */
export function checkedValue(bytes: Uint8Array): LedgerValue {
  return present(readValue(openCursor(bytes, 'Value'), 0))
}

function present(value: MaybeValue): LedgerValue {
  if (value === undefined) throw missingField('value')
  return value
}

function readValue(cursor: Cursor, depth: number): MaybeValue {
  if (depth > depthMax) refuse(cursor, 'values are nested too deeply')
  let value: MaybeValue
  while (cursor.position < cursor.end) {
    const tag = readTag(cursor)
    const form = forms[tag >>> 3]
    if (form === undefined) skipField(cursor, tag)
    else if (form.wireType === (tag & 7)) value = form.read(cursor, depth)
    else refuseWireType(cursor, tag)
  }
  if (cursor.position !== cursor.end) refuse(cursor, 'a value does not end where it should', 'truncated')
  return value
}

const text =
  (kind: 'party' | 'text' | 'contract-id' | 'numeric', check: (text: string) => string | undefined): Reader =>
  (cursor) => {
    const value = readText(cursor)
    const problem = check(value)
    if (problem !== undefined) throw invalidArgument(problem)
    return { kind, value }
  }

const within =
  (read: Reader): Reader =>
  (cursor, depth) =>
    inMessage(cursor, () => read(cursor, depth))

const { varint, fixed64, bytes } = wireTypes

const forms: Readonly<Record<number, { readonly wireType: number; readonly read: Reader } | undefined>> = {
  1: { wireType: bytes, read: within(readUnit) },
  2: { wireType: varint, read: (cursor) => ({ kind: 'bool', value: readInt64(cursor) !== 0n }) },
  3: { wireType: varint, read: (cursor) => ({ kind: 'int64', value: readSignedInt64(cursor) }) },
  4: { wireType: varint, read: readDate },
  5: { wireType: fixed64, read: readTimestamp },
  6: { wireType: bytes, read: text('numeric', numericProblem) },
  7: { wireType: bytes, read: text('party', partyProblem) },
  8: { wireType: bytes, read: text('text', () => undefined) },
  9: { wireType: bytes, read: text('contract-id', idProblem) },
  10: { wireType: bytes, read: within(readOptional) },
  11: { wireType: bytes, read: within(readList) },
  12: { wireType: bytes, read: within(readTextMap) },
  13: { wireType: bytes, read: within(readGenMap) },
  14: { wireType: bytes, read: within(readRecord) },
  15: { wireType: bytes, read: within(readVariant) },
  16: { wireType: bytes, read: within(readEnum) },
}

function readUnit(cursor: Cursor): LedgerValue {
  readFields(cursor, {})
  return { kind: 'unit', value: {} }
}

function readDate(cursor: Cursor): LedgerValue {
  const value = readInt32(cursor)
  if (value < dateRange.min || value > dateRange.max) throw invalidArgument(`out of bound Date ${value}`)
  return { kind: 'date', value }
}

function readTimestamp(cursor: Cursor): LedgerValue {
  const value = readFixedInt64(cursor)
  if (value < timestampRange.min || value > timestampRange.max) {
    throw invalidArgument(`cannot convert long ${value} into Timestamp:out of bound Timestamp ${value}`)
  }
  return { kind: 'timestamp', value }
}

function numericProblem(value: string): string | undefined {
  return numericFromDecimal(value) === undefined ? `Could not read Numeric string "${value}"` : undefined
}

function idProblem(value: string): string | undefined {
  return contractIdFromText(value) === undefined ? `cannot parse ContractId "${value}"` : undefined
}

function readOptional(cursor: Cursor, depth: number): LedgerValue {
  let value: MaybeValue
  let isThere = false
  readFields(cursor, {
    1: () => {
      isThere = true
      value = inMessage(cursor, () => readValue(cursor, depth + 1))
    },
  })
  return { kind: 'optional', value: { value: isThere ? present(value) : undefined } }
}

function readList(cursor: Cursor, depth: number): LedgerValue {
  const elements: LedgerValue[] = []
  readFields(cursor, { 1: () => void elements.push(present(inMessage(cursor, () => readValue(cursor, depth + 1)))) })
  return { kind: 'list', value: { elements } }
}

function readTextMap(cursor: Cursor, depth: number): LedgerValue {
  const entries: { key: string; value: LedgerValue }[] = []
  const keys = new Set<string>()
  const readEntry = () => {
    let key = ''
    let value: MaybeValue
    readFields(cursor, {
      1: () => {
        key = readText(cursor)
      },
      2: () => {
        value = inMessage(cursor, () => readValue(cursor, depth + 1))
      },
    })
    entries.push({ key, value: present(value) })
    if (keys.has(key)) throw invalidArgument(`key ${key} duplicated when trying to build map`)
    keys.add(key)
  }
  readFields(cursor, { 1: () => inMessage(cursor, readEntry) })
  return { kind: 'text-map', value: { entries } }
}

function readGenMap(cursor: Cursor, depth: number): LedgerValue {
  const entries: { key: LedgerValue; value: LedgerValue }[] = []
  const readEntry = () => {
    let key: MaybeValue
    let value: MaybeValue
    readFields(cursor, {
      1: () => {
        key = inMessage(cursor, () => readValue(cursor, depth + 1))
      },
      2: () => {
        value = inMessage(cursor, () => readValue(cursor, depth + 1))
      },
    })
    if (key === undefined) throw missingField('key')
    entries.push({ key, value: present(value) })
  }
  readFields(cursor, { 1: () => inMessage(cursor, readEntry) })
  return { kind: 'gen-map', value: { entries } }
}

function readRecord(cursor: Cursor, depth: number): LedgerValue {
  let recordId: Identifier | undefined
  const fields: { label: string; value: LedgerValue }[] = []
  const readField = () => {
    let label = ''
    let value: MaybeValue
    readFields(cursor, {
      1: () => {
        label = readText(cursor)
      },
      2: () => {
        value = inMessage(cursor, () => readValue(cursor, depth + 1))
      },
    })
    const field = { label, value: present(value) }
    const problem = label === '' ? undefined : nameProblem(label)
    if (problem !== undefined) throw invalidArgument(problem)
    fields.push(field)
  }
  readFields(cursor, {
    1: () => {
      recordId = inMessage(cursor, () => readIdentifier(cursor))
    },
    2: () => inMessage(cursor, readField),
  })
  return { kind: 'record', value: { recordId, fields } }
}

function readVariant(cursor: Cursor, depth: number): LedgerValue {
  let variantId: Identifier | undefined
  let name = ''
  let value: MaybeValue
  readFields(cursor, {
    1: () => {
      variantId = inMessage(cursor, () => readIdentifier(cursor))
    },
    2: () => {
      name = readText(cursor)
    },
    3: () => {
      value = inMessage(cursor, () => readValue(cursor, depth + 1))
    },
  })
  requireName(name, 'constructor')
  return { kind: 'variant', value: { variantId, constructor: name, value: present(value) } }
}

function readEnum(cursor: Cursor): LedgerValue {
  let enumId: Identifier | undefined
  let name = ''
  readFields(cursor, {
    1: () => {
      enumId = inMessage(cursor, () => readIdentifier(cursor))
    },
    2: () => {
      name = readText(cursor)
    },
  })
  requireName(name, 'value')
  return { kind: 'enum', value: { enumId, constructor: name } }
}

function readIdentifier(cursor: Cursor): Identifier {
  const id = { packageId: '', module: '', name: '' }
  readFields(cursor, {
    1: () => {
      id.packageId = readText(cursor)
    },
    2: () => {
      id.module = readText(cursor)
    },
    3: () => {
      id.name = readText(cursor)
    },
  })
  checkIdentifier(id)
  return id
}

/** In Canton's order: module, entity, package. */
function checkIdentifier({ packageId, module, name }: Identifier): void {
  checkQualifiedName(module, name)
  if (packageId === '') throw missingField('package_id')
  const problem = packageIdProblem(packageId)
  if (problem !== undefined) throw invalidField('package_id', problem)
}

export function checkQualifiedName(module: string, name: string): void {
  const [inModule, inName] = [dottedNameProblem(module), dottedNameProblem(name)]
  if (inModule !== undefined) throw invalidField('module_name', inModule)
  if (inName !== undefined) throw invalidField('entity_name', inName)
}

function requireName(name: string, field: string): void {
  if (name === '') throw missingField(field)
  const problem = nameProblem(name)
  if (problem !== undefined) throw invalidField(field, problem)
}

/** All fields here are messages or texts. */
function readFields(cursor: Cursor, fields: Fields): void {
  while (cursor.position < cursor.end) {
    const tag = readTag(cursor)
    const read = fields[tag >>> 3]
    if (read === undefined) skipField(cursor, tag)
    else if ((tag & 7) === wireTypes.bytes) read(cursor)
    else refuseWireType(cursor, tag)
  }
  if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should', 'truncated')
}
