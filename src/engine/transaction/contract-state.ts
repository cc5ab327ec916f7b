// Which contracts are active at this point of a transaction, and what is known of its keys (Canton:
// NextGenContractStateMachine.scala). A try that created or archived contracts cannot be undone: that ends the command,
// unless the protocol version is 34, which has no keys. So only creates and archives are ever undone.
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

export type ContractState = ReturnType<typeof createContractState>

type Parts = {
  /** In the ledger's order, newest first. Only contracts that the submitters may see. */
  readonly contractsWithKey: (key: ContractKey) => Iterable<StoredContract>
  readonly inconsistentKey: (key: ContractKey) => Error
  /** Whether a try that created or archived contracts may be undone. */
  readonly undoesEffects: boolean
}

export function createContractState({ contractsWithKey, inconsistentKey, undoesEffects }: Parts) {
  /** Active or not, in the order of their first use. */
  const contracts = new Map<string, Used>()
  // These two are created for the first contract with a key: most commands use none.
  /** Keyed by hash of the key, oldest first. */
  let localsByKey: Map<string, string[]> | undefined
  let keys: Map<string, KeyInput> | undefined
  /** Contracts created and archived, in the order in which it happened. */
  const changes: UndoneNode[] = []

  function keyInput(hash: string): KeyInput {
    keys ??= new Map()
    let input = keys.get(hash)
    if (input === undefined) {
      input = { found: [], onlyById: new Set(), rest: undefined, isFinished: false }
      keys.set(hash, input)
    }
    return input
  }

  function create(node: Create, contract: Contract): void {
    const id = node.contractId
    if (contracts.has(id)) throw new Error(`the id of a new contract is taken: ${id}`)
    contracts.set(id, { local: contract, input: undefined, consumption: undefined, isUndone: false })
    changes.push(node)
    if (contract.key === undefined) return
    localsByKey ??= new Map()
    const ids = localsByKey.get(contract.key.hash)
    if (ids === undefined) localsByKey.set(contract.key.hash, [id])
    else ids.push(id)
  }

  /** Records that a node uses a contract of the ledger by its id. */
  function use(stored: StoredContract, key: ContractKey | undefined): void {
    if (contracts.has(stored.id)) return
    if (key !== undefined) {
      const input = keyInput(key.hash)
      if (input.isFinished) throw inconsistentKey(key) // The ledger said that there was no such contract.
      input.onlyById.add(stored.id)
    }
    addInput(stored)
  }

  function addInput(stored: StoredContract): void {
    contracts.set(stored.id, { local: undefined, input: stored, consumption: undefined, isUndone: false })
  }

  function archive(exercise: Exercise<NodeTree>, node: number): void {
    contracts.get(exercise.contractId)!.consumption = { exercise, node }
    changes.push(exercise)
  }

  function isActive(id: string): boolean {
    const contract = contracts.get(id)!
    return contract.consumption === undefined && !contract.isUndone
  }

  /** This transaction's contracts first, newest first; then the ledger's, reading no more than needed. */
  function query(key: ContractKey, count: number): KeyResult {
    const input = keyInput(key.hash)
    const ids: string[] = []
    const take = (id: string) => {
      if (ids.length < count && isActive(id)) ids.push(id)
    }
    for (const id of localsByKey?.get(key.hash)?.toReversed() ?? []) take(id)
    for (const id of input.found) take(id)
    while (ids.length < count && !input.isFinished) {
      input.rest ??= contractsWithKey(key)[Symbol.iterator]()
      const { value: stored, done } = input.rest.next()
      if (done) {
        if (input.onlyById.size > 0) throw inconsistentKey(key)
        input.isFinished = true
      } else if (!contracts.has(stored.id) || input.onlyById.delete(stored.id)) {
        if (!contracts.has(stored.id)) addInput(stored)
        input.found.push(stored.id)
        take(stored.id)
      }
    }
    return { ids, isExhaustive: ids.length < count }
  }

  function effectfulSince(mark: number): Failure {
    const since = new Set(changes.slice(mark))
    const all = (kind: UndoneNode['kind']) => changes.filter((node) => node.kind === kind)
    return effectfulRollback(inReferenceOrder(all('exercise'), all('create'), (node) => since.has(node)))
  }

  return {
    create,
    use,
    archive,
    query,
    mark: () => changes.length,
    /** Undoes what was created and archived since `mark`, or throws if there is anything to undo. */
    rollBack(mark: number): void {
      if (changes.length === mark) return
      if (!undoesEffects) throw effectfulSince(mark)
      for (const node of changes.splice(mark)) {
        const contract = contracts.get(node.contractId)!
        if (node.kind === 'create') contract.isUndone = true
        else contract.consumption = undefined
      }
    },
    /** What is known of the contract with this id; undefined before its first use. */
    contract: (id: string): Readonly<Used> | undefined => contracts.get(id),
    /** In the order of their first use. */
    inputs(): StoredContract[] {
      const inputs: StoredContract[] = []
      for (const { input } of contracts.values()) if (input !== undefined) inputs.push(input)
      return inputs
    },
    keyInputs: (): { hash: string; ids: readonly string[]; isExhaustive: boolean }[] =>
      [...(keys ?? [])]
        .filter(([, { found, isFinished }]) => found.length > 0 || isFinished)
        .map(([hash, { found, isFinished }]) => ({ hash, ids: found, isExhaustive: isFinished })),
  }
}
