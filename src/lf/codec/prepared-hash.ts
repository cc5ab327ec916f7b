// The hash of a prepared transaction, which external parties sign (Canton: protocol/hash, and its documentation of the
// external signing hashing algorithm). Scheme V2 has no contract keys; V3 covers them and the latest record time.
import type { HashInput } from './hash-input.ts'
import { HashingError, type HashingScheme, present, SchemeInput, writeValue } from './prepared-hash-input.ts'
import type {
  InputContract,
  PreparedCreate,
  PreparedExercise,
  PreparedFetch,
  PreparedKey,
  PreparedMetadata,
  PreparedNode,
  PreparedNodes,
  PreparedQuery,
} from './prepared-transaction.ts'

const purpose = 0x30
/** The version of nodes and of metadata; only V2 hashes it. */
const encodingVersion = 1
const schemeNumbers: Readonly<Record<HashingScheme, number>> = { V2: 2, V3: 3 }
/** Canton's names for them in its texts. */
const serializationVersions: ReadonlyMap<string, string> = new Map([
  ['2.1', 'V1'],
  ['2', 'V2'],
  ['dev', 'VDev'],
])

export const isSerializationVersion = (text: string): boolean => serializationVersions.has(text)

const nodeTags = { create: 0, exercise: 1, fetch: 2, rollback: 3, 'query-by-key': 4 } as const

/** 32 bytes. Throws a HashingError. */
export function hashPreparedTransaction(
  transaction: PreparedNodes,
  metadata: PreparedMetadata,
  scheme: HashingScheme,
): Buffer {
  const input = new SchemeInput(scheme)
  input.int32(purpose)
  input.byte(schemeNumbers[scheme])
  input.raw(hashNodes(transaction, scheme))
  input.raw(hashMetadata(metadata, scheme))
  return digest(input)
}

// ── Transaction

function hashNodes({ version, roots, nodes, nodeSeeds }: PreparedNodes, scheme: HashingScheme): Buffer {
  checkVersion(version, scheme)
  const byId = new Map(nodes.map(({ nodeId, v1 }) => [nodeId, v1]))
  const seeds = new Map(nodeSeeds.map(({ nodeId, seed }) => [String(nodeId), seed]))
  const hashes = new Map<string, Buffer>()

  const hashOf = (id: string): Buffer => {
    const known = hashes.get(id)
    if (known === undefined) throw missingNode(id)
    return known
  }
  for (const id of childrenFirst(roots, byId)) {
    const input = newNode(scheme)
    const node = byId.get(id)!
    writeNode(input, node, seeds.get(id))
    if (node.kind === 'exercise' || node.kind === 'rollback') {
      input.list(node.value.children, (child) => input.raw(hashOf(child)))
    }
    hashes.set(id, digest(input))
  }

  const input = new SchemeInput(scheme)
  input.int32(purpose)
  input.text(version)
  input.list(roots, (id) => input.raw(hashOf(id)))
  return digest(input)
}

/** Every node once, after its children. Trees only: a node that is reached twice could be hashed without end. */
function childrenFirst(
  roots: readonly string[],
  byId: ReadonlyMap<string, PreparedNode | undefined>,
): readonly string[] {
  const order: string[] = []
  const reached = new Set<string>()
  const pending = [...roots]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const node = byId.get(id)
    if (node === undefined) throw missingNode(id)
    if (reached.has(id))
      throw new HashingError(`The node with nodeId ${id.slice(0, 100)} is part of the transaction twice`)
    reached.add(id)
    order.push(id)
    if (node.kind === 'exercise' || node.kind === 'rollback')
      for (const child of node.value.children) pending.push(child)
  }
  return order.reverse()
}

function missingNode(id: string): HashingError {
  return new HashingError(`The transaction does not contain a node with nodeId ${id.slice(0, 100)}`)
}

function newNode(scheme: HashingScheme): SchemeInput {
  const input = new SchemeInput(scheme)
  if (scheme === 'V2') input.byte(encodingVersion)
  return input
}

/** All of a node but its children. */
function writeNode(input: SchemeInput, node: PreparedNode, seed: Uint8Array | undefined): void {
  switch (node.kind) {
    case 'create':
      if (seed === undefined) throw new HashingError('Missing node seed for a create node')
      writeCreate(input, node.value, seed)
      return
    case 'exercise':
      if (seed === undefined) throw new HashingError('Missing node seed for an exercise node')
      writeExercise(input, node.value, seed)
      return
    case 'fetch':
      writeFetch(input, node.value)
      return
    case 'query-by-key':
      writeQuery(input, node.value)
      return
    case 'rollback':
      input.byte(nodeTags.rollback)
  }
}

function writeCreate(input: SchemeInput, create: PreparedCreate, seed: Uint8Array | undefined): void {
  start(input, create.lfVersion, nodeTags.create)
  input.optional(seed, (bytes) => input.hash(bytes, 'seed'))
  input.contractId(create.contractId)
  input.text(create.packageName)
  input.identifier(create.templateId)
  writeValue(input, create.argument)
  input.parties(create.signatories)
  input.parties(create.stakeholders)
  if (input.scheme !== 'V2') input.optional(create.key, (key) => writeKey(input, key))
}

function writeExercise(input: SchemeInput, exercise: PreparedExercise, seed: Uint8Array): void {
  start(input, exercise.lfVersion, nodeTags.exercise)
  input.hash(seed, 'seed')
  input.contractId(exercise.contractId)
  input.text(exercise.packageName)
  input.identifier(exercise.templateId)
  input.parties(exercise.signatories)
  input.parties(exercise.stakeholders)
  input.parties(exercise.actingParties)
  input.optional(exercise.interfaceId, (id) => input.identifier(id))
  input.text(exercise.choiceId)
  writeValue(input, exercise.chosenValue)
  input.bool(exercise.consuming)
  input.optional(exercise.exerciseResult, (result) => writeValue(input, result))
  input.parties(exercise.choiceObservers)
  writeKeyUse(input, exercise)
}

function writeFetch(input: SchemeInput, fetch: PreparedFetch): void {
  start(input, fetch.lfVersion, nodeTags.fetch)
  input.contractId(fetch.contractId)
  input.text(fetch.packageName)
  input.identifier(fetch.templateId)
  input.parties(fetch.signatories)
  input.parties(fetch.stakeholders)
  input.optional(fetch.interfaceId, (id) => input.identifier(id))
  input.parties(fetch.actingParties)
  writeKeyUse(input, fetch)
}

function writeQuery(input: SchemeInput, query: PreparedQuery): void {
  start(input, query.lfVersion, nodeTags['query-by-key'])
  input.text(query.packageName)
  input.identifier(query.templateId)
  input.bool(query.exhaustive)
  writeKey(input, present(query.key, 'key'))
  input.list(query.result, (id) => input.contractId(id))
}

function writeKeyUse(input: SchemeInput, { byKey, key }: Pick<PreparedFetch, 'byKey' | 'key'>): void {
  if (input.scheme === 'V2') return
  input.bool(byKey)
  input.optional(key, (given) => writeKey(input, given))
}

function writeKey(input: SchemeInput, { key, maintainers }: PreparedKey): void {
  const { packageName, templateId, key: value, hash: keyHash } = present(key, 'key')
  input.text(packageName)
  input.identifier(templateId)
  writeValue(input, value)
  input.hash(keyHash, 'key hash')
  input.parties(maintainers)
}

function start(input: SchemeInput, lfVersion: string, tag: number): void {
  checkVersion(lfVersion, input.scheme)
  input.text(lfVersion)
  input.byte(tag)
}

/** Transactions with keys are in the later form, and need the later scheme. */
function checkVersion(version: string, scheme: HashingScheme): void {
  const word = serializationVersions.get(version)
  if (word === undefined) throw new HashingError(`Unsupported serialization version '${version.slice(0, 100)}'`)
  if (word === 'V1' || (word === 'V2' && scheme === 'V3')) return
  const words = `Cannot hash node with LF serialization version ${word} using hashing scheme ${scheme}.`
  throw new HashingError(
    word === 'V2'
      ? `${words} Does the transaction use contract keys? Please using hashing scheme V3 or higher.`
      : `${words} Please using hashing scheme N/A or higher.`,
  )
}

// ── Metadata

function hashMetadata(metadata: PreparedMetadata, scheme: HashingScheme): Buffer {
  const input = new SchemeInput(scheme)
  input.int32(purpose)
  if (scheme === 'V2') input.byte(encodingVersion)
  const { actAs, commandId } = present(metadata.submitterInfo, 'submitter_info')
  input.parties(actAs)
  input.text(commandId)
  input.text(metadata.transactionUuid)
  input.int32(metadata.mediatorGroup)
  input.text(metadata.synchronizerId)
  input.optional(metadata.minLedgerEffectiveTime, (time) => input.int64(time))
  input.optional(metadata.maxLedgerEffectiveTime, (time) => input.int64(time))
  input.int64(metadata.preparationTime)
  input.list(byContractId(metadata.inputContracts), ({ createdAt, v1 }) => {
    input.int64(createdAt)
    const create = newNode(scheme)
    writeCreate(create, present(v1, 'contract'), undefined)
    input.raw(digest(create))
  })
  if (scheme === 'V3') input.optional(metadata.maxRecordTime, (time) => input.int64(time))
  return digest(input)
}

function byContractId(contracts: PreparedMetadata['inputContracts']): PreparedMetadata['inputContracts'] {
  const idOf = ({ v1 }: InputContract) => v1?.contractId ?? ''
  return contracts.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}

function digest(input: HashInput): Buffer {
  return Buffer.from(input.sha256(), 'hex')
}
