// The last part of contract ids (Canton: UnicumGenerator.scala, CantonContractIdVersion.scala). While a transaction runs,
// its contracts have only version and discriminator. Afterwards each gets a suffix: the version of the scheme (ca12) and
// a hash that commits to the contract, so that whoever is shown the contract can tell that it is the one of this id.
//
// The hash covers, after Canton's number for this purpose (29):
// - a salt of 32 bytes, without which the hash tells nothing about the contract,
// - the ledger time of creation,
// - the signatories, and the other stakeholders,
// - the hash of the key, and its maintainers, if there is one,
// - the hash of template and argument in typed normal form, with the suffixes of the ids inside.
import { hash } from 'node:crypto'
import type { Identifier } from '../lf/ast.ts'
import { ContractId, type Int64, type LfRecord, type LfValue } from '../lf/values.ts'
import { replaceContractIds } from './ledger-values.ts'
import type { Create, Node, TypedValue } from './nodes.ts'
import { difference, type Parties } from './parties.ts'
import { hmac, int32Bytes, int64Bytes, string } from './seeds.ts'
import type { Transaction } from './transaction.ts'

/** Of 32 bytes. */
export type HashContract = (templateId: Identifier, packageName: string, argument: LfRecord) => Uint8Array

export type Suffixing = {
  readonly createdAt: Int64
  readonly hashContract: HashContract
  /** 32 bytes that nobody can guess, others for each create; `index` counts creates in the order of nodes. */
  readonly saltOf: (create: Create, index: number) => Uint8Array
}

export type Suffixed = {
  readonly transaction: Transaction
  /** By full contract id: what is needed, beside the contract, to authenticate it. */
  readonly salts: ReadonlyMap<string, Uint8Array>
}

/** What a contract id commits to. */
export type Committed = {
  readonly salt: Uint8Array
  readonly createdAt: Int64
  readonly signatories: Parties
  readonly stakeholders: Parties
  /** `hash` in hex. */
  readonly key: { readonly hash: string; readonly maintainers: Parties } | undefined
  readonly contractHash: Uint8Array
}

const purpose = 29
const versionPrefix = 'ca12'
/** How Canton marks a SHA-256 hash: algorithm and length, as multihash does. */
const hashPrefix = '1220'

/** Gives every created contract its full id, and every node the full ids of what it refers to. */
export function suffixTransaction(transaction: Transaction, suffixing: Suffixing): Suffixed {
  const ids = new Map<string, ContractId>()
  const salts = new Map<string, Uint8Array>()
  const replace = (id: ContractId) => ids.get(id.text) ?? id
  const replaceIn = (value: LfValue) => replaceContractIds(value, replace)

  // An argument can name only contracts created before it, so one pass in the order of nodes suffices.
  for (const node of transaction.nodes) {
    if (node.kind !== 'create') continue
    const salt = suffixing.saltOf(node, ids.size)
    const argument = replaceIn(node.argument.value) as LfRecord
    const contractHash = suffixing.hashContract(node.templateId, node.packageName, argument)
    const id = node.contractId + suffixOf({ ...node, salt, createdAt: suffixing.createdAt, contractHash })
    ids.set(node.contractId, new ContractId(id))
    salts.set(id, salt)
  }

  if (ids.size === 0) return { transaction, salts }
  const full = (id: string) => ids.get(id)?.text ?? id
  return {
    transaction: { ...transaction, nodes: transaction.nodes.map((node) => rename(node, full, replaceIn)) },
    salts,
  }
}

function rename(node: Node, full: (id: string) => string, replaceIn: (value: LfValue) => LfValue): Node {
  const typed = ({ type, value }: TypedValue) => ({ type, value: replaceIn(value) })
  switch (node.kind) {
    case 'create':
      return { ...node, contractId: full(node.contractId), argument: typed(node.argument) }
    case 'exercise':
      return {
        ...node,
        contractId: full(node.contractId),
        argument: typed(node.argument),
        result: node.result && typed(node.result),
      }
    case 'fetch':
      return { ...node, contractId: full(node.contractId) }
    case 'query-by-key':
      return { ...node, result: node.result.map(full) }
    case 'rollback':
      return node
  }
}

/** In hex. */
export function suffixOf(committed: Committed): string {
  const { salt, createdAt, signatories, stakeholders, key, contractHash } = committed
  if (salt.length !== 32 || contractHash.length !== 32) throw new Error('salts and hashes of contracts have 32 bytes')
  const hashed = Buffer.concat([
    int32Bytes(purpose),
    salt,
    instant(createdAt),
    withLength(parties(signatories)),
    withLength(parties(difference(stakeholders, signatories))),
    optional(key && Buffer.from(key.hash, 'hex')),
    withLength(optional(key && parties(key.maintainers))),
    contractHash,
  ])
  return `${versionPrefix}${hashPrefix}${hash('sha256', hashed, 'hex')}`
}

/** Whether this contract is the one that its id was made for: needed for contracts that others show us. */
export function authenticateContract(contractId: string, committed: Committed): boolean {
  const localDigits = 66
  return contractId.startsWith('00') && contractId.slice(localDigits) === suffixOf(committed)
}

/** A way to give each create its salt from one secret of the transaction; Canton has its own, bound to its protocol. */
export function deriveSalt(secret: Uint8Array, index: number): Uint8Array {
  return Buffer.from(hmac(secret, int32Bytes(index)), 'hex')
}

/** Whole seconds, and nanoseconds of the next. */
function instant(micros: Int64): Buffer {
  const perSecond = 1_000_000n
  const within = ((BigInt(micros) % perSecond) + perSecond) % perSecond
  return Buffer.concat([int64Bytes((BigInt(micros) - within) / perSecond), int32Bytes(Number(within) * 1000)])
}

function parties(items: Parties): Buffer {
  return Buffer.concat([int32Bytes(items.length), ...items.toSorted().map(string)])
}

function optional(bytes: Uint8Array | undefined): Buffer {
  return bytes === undefined ? Buffer.of(0) : Buffer.concat([Buffer.of(1), bytes])
}

function withLength(bytes: Uint8Array): Buffer {
  return Buffer.concat([int32Bytes(bytes.length), bytes])
}
