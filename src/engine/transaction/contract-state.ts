// Which contracts are active at this point of a transaction, and what is known of its keys (Canton:
// NextGenContractStateMachine.scala). A try that created or archived contracts cannot be undone: that ends the command,
// unless the protocol version is 34, which has no keys. So only creates and archives are ever undone.
import type { TemplateCode } from '../code/code.ts'
import type { Failure } from '../failures/failures.ts'
import type { Contract, StoredContract } from './contracts.ts'
import { effectfulRollback } from './effect-failures.ts'
import type { ContractKey, Create, Exercise, NodeTree } from './nodes.ts'
import { inReferenceOrder, type UndoneNode } from './undone-order.ts'

type Consumption = { readonly exercise: Exercise<NodeTree>; readonly node: number }

/** A contract that this transaction created or uses. */
type Used = {
  /** Undefined for a contract of the ledger. */
  readonly local: Contract | undefined
  /** Undefined for a contract of this transaction. */
  readonly input: StoredContract | undefined
  consumption: Consumption | undefined
  /** Its creation was undone. */
  isUndone: boolean
}

/** What the ledger has returned for a key so far. */
type KeyInput = {
  /** Contracts with the key, in the ledger's order. */
  readonly found: string[]
  /** Used by id, and not yet among those returned by key. */
  readonly onlyById: Set<string>
  /** What the ledger has still to return; undefined before the first question. */
  rest: Iterator<StoredContract> | undefined
  isFinished: boolean
}

export type KeyResult = { readonly ids: readonly string[]; readonly isExhaustive: boolean }

type Parts = {
  /** In the ledger's order, newest first. Only contracts that the submitters may see. */
  readonly contractsWithKey: (key: ContractKey) => Iterable<StoredContract>
  readonly inconsistentKey: (template: TemplateCode, key: ContractKey) => Error
  /** Whether a try that created or archived contracts may be undone. */
  readonly undoesEffects: boolean
}

/** A class, because making its closures anew took a tenth of the time of a small command. */
export class ContractState {
  readonly #parts: Parts
  /** Active or not, in the order of their first use. */
  readonly #contracts = new Map<string, Used>()
  // These two are created for the first contract with a key: most commands use none.
  /** Keyed by hash of the key, oldest first. */
  #localsByKey: Map<string, string[]> | undefined
  #keys: Map<string, KeyInput> | undefined
  /** Contracts created and archived, in the order in which it happened. */
  readonly #changes: UndoneNode[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  create(node: Create, contract: Contract): void {
    const id = node.contractId
    const known = this.#contracts.size
    this.#contracts.set(id, { local: contract, input: undefined, consumption: undefined, isUndone: false })
    if (this.#contracts.size === known) throw new Error(`the id of a new contract is taken: ${id}`)
    this.#changes.push(node)
    if (contract.key === undefined) return
    this.#localsByKey ??= new Map()
    const ids = this.#localsByKey.get(contract.key.hash)
    if (ids === undefined) this.#localsByKey.set(contract.key.hash, [id])
    else ids.push(id)
  }

  /** Records that a node uses a contract of the ledger by its id. */
  use(stored: StoredContract, { template, key }: Contract): void {
    if (this.#contracts.has(stored.id)) return
    if (key !== undefined) {
      const input = this.#keyInput(key.hash)
      // The ledger said that there was no such contract.
      if (input.isFinished) throw this.#parts.inconsistentKey(template, key)
      input.onlyById.add(stored.id)
    }
    this.#addInput(stored)
  }

  archive(exercise: Exercise<NodeTree>, node: number): void {
    this.#contracts.get(exercise.contractId)!.consumption = { exercise, node }
    this.#changes.push(exercise)
  }

  /** This transaction's contracts first, newest first; then the ledger's, reading no more than needed. */
  query(template: TemplateCode, key: ContractKey, count: number): KeyResult {
    const contracts = this.#contracts
    const input = this.#keyInput(key.hash)
    const ids: string[] = []
    const take = (id: string) => {
      if (ids.length < count && this.#isActive(id)) ids.push(id)
    }
    for (const id of this.#localsByKey?.get(key.hash)?.toReversed() ?? []) take(id)
    for (const id of input.found) take(id)
    while (ids.length < count && !input.isFinished) {
      input.rest ??= this.#parts.contractsWithKey(key)[Symbol.iterator]()
      const { value: stored, done } = input.rest.next()
      if (done) {
        if (input.onlyById.size > 0) throw this.#parts.inconsistentKey(template, key)
        input.isFinished = true
      } else if (!contracts.has(stored.id) || input.onlyById.delete(stored.id)) {
        if (!contracts.has(stored.id)) this.#addInput(stored)
        input.found.push(stored.id)
        take(stored.id)
      }
    }
    return { ids, isExhaustive: ids.length < count }
  }

  mark(): number {
    return this.#changes.length
  }

  /** Undoes what was created and archived since `mark`, or throws if there is anything to undo. */
  rollBack(mark: number): void {
    if (this.#changes.length === mark) return
    if (!this.#parts.undoesEffects) throw this.#effectfulSince(mark)
    for (const node of this.#changes.splice(mark)) {
      const contract = this.#contracts.get(node.contractId)!
      if (node.kind === 'create') contract.isUndone = true
      else contract.consumption = undefined
    }
  }

  /** What is known of the contract with this id; undefined before its first use. */
  contract(id: string): Readonly<Used> | undefined {
    return this.#contracts.get(id)
  }

  /** In the order of their first use. */
  inputs(): StoredContract[] {
    const inputs: StoredContract[] = []
    for (const { input } of this.#contracts.values()) if (input !== undefined) inputs.push(input)
    return inputs
  }

  keyInputs(): { hash: string; ids: readonly string[] }[] {
    if (this.#keys === undefined) return []
    return [...this.#keys]
      .filter(([, { found, isFinished }]) => found.length > 0 || isFinished)
      .map(([hash, { found }]) => ({ hash, ids: found }))
  }

  #keyInput(hash: string): KeyInput {
    this.#keys ??= new Map()
    let input = this.#keys.get(hash)
    if (input === undefined) {
      input = { found: [], onlyById: new Set(), rest: undefined, isFinished: false }
      this.#keys.set(hash, input)
    }
    return input
  }

  #addInput(stored: StoredContract): void {
    this.#contracts.set(stored.id, { local: undefined, input: stored, consumption: undefined, isUndone: false })
  }

  #isActive(id: string): boolean {
    const contract = this.#contracts.get(id)!
    return contract.consumption === undefined && !contract.isUndone
  }

  #effectfulSince(mark: number): Failure {
    const since = new Set(this.#changes.slice(mark))
    const all = (kind: UndoneNode['kind']) => this.#changes.filter((node) => node.kind === kind)
    return effectfulRollback(inReferenceOrder(all('exercise'), all('create'), (node) => since.has(node)))
  }
}
