// A contract as one blob, `createdEventBlob`: clients pass it on so that others can use a contract they do not host.
// Versioned and FatContractInstance of Canton's transaction.proto. The argument and the key stay bytes (protobuf.ts):
// their types are known only once the template is.
import { shorten } from '../../base/names.ts'
import { type Cursor, openCursor, readBytes, readInt32, readText, refuse, wireTypes } from '../archive/wire.ts'
import type { Identifier } from '../syntax/ast.ts'
import { isDottedNameLength, isName, isPackageId, isPackageName } from '../syntax/names.ts'
import { contractIdFromBytes } from '../values/contract-ids.ts'
import { type ContractId, type Int64, int64Min } from '../values/values.ts'
import type { MessageWriter } from './message-writer.ts'
import { inMessage, readParty, readTimestamp } from './protobuf-reading.ts'
import { finishWriting } from './protobuf-writing.ts'
import { orValueError } from './value-error.ts'
import { tagOf } from './value-proto.ts'

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

/** Throws a ValueError for anything wrong. Parties come sorted. */
export function decodeContractBlob(bytes: Uint8Array): ContractBlob {
  return orValueError('a contract', () => {
    const cursor = openCursor(bytes, 'FatContractInstance')
    const fields = readFields(cursor, versionedFields)
    const version = fields.version.at(-1) ?? ''
    if (version !== versionWithoutKey && version !== versionWithKey) {
      refuse(cursor, `Unsupported serialization version '${shorten(version)}'`)
    }
    const contract = readContract(openCursor(lastBytes(fields.payload), cursor.place))
    if (contract.key === undefined || version === versionWithKey) return contract
    return refuse(cursor, `serialization version ${version} is too old to support contract keys`)
  })
}

function readContract(cursor: Cursor): ContractBlob {
  const fields = readFields(cursor, contractFields)
  const idBytes = lastBytes(fields.contractId)
  const contractId = contractIdFromBytes(idBytes)
  if (contractId === undefined) return refuse(cursor, `cannot parse contractId "${shorten(idBytes.toString('hex'))}"`)
  const packageName = fields.packageName.at(-1) ?? ''
  if (!isPackageName(packageName)) refuse(cursor, `Invalid package name '${shorten(packageName)}'`)
  const templateId = fields.templateId.at(-1)
  if (templateId === undefined) return refuse(cursor, 'there is no template id')
  const key = fields.key.at(-1)
  const { otherSignatories, observers } = fields
  return {
    contractId,
    packageName,
    templateId,
    createArgument: lastBytes(fields.createArgument),
    ...stakeholdersOf(cursor, { maintainers: key?.maintainers ?? [], otherSignatories, observers }),
    key,
    createdAt: fields.createdAt.length === 0 ? 0 : fields.createdAt.at(-1),
    authenticationData: lastBytes(fields.authenticationData),
  }
}

type Parties = Record<'maintainers' | 'otherSignatories' | 'observers', readonly string[]>

function stakeholdersOf(cursor: Cursor, { maintainers, otherSignatories, observers }: Parties) {
  const maintaining = new Set(maintainers)
  const twice = otherSignatories.find((party) => maintaining.has(party))
  if (twice !== undefined) refuse(cursor, `party ${twice} is declared as maintainer and nonMaintainerSignatory`)
  const signatories = new Set([...maintainers, ...otherSignatories])
  if (signatories.size === 0) refuse(cursor, 'maintainers or non_maintainer_signatories should be non empty')
  const signing = observers.find((party) => signatories.has(party))
  if (signing !== undefined) refuse(cursor, `party ${signing} is declared as signatory and nonSignatoryStakeholder`)
  return { signatories: [...signatories].sort(), stakeholders: [...signatories.union(new Set(observers))].sort() }
}

function readIdentifier(cursor: Cursor): Identifier {
  const fields = readFields(cursor, identifierFields)
  const packageId = fields.packageId.at(-1) ?? ''
  if (!isPackageId(packageId)) refuse(cursor, `Invalid package id '${shorten(packageId)}'`)
  return { packageId, module: dottedName(cursor, fields.module), name: dottedName(cursor, fields.name) }
}

function dottedName(cursor: Cursor, segments: readonly string[]): string {
  const name = segments.join('.')
  if (segments.length > 0 && segments.every(isName) && isDottedNameLength(name)) return name
  return refuse(cursor, `Invalid name segments '${shorten(name)}'`)
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
  if (hash.length !== hashBytes) refuse(cursor, `hash should have ${hashBytes} bytes, got ${hash.length}`)
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
