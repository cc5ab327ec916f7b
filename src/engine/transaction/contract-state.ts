// Which contracts are active at this point of a transaction, and what is known of its keys (Canton:
// NextGenContractStateMachine.scala). A try that created or archived contracts cannot be undone: that ends the command,
// unless the protocol version is 34, which has no keys. So only creates and archives are ever undone.
import type { Failure } from '../failures/failures.ts'
import type { Contract, StoredContract } from './contracts.ts'
import { effectfulRollback } from './effect-failures.ts'
import type { ContractKey, Create, Exercise, NodeTree } from './nodes.ts'
import { inReferenceOrder, type UndoneNode } from './undone-order.ts'

type Consumption = { readonly exercise: Exercise<NodeTree>; readonly node: number }

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
  /** Active or not. */
  const locals = new Map<string, Contract>()
  const inputs = new Map<string, StoredContract>()
  const consumed = new Map<string, Consumption>()
  /** Contracts of this transaction whose creation was undone. */
  const undone = new Set<string>()
  /** Keyed by hash of the key, oldest first. */
  const localsByKey = new Map<string, string[]>()
  const keys = new Map<string, KeyInput>()
  /** Contracts created and archived, in the order in which it happened. */
  const changes: UndoneNode[] = []

  function keyInput(hash: string): KeyInput {
    let input = keys.get(hash)
    if (input === undefined) {
      input = { found: [], onlyById: new Set(), rest: undefined, isFinished: false }
      keys.set(hash, input)
    }
    return input
  }

  function create(node: Create, contract: Contract): void {
    const id = node.contractId
    if (locals.has(id) || inputs.has(id)) throw new Error(`the id of a new contract is taken: ${id}`)
    locals.set(id, contract)
    changes.push(node)
    if (contract.key === undefined) return
    const ids = localsByKey.get(contract.key.hash)
    if (ids === undefined) localsByKey.set(contract.key.hash, [id])
    else ids.push(id)
  }

  /** Records that a node uses a contract of the ledger by its id. */
  function use(stored: StoredContract, key: ContractKey | undefined): void {
    if (inputs.has(stored.id)) return
    if (key !== undefined) {
      const input = keyInput(key.hash)
      if (input.isFinished) throw inconsistentKey(key) // The ledger said that there was no such contract.
      input.onlyById.add(stored.id)
    }
    inputs.set(stored.id, stored)
  }

  function archive(exercise: Exercise<NodeTree>, node: number): void {
    consumed.set(exercise.contractId, { exercise, node })
    changes.push(exercise)
  }

  /** This transaction's contracts first, newest first; then the ledger's, reading no more than needed. */
  function query(key: ContractKey, count: number): KeyResult {
    const input = keyInput(key.hash)
    const ids: string[] = []
    const take = (id: string) => {
      if (ids.length < count && !consumed.has(id) && !undone.has(id)) ids.push(id)
    }
    for (const id of localsByKey.get(key.hash)?.toReversed() ?? []) take(id)
    for (const id of input.found) take(id)
    while (ids.length < count && !input.isFinished) {
      input.rest ??= contractsWithKey(key)[Symbol.iterator]()
      const { value: stored, done } = input.rest.next()
      if (done) {
        if (input.onlyById.size > 0) throw inconsistentKey(key)
        input.isFinished = true
      } else if (!inputs.has(stored.id) || input.onlyById.has(stored.id)) {
        inputs.set(stored.id, stored)
        input.onlyById.delete(stored.id)
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
        if (node.kind === 'create') undone.add(node.contractId)
        else consumed.delete(node.contractId)
      }
    },
    isUndone: (id: string): boolean => undone.has(id),
    /** Whether or not it is active. */
    local: (id: string): Contract | undefined => locals.get(id),
    consumption: (id: string): Consumption | undefined => consumed.get(id),
    /** In the order of their first use. */
    inputs: (): StoredContract[] => [...inputs.values()],
    keyInputs: (): { hash: string; ids: readonly string[]; isExhaustive: boolean }[] =>
      [...keys]
        .filter(([, { found, isFinished }]) => found.length > 0 || isFinished)
        .map(([hash, { found, isFinished }]) => ({ hash, ids: found, isExhaustive: isFinished })),
  }
}
