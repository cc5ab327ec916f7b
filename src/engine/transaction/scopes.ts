// Where in the tree of nodes the next one goes, on whose authority, and with which seed.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { ContractId, LfValue } from '../../lf/values/values.ts'
import type { ChoiceCode } from '../code/code.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { Authority } from './authority.ts'
import type { Contract } from './contracts.ts'
import { type Exercise, type NodeTree, unnumbered } from './nodes.ts'
import type { OpenExercise } from './open-exercises.ts'
import { type Parties, union } from './parties.ts'
import { LazySeed, nodeSeed, type Seed } from './seeds.ts'

export type Scope = {
  readonly parent: Scope | undefined
  readonly children: NodeTree[]
  readonly authority: Authority
  /** The seeds of children derive from it. */
  readonly seed: LazySeed
  /** Seeds of its first actions, where they do not derive from `seed`. */
  readonly childSeeds: readonly Seed[]
  /** The number of the next action; never decreased. */
  nextChild: number
  readonly exercise: OpenNode | undefined
  readonly node: number
}

type OpenNode = Exercise<NodeTree> & NodeTree & { result: TypedValue | undefined }
export type ExerciseScope = Scope & { readonly exercise: OpenNode }

/** What a choice is exercised with, and where it was found. */
export type Exercising = {
  readonly id: ContractId
  readonly contract: Contract
  readonly choice: ChoiceCode
  readonly interfaceId: Identifier | undefined
  readonly argument: LfValue
  readonly isByKey: boolean
}

const noSeeds: readonly Seed[] = []

export function rootScope(actAs: readonly string[], seed: LazySeed, childSeeds: readonly Seed[]): Scope {
  const authority: Authority = { parties: actAs.length === 1 ? actAs : [...new Set(actAs)], shown: 'Set' }
  return { parent: undefined, children: [], authority, seed, childSeeds, nextChild: 0, exercise: undefined, node: -1 }
}

/** The seed of the next action in this scope. */
export function nextSeed({ seed, childSeeds, nextChild }: Scope): LazySeed {
  return new LazySeed(() => childSeeds[nextChild] ?? nodeSeed(seed.bytes, nextChild))
}

/** Its actions count as its parent's. */
export function tryScope(parent: Scope, node: number): Scope {
  const { authority, seed, childSeeds, nextChild } = parent
  return { parent, children: [], authority, seed, childSeeds, nextChild, exercise: undefined, node }
}

/** Inside, the signatories and actors authorize, and nobody else. */
export function exerciseScope(
  parent: Scope,
  { id, contract, choice, interfaceId, argument, isByKey }: Exercising,
  { actors, choiceObservers }: { actors: Parties; choiceObservers: Parties },
  node: number,
): ExerciseScope {
  const { template, signatories, stakeholders, key } = contract
  const seed = nextSeed(parent)
  const children: NodeTree[] = []
  const exercise: OpenNode = {
    kind: 'exercise',
    contractId: id.text,
    packageName: template.package.name,
    templateId: template.id,
    interfaceId,
    choice: choice.name,
    isConsuming: choice.isConsuming,
    isByKey,
    actors,
    argument: { type: choice.argumentType, value: argument },
    signatories,
    stakeholders,
    choiceObservers,
    key,
    seed,
    children,
    result: undefined,
    id: unnumbered,
    lastDescendantId: unnumbered,
  }
  const authority: Authority = { parties: union(signatories, actors), shown: 'TreeSet' }
  return { parent, children, authority, seed, childSeeds: noSeeds, nextChild: 0, exercise, node }
}

/** Innermost first. */
export function openExercises(innermost: Scope): OpenExercise[] {
  const open: OpenExercise[] = []
  for (let at: Scope | undefined = innermost; at !== undefined; at = at.parent) {
    if (at.exercise === undefined) continue
    const { templateId, interfaceId, choice, contractId } = at.exercise
    open.push({ templateId, interfaceId, choice, contractId, node: at.node })
  }
  return open
}
