// The suffix of contract ids (Canton: UnicumGenerator.scala, CantonContractIdVersion.scala). While a transaction runs,
// its contracts have only version and discriminator. Afterwards each gets a suffix: the version of the scheme (ca12)
// and a hash that commits to the contract, so that a contract can be checked against its id.
//
// The hash covers, after Canton's number for this purpose (29):
// - a salt of 32 bytes, without which the hash tells nothing about the contract,
// - the ledger time of creation,
// - the signatories, and the other stakeholders,
// - the hash of the key, and its maintainers, if there is one,
// - the hash of template and argument in typed normal form, with the suffixes of the ids inside.

import { HashInput } from '../../lf/codec/hash-input.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { ContractId, type Int64, type LfRecord } from '../../lf/values/values.ts'
import { replaceContractIds } from '../values/ledger-values.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { Create, Node, Unfinished } from './nodes.ts'
import { difference, type Parties } from './parties.ts'
import { nodeSeed } from './seeds.ts'
import type { Transaction } from './transaction.ts'

/** Returns 32 bytes in hex. */
export type HashContract = (templateId: Identifier, packageName: string, argument: LfRecord) => string

export type Suffixing = {
  readonly createdAt: Int64
  readonly hashContract: HashContract
  /** 32 secret bytes, different for each create; `index` counts creates in the order of nodes. */
  readonly saltOf: (create: Create, index: number) => Uint8Array
}

export type Suffixed = {
  readonly transaction: Transaction
  /** By full contract id: what authenticating a contract needs besides the contract itself. */
  readonly salts: ReadonlyMap<string, Uint8Array>
}

/** What a contract id commits to. */
export type Committed = {
  readonly salt: Uint8Array
  readonly createdAt: Int64
  readonly signatories: Parties
  readonly stakeholders: Parties
  /** Hashes are in hex. */
  readonly key: { readonly hash: string; readonly maintainers: Parties } | undefined
  readonly contractHash: string
}

const purpose = 29
const versionPrefix = 'ca12'
/** Canton's mark of a SHA-256 hash: algorithm and length, as in multihash. */
const hashPrefix = '1220'

/**
 * Gives every created contract its full id, and every node the full ids of what it refers to. The nodes are changed in
 * place: only the interpretation has seen them.
 */
export function suffixTransaction(transaction: Transaction, suffixing: Suffixing): Suffixed {
  const { createdAt } = suffixing
  const nodes = transaction.nodes as readonly Unfinished<Node>[]
  const ids = new Map<string, ContractId>()
  const salts = new Map<string, Uint8Array>()
  const replace = (id: ContractId) => ids.get(id.text) ?? id

  // An argument can name only contracts created before it, so one pass in the order of nodes suffices.
  for (const node of nodes) {
    if (node.kind !== 'create') continue
    const salt = suffixing.saltOf(node, ids.size)
    node.argument = withIds(node.argument, replace)
    const contractHash = suffixing.hashContract(node.templateId, node.packageName, node.argument.value as LfRecord)
    const { contractId, signatories, stakeholders, key } = node
    node.contractId = contractId + suffixOf({ salt, createdAt, signatories, stakeholders, key, contractHash })
    ids.set(contractId, new ContractId(node.contractId))
    salts.set(node.contractId, salt)
  }

  if (ids.size > 0) for (const node of nodes) rename(node, replace, (id) => ids.get(id)?.text ?? id)
  return { transaction, salts }
}

/** Created contracts already have their full ids. */
function rename(node: Unfinished<Node>, replace: (id: ContractId) => ContractId, full: (id: string) => string): void {
  switch (node.kind) {
    case 'exercise':
      node.contractId = full(node.contractId)
      node.argument = withIds(node.argument, replace)
      if (node.result !== undefined) node.result = withIds(node.result, replace)
      return
    case 'fetch':
      node.contractId = full(node.contractId)
      return
    case 'query-by-key':
      node.result = node.result.map(full)
  }
}

function withIds(typed: TypedValue, replace: (id: ContractId) => ContractId): TypedValue {
  const value = replaceContractIds(typed.value, replace)
  return value === typed.value ? typed : { type: typed.type, value }
}

const input = new HashInput()

/** In hex. */
export function suffixOf({ salt, createdAt, signatories, stakeholders, key, contractHash }: Committed): string {
  if (salt.length !== 32 || contractHash.length !== 64) throw new Error('salts and hashes of contracts have 32 bytes')
  input.restart()
  input.int32(purpose)
  input.raw(salt)
  writeInstant(createdAt)
  input.sized(() => writeParties(signatories))
  input.sized(() => writeParties(difference(stakeholders, signatories)))
  input.byte(key === undefined ? 0 : 1)
  if (key !== undefined) input.hex(key.hash)
  input.sized(() => {
    input.byte(key === undefined ? 0 : 1)
    if (key !== undefined) writeParties(key.maintainers)
  })
  input.hex(contractHash)
  return `${versionPrefix}${hashPrefix}${input.sha256()}`
}

/** Whole seconds, and nanoseconds of the next. */
function writeInstant(micros: Int64): void {
  if (typeof micros === 'number') {
    const within = ((micros % 1_000_000) + 1_000_000) % 1_000_000
    input.int64((micros - within) / 1_000_000)
    input.int32(within * 1000)
  } else {
    const within = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
    input.int64((micros - within) / 1_000_000n)
    input.int32(Number(within) * 1000)
  }
}

function writeParties(parties: Parties): void {
  input.int32(parties.length)
  for (const party of parties) input.text(party)
}

/** Whether the contract is the one its id was made for; needed for contracts that others disclose. */
export function authenticateContract(contractId: string, committed: Committed): boolean {
  const localDigits = 66
  return contractId.startsWith('00') && contractId.slice(localDigits) === suffixOf(committed)
}

/** Derives the salt of each create from one secret of the transaction; Canton's own way is bound to its protocol. */
export function deriveSalt(secret: Uint8Array, index: number): Uint8Array {
  return nodeSeed(secret, index)
}
