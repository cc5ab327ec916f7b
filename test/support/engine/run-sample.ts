// Runs a piece of an update against contracts given by hand, for tests of ledger effects.

import type { Effects } from '../../../src/engine/code/code.ts'
import { unhandledException } from '../../../src/engine/code/evaluation-failures.ts'
import { DamlException, Failure } from '../../../src/engine/failures/failures.ts'
import type { StoredContract } from '../../../src/engine/transaction/contracts.ts'
import { childrenOf, type Node } from '../../../src/engine/transaction/nodes.ts'
import { type OpenExercise, withExercises } from '../../../src/engine/transaction/open-exercises.ts'
import { LazySeed, transactionSeed } from '../../../src/engine/transaction/seeds.ts'
import {
  createTransaction,
  type Transaction,
  type TransactionSettings,
} from '../../../src/engine/transaction/transaction.ts'
import { type LfValue, Some, unit } from '../../../src/lf/values/values.ts'
import { createSampleCode, hashKey, type SampleCode } from './sample-code.ts'

/** 2026-01-01T00:00:00Z, as in the recordings of the reference engine. */
export const now = 1767225600000000
export const seed = new LazySeed(() => transactionSeed(Buffer.from('5eed'.repeat(16), 'hex'), 'participant', now))

export const sample: SampleCode = createSampleCode()

type Given = Partial<TransactionSettings> & { readonly contracts?: readonly StoredContract[] }
type Outcome =
  | { readonly transaction: Transaction }
  | { readonly failure: Failure; readonly open: readonly OpenExercise[] }

export function outcomeOf(body: (effects: Effects) => LfValue, { contracts = [], ...given }: Given = {}): Outcome {
  const running = createTransaction({
    code: sample.code,
    actAs: ['Alice'],
    readAs: [],
    ledgerTime: now,
    preparationTime: now,
    seed,
    lookUpContract: (id) => contracts.find((contract) => contract.id === id),
    lookUpKey: (key) => contracts.filter((contract) => contract.key?.hash === key.hash),
    hashKey,
    convert: () => {
      throw new Error('the sample has one version')
    },
    preferredPackage: (name) => (name === sample.package.name ? sample.package.id : undefined),
    ...given,
  })
  try {
    body(running.effects)
    return { transaction: running.finish() }
  } catch (thrown) {
    const failure = thrown instanceof DamlException ? unhandledException(thrown, sample.code) : thrown
    if (!(failure instanceof Failure)) throw thrown
    return { failure: withExercises(failure, running.openExercises()), open: running.openExercises() }
  }
}

export function run(body: (effects: Effects) => LfValue, given: Given = {}): Transaction {
  const outcome = outcomeOf(body, given)
  if ('failure' in outcome) throw outcome.failure
  return outcome.transaction
}

export function failureOf(body: (effects: Effects) => LfValue, given: Given = {}): Failure {
  const outcome = outcomeOf(body, given)
  if ('failure' in outcome) return outcome.failure
  throw new Error('it did not fail')
}

/** The tree in one line: `keep(create rollback(fetch))`. */
export function outlineOf({
  nodes,
  roots,
}: {
  readonly nodes: readonly Node[]
  readonly roots: readonly number[]
}): string {
  const outline = (id: number): string => {
    const node = nodes[id]!
    const name = node.kind === 'exercise' ? node.choice.toLowerCase() : node.kind
    const children = childrenOf(node)
    return children.length === 0 ? name : `${name}(${children.map(outline).join(' ')})`
  }
  return roots.map(outline).join(' ')
}

/** A handler that catches everything and does nothing. */
export const handleWithUnit = (): LfValue => new Some(() => unit)
