// A contract as one blob, `createdEventBlob`: clients pass it on so that others can use a contract they do not host.
// Versioned and FatContractInstance of Canton's transaction.proto. The argument and the key stay bytes (protobuf.ts):
// their types are known only once the template is.
import { dottedNameProblem, packageIdProblem, packageNameProblem, partyProblem, shorten } from '../../base/names.ts'
import { javaProtobufProblem, type MessageShape, type ProtobufProblem } from '../../protobuf/java-reading.ts'
import { finishWriting, type MessageWriter } from '../../protobuf/message-writer.ts'
import { ProtobufError } from '../../protobuf/protobuf-error.ts'
import {
  type Cursor,
  inMessage,
  openCursor,
  readBytes,
  readInt32,
  readText,
  refuse,
  tagOf,
  wireTypes,
} from '../../protobuf/wire-reading.ts'
import type { Identifier } from '../syntax/ast.ts'
import { contractIdFromBytes } from '../values/contract-ids.ts'
import { type ContractId, type Int64, int64Min } from '../values/values.ts'
import { readTimestamp } from './protobuf-reading.ts'
import { ValueError } from './value-error.ts'

/** Sets of parties are sorted. */
export type ContractBlob = {
  readonly contractId: ContractId
  readonly packageName: string
  readonly templateId: Identifier
  /** A value of the template's type, as protobuf.ts writes it. */
  readonly createArgument: Uint8Array
  readonly signatories: readonly string[]
  /** Includes the signatories. */
  readonly stakeholders: readonly string[]
  readonly key: ContractBlobKey | undefined
  /** Microseconds since 1970; undefined for a contract of the transaction that is being prepared. */
  readonly createdAt: Int64 | undefined
  readonly authenticationData: Uint8Array
}

export type ContractBlobKey = {
  readonly value: Uint8Array
  readonly maintainers: readonly string[]
  readonly hash: Uint8Array
}

/** Canton's serialization versions: a contract with a key needs the later one. */
const versionWithoutKey = '2.1'
const versionWithKey = '2'
const hashBytes = 32

// ── Encoding

export function encodeContractBlob(blob: ContractBlob): Uint8Array {
  return finishWriting((writer) => {
    const version = blob.key === undefined ? versionWithoutKey : versionWithKey
    writer.tag(1, wireTypes.bytes).string(version).tag(2, wireTypes.bytes).fork()
    writeContract(writer, blob)
    writer.join()
  })
}

function writeContract(writer: MessageWriter, blob: ContractBlob): void {
  const { contractId, packageName, templateId, createArgument, signatories, stakeholders, key } = blob
  const { createdAt = int64Min, authenticationData } = blob
  writer.tag(1, wireTypes.bytes).hex(contractId.text)
  writer.tag(2, wireTypes.bytes).string(packageName)
  writer.tag(3, wireTypes.bytes).bytes(identifierBytes(templateId))
  writer.tag(4, wireTypes.bytes).bytes(createArgument)
  writeParties(writer, 5, without(signatories, key?.maintainers ?? []))
  writeParties(writer, 6, without(stakeholders, signatories))
  if (createdAt !== 0) writer.tag(7, wireTypes.fixed64).sfixed64(createdAt)
  if (authenticationData.length > 0) writer.tag(8, wireTypes.bytes).bytes(authenticationData)
  if (key === undefined) return
  writer.tag(1001, wireTypes.bytes).fork()
  writer.tag(1, wireTypes.bytes).bytes(key.value)
  writeParties(writer, 2, key.maintainers)
  writer.tag(3, wireTypes.bytes).bytes(key.hash)
  writer.join()
}

/** One identifier names the template of many contracts. */
const bytesOfIdentifiers = new WeakMap<Identifier, Uint8Array>()

function identifierBytes(id: Identifier): Uint8Array {
  let bytes = bytesOfIdentifiers.get(id)
  if (bytes === undefined) {
    bytes = finishWriting((writer) => {
      writer.tag(1, wireTypes.bytes).string(id.packageId)
      for (const segment of id.module.split('.')) writer.tag(2, wireTypes.bytes).string(segment)
      for (const segment of id.name.split('.')) writer.tag(3, wireTypes.bytes).string(segment)
    })
    bytesOfIdentifiers.set(id, bytes)
  }
  return bytes
}

function writeParties(writer: MessageWriter, number: number, parties: readonly string[]): void {
  for (const party of parties) writer.tag(number, wireTypes.bytes).string(party)
}

function without(parties: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return parties
  const excluded = new Set(others)
  return parties.filter((party) => !excluded.has(party))
}

// ── Decoding

const bytesField = <Value>(number: number, read: (cursor: Cursor) => Value) => {
  return { tag: tagOf(number, wireTypes.bytes), read }
}

const versionedFields = { version: bytesField(1, readText), payload: bytesField(2, readBytes) }

const contractFields = {
  contractId: bytesField(1, readBytes),
  packageName: bytesField(2, readText),
  templateId: bytesField(3, (cursor) => inMessage(cursor, () => readIdentifier(cursor))),
  createArgument: bytesField(4, readBytes),
  otherSignatories: bytesField(5, readParty),
  observers: bytesField(6, readParty),
  createdAt: { tag: tagOf(7, wireTypes.fixed64), read: readCreatedAt },
  authenticationData: bytesField(8, readBytes),
  // Numbers, packed or not. Canton's writers leave this one out and its readers ignore it.
  packageVersion: bytesField(9, readBytes),
  packageVersionSegment: { tag: tagOf(9, wireTypes.varint), read: readInt32 },
  key: bytesField(1001, (cursor) => inMessage(cursor, () => readKey(cursor))),
}

const identifierFields = {
  packageId: bytesField(1, readText),
  module: bytesField(2, readText),
  name: bytesField(3, readText),
}

const keyFields = {
  value: bytesField(1, readBytes),
  maintainers: bytesField(2, readParty),
  hash: bytesField(3, readBytes),
}

/** Throws a ValueError for anything wrong, with Canton's reason. Parties come sorted. */
export function decodeContractBlob(bytes: Uint8Array): ContractBlob {
  try {
    return readVersioned(bytes)
  } catch (error) {
    if (error instanceof ProtobufError) wrong(unreadable(bytes) ?? error.message)
    throw error
  }
}

function readVersioned(bytes: Uint8Array): ContractBlob {
  const fields = readFields(openCursor(bytes, 'Versioned'), versionedFields)
  const version = fields.version.at(-1) ?? ''
  if (version !== versionWithoutKey && version !== versionWithKey) wrong(unsupported(version))
  const contract = readContract(openCursor(lastBytes(fields.payload), 'FatContractInstance'))
  if (contract.key === undefined || version === versionWithKey) return contract
  return wrong(`serialization version ${version} is too old to support contract keys`)
}

const unsupported = (version: string) => `Unsupported serialization version '${shorten(version)}'`

function wrong(reason: string): never {
  throw new ValueError('INVALID_ARGUMENT', reason, { path: '', expected: 'a contract' })
}

const lf = 'com.digitalasset.daml.lf'
const keyShape: MessageShape = {
  type: `${lf}.transaction.KeyWithMaintainers`,
  fields: { 1: 'bytes', 2: 'text', 3: 'bytes' },
}
const identifierShape: MessageShape = { type: `${lf}.value.Identifier`, fields: { 1: 'text', 2: 'text', 3: 'text' } }
const versionedShape: MessageShape = { type: `${lf}.transaction.Versioned`, fields: { 1: 'text', 2: 'bytes' } }
const contractShape: MessageShape = {
  type: `${lf}.transaction.FatContractInstance`,
  fields: {
    1: 'bytes',
    2: 'text',
    3: identifierShape,
    4: 'bytes',
    5: 'text',
    6: 'text',
    8: 'bytes',
    9: 'bytes',
    1001: keyShape,
  },
  numbers: [tagOf(7, wireTypes.fixed64), tagOf(9, wireTypes.varint)],
}

/** Why the bytes are no contract, as Canton says it; undefined if they are a message of its kind. */
function unreadable(bytes: Uint8Array): string | undefined {
  const outer = javaProtobufProblem(bytes, versionedShape)
  if (outer !== undefined) return shown(outer, 'versioned object')
  const fields = readFields(openCursor(bytes, 'Versioned'), versionedFields)
  const inner = javaProtobufProblem(lastBytes(fields.payload), contractShape)
  return inner && shown(inner, 'object')
}

const shown = ({ kind, text }: ProtobufProblem, what: string) =>
  kind === 'exception' ? `exception ${text} while decoding the ${what}` : text

function readContract(cursor: Cursor): ContractBlob {
  const fields = readFields(cursor, contractFields)
  const idBytes = lastBytes(fields.contractId)
  const contractId = contractIdFromBytes(idBytes)
  if (contractId === undefined) return wrong(`cannot parse contractId "${shorten(idBytes.toString('hex'))}"`)
  const packageName = fields.packageName.at(-1) ?? ''
  if (packageName === '') wrong('packageName must not be empty')
  const misnamed = packageNameProblem(packageName)
  if (misnamed !== undefined) wrong(`Invalid package name '${shorten(packageName)}': ${misnamed}`)
  const templateId = fields.templateId.at(-1) ?? noIdentifier()
  const key = fields.key.at(-1)
  const { otherSignatories, observers } = fields
  return {
    contractId,
    packageName,
    templateId,
    createArgument: lastBytes(fields.createArgument),
    ...stakeholdersOf({ maintainers: key?.maintainers ?? [], otherSignatories, observers }),
    key,
    createdAt: fields.createdAt.length === 0 ? 0 : fields.createdAt.at(-1),
    authenticationData: lastBytes(fields.authenticationData),
  }
}

type Parties = Record<'maintainers' | 'otherSignatories' | 'observers', readonly string[]>

function stakeholdersOf({ maintainers, otherSignatories, observers }: Parties) {
  const maintaining = new Set(maintainers)
  const twice = otherSignatories.find((party) => maintaining.has(party))
  if (twice !== undefined) wrong(`party ${twice} is declared as maintainer and nonMaintainerSignatory`)
  const signatories = new Set([...maintainers, ...otherSignatories])
  if (signatories.size === 0) wrong('maintainers or non_maintainer_signatories should be non empty')
  const signing = observers.find((party) => signatories.has(party))
  if (signing !== undefined) wrong(`party ${signing} is declared as signatory and nonSignatoryStakeholder`)
  return { signatories: [...signatories].sort(), stakeholders: [...signatories.union(new Set(observers))].sort() }
}

function readIdentifier(cursor: Cursor): Identifier {
  const fields = readFields(cursor, identifierFields)
  const packageId = fields.packageId.at(-1) ?? ''
  const problem = packageIdProblem(packageId)
  if (problem !== undefined) wrong(`Invalid package id '${shorten(packageId)}': ${problem}`)
  return { packageId, module: dottedName(fields.module, 'module'), name: dottedName(fields.name, 'name') }
}

/** In protobuf, an absent message is an empty one. */
const noIdentifier = (): never => wrong(`Invalid package id '': ${packageIdProblem('')}`)

function dottedName(segments: readonly string[], what: string): string {
  const name = segments.join('.')
  const problem = dottedNameProblem(name)
  if (problem === undefined) return name
  return wrong(`Invalid ${what} segments Buffer(${shorten(segments.join(', '))}): ${problem}`)
}

function readParty(cursor: Cursor): string {
  const party = readText(cursor)
  const problem = partyProblem(party)
  return problem === undefined ? party : wrong(`Cannot decode party: ${problem}`)
}

function readCreatedAt(cursor: Cursor): Int64 | undefined {
  const start = cursor.position
  if (start + 8 > cursor.end || cursor.bytes.readBigInt64LE(start) !== int64Min) return readTimestamp(cursor)
  cursor.position += 8
  return undefined
}

function readKey(cursor: Cursor): ContractBlobKey {
  const fields = readFields(cursor, keyFields)
  const hash = lastBytes(fields.hash)
  if (hash.length !== hashBytes) wrong(`hash should have ${hashBytes} bytes, got ${hash.length}`)
  return { value: lastBytes(fields.value), maintainers: [...new Set(fields.maintainers)].sort(), hash }
}

type FieldReaders = Readonly<Record<string, { readonly tag: number; readonly read: (cursor: Cursor) => unknown }>>
type FieldValues<Readers extends FieldReaders> = { [Name in keyof Readers]: ReturnType<Readers[Name]['read']>[] }

/** All fields up to the end of the message, in any order; the values of a field are in the order of the bytes. */
function readFields<Readers extends FieldReaders>(cursor: Cursor, readers: Readers): FieldValues<Readers> {
  const entries = Object.entries(readers)
  const values: Record<string, unknown[]> = Object.fromEntries(entries.map(([name]) => [name, []]))
  while (cursor.position < cursor.end) {
    const tag = readInt32(cursor)
    const entry = entries.find(([, reader]) => reader.tag === tag)
    if (entry === undefined) return refuse(cursor, `there is no field ${tag >>> 3} of this kind`)
    const [name, { read }] = entry
    values[name]!.push(read(cursor))
  }
  if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should')
  return values as FieldValues<Readers>
}

/** As in protobuf: a field that comes more than once has its last value, an absent one its default. */
function lastBytes(values: readonly Buffer[]): Buffer {
  return values.at(-1) ?? Buffer.alloc(0)
}
