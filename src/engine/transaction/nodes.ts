// The nodes of a transaction. While it runs, nodes hold their children. When it is finished, the same nodes have
// numbers, in pre-order with rollbacks in normal form, and hold the numbers of their children.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { Int64 } from '../../lf/values/values.ts'
import type { TypedValue } from '../values/typed-value.ts'
import { type Parties, union } from './parties.ts'
import type { LazySeed } from './seeds.ts'

/** `hash` covers package name, template name and value: the identity of a key, in hex. */
export type ContractKey = TypedValue & { readonly hash: string; readonly maintainers: Parties }

type OfContract = {
  readonly contractId: string
  readonly packageName: string
  readonly templateId: Identifier
  readonly signatories: Parties
  /** Signatories and observers. */
  readonly stakeholders: Parties
  readonly key: ContractKey | undefined
}

export type Create = OfContract & {
  readonly kind: 'create'
  readonly argument: TypedValue
  readonly seed: LazySeed
}

export interface Exercise<Child> extends OfContract {
  readonly kind: 'exercise'
  /** Where the choice is defined, if not at the template. */
  readonly interfaceId: Identifier | undefined
  readonly choice: string
  readonly isConsuming: boolean
  readonly isByKey: boolean
  readonly actors: Parties
  readonly choiceObservers: Parties
  readonly argument: TypedValue
  readonly seed: LazySeed
  readonly children: readonly Child[]
  /** Undefined if an exception ended it: then it is inside a rollback. */
  readonly result: TypedValue | undefined
}

export type Fetch = OfContract & {
  readonly kind: 'fetch'
  readonly interfaceId: Identifier | undefined
  readonly isByKey: boolean
  readonly actors: Parties
}

export type QueryByKey = {
  readonly kind: 'query-by-key'
  readonly packageName: string
  readonly templateId: Identifier
  readonly key: ContractKey
  readonly result: readonly string[]
  /** Fewer were found than requested: there are no more. */
  readonly isExhaustive: boolean
}

export interface Rollback<Child> {
  readonly kind: 'rollback'
  readonly children: readonly Child[]
}

export type Action<Child> = Create | Exercise<Child> | Fetch | QueryByKey

/** The number of a node that has none yet. */
export const unnumbered = -1

type Numbers = {
  readonly id: number
  /** Its own id if it has no children. What was rolled back is none of an exercise, as readers never see it. */
  readonly lastDescendantId: number
}

export type NodeTree = (Create | Exercise<NodeTree> | Fetch | QueryByKey | Rollback<NodeTree>) & Numbers

export type Node = (Action<number> | Rollback<number>) & Numbers

/** Nodes are finished in place: copying them costs more than all else that is done to them. */
export type Unfinished<T> = { -readonly [Field in keyof T]: T[Field] }

export type TimeBounds = { readonly min: Int64; readonly max: Int64 }

/** What of a node decides who its informees are. */
type Concerning =
  | Pick<Create, 'kind' | 'stakeholders'>
  | Pick<Exercise<unknown>, 'kind' | 'isConsuming' | 'signatories' | 'stakeholders' | 'actors' | 'choiceObservers'>
  | Pick<Fetch, 'kind' | 'signatories' | 'actors'>
  | (Pick<QueryByKey, 'kind'> & { readonly key: Pick<ContractKey, 'maintainers'> })

/** The informees of the node itself, whatever is around it. */
export function informeesOf(node: Concerning): Parties {
  switch (node.kind) {
    case 'create':
      return node.stakeholders
    case 'exercise': {
      const ofContract = node.isConsuming ? node.stakeholders : node.signatories
      return union(union(ofContract, node.actors), node.choiceObservers)
    }
    case 'fetch':
      return union(node.signatories, node.actors)
    case 'query-by-key':
      return node.key.maintainers
  }
}

/** Canton's names for the serialization formats of nodes. */
export function serializationVersionOf(node: Action<unknown>): '2.1' | '2' {
  return node.key === undefined ? '2.1' : '2'
}

export function packagesOf(node: Action<unknown>): readonly string[] {
  const interfaceId = node.kind === 'exercise' || node.kind === 'fetch' ? node.interfaceId : undefined
  return interfaceId === undefined ? [node.templateId.packageId] : [node.templateId.packageId, interfaceId.packageId]
}

export function childrenOf<Child>(node: Action<Child> | Rollback<Child>): readonly Child[] {
  return node.kind === 'exercise' || node.kind === 'rollback' ? node.children : []
}
