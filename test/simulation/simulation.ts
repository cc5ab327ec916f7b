// A run: a seed decides what happens, step after step, and what is looked at in between.

import type { StoreKind } from '../fixtures/node.ts'
import { type Chance, createChance } from './chance.ts'
import { createGenerator, type Generator } from './commands.ts'
import { type Comparison, createComparison } from './comparison.ts'
import type { Submission } from './model.ts'
import { submissionToJson } from './requests.ts'
import { watch } from './watching.ts'
import { createWorld, type World } from './world.ts'

type Run = { readonly seed: string; readonly store: StoreKind; readonly steps: number }

type Parts = {
  readonly chance: Chance
  readonly world: World
  readonly comparison: Comparison
  readonly generator: Generator
  readonly history: Submission[]
  /** Tells what is about to happen. */
  note(step: string): void
}

const stepsBetweenComparisons = 20
const stepsShown = 12
const second = 1_000_000n

export async function simulate({ seed, store, steps }: Run): Promise<void> {
  const chance = createChance(seed)
  await using world = await createWorld(store, chance)
  const comparison = createComparison(world, chance)
  const generator = createGenerator(chance, world.model)
  const noted: string[] = []
  const note = (step: string) => noted.push(`${noted.length + 1} ${step}`)
  const parts = { chance, world, comparison, generator, history: [], note }
  try {
    for (let step = 1; step <= steps; step += 1) {
      await chance.weighted(kinds)(parts)
      if (chance.percent(30)) await comparison.glance()
      if (step % stepsBetweenComparisons === 0) await comparison.everything()
    }
    note('the last comparison')
    await comparison.everything()
  } catch (error) {
    const { message } = error as Error
    const last = noted.slice(-stepsShown).join('\n')
    const { end, prunedUpTo } = world.model.state
    throw new Error(`seed ${seed} on ${store}, end ${end}, pruned up to ${prunedUpTo}, after\n${last}\n${message}`, {
      cause: error,
    })
  }
}

const kinds: readonly (readonly [weight: number, step: (parts: Parts) => Promise<void>])[] = [
  [60, ({ generator, ...parts }) => submit([generator.submission()], parts)],
  [8, rivals],
  [6, burst],
  [12, again],
  [6, advanceTime],
  [3, lookAround],
  [2, restart],
  [2, restartInBetween],
  [3, prune],
]

type Submitting = Pick<Parts, 'world' | 'history' | 'note'>

async function submit(submissions: readonly Submission[], { world, history, note }: Submitting): Promise<void> {
  if (submissions.length === 0) return
  note(`submit ${submissions.map(shown).join(' and ')}`)
  await world.submit(submissions)
  history.push(...submissions)
}

/** Others go first, so that several rivals are ready when the node has written those. */
function rivals({ chance, generator, ...parts }: Parts): Promise<void> {
  const others = Array.from({ length: chance.below(4) }, () => generator.submission())
  return submit([...others, ...generator.rivals()], parts)
}

/** Watched by readers, and sometimes while the past is pruned. */
async function burst({ chance, generator, comparison, world, ...parts }: Parts): Promise<void> {
  const submissions = Array.from({ length: 3 + chance.below(6) }, () => generator.submission())
  const format = comparison.someFormat()
  const { model, prune } = world
  const upTo = model.state.end < 2 ? 0 : 1 + chance.below(model.state.end - 1)
  const isPruning = chance.percent(25) && upTo > 0 && !model.forgets(upTo)
  if (isPruning) parts.note(`prune up to ${upTo}, and meanwhile`)
  const both = async () => {
    const submitting = submit(submissions, { world, ...parts })
    const outcomes = await Promise.allSettled([submitting, ...(isPruning ? [prune(upTo)] : [])])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }
  await watch(world, format, both())
}

/** Once, or several times at once. */
async function again({ chance, generator, history, ...parts }: Parts): Promise<void> {
  if (history.length === 0) return
  const earlier = chance.pick(history)
  const times = chance.percent(25) ? 2 : 1
  await submit(
    Array.from({ length: times }, () => generator.again(earlier)),
    { history, ...parts },
  )
}

async function advanceTime({ chance, world, note }: Parts): Promise<void> {
  const seconds = chance.percent(40) ? chance.below(100) : chance.below(8 * 86_400)
  const micros = BigInt(seconds) * second
  note(`let ${micros} microseconds pass`)
  await world.advanceTime(micros)
}

async function lookAround({ comparison, note }: Parts): Promise<void> {
  note('read')
  for (let count = 0; count < 5; count += 1) await comparison.glance()
}

async function restart({ world, note }: Parts): Promise<void> {
  note('restart')
  await world.restart([])
}

/** What the node said it would do is done, even if it is stopped at once. */
async function restartInBetween({ generator, world, note, history }: Parts): Promise<void> {
  const submissions = Array.from({ length: 3 }, () => generator.submission())
  note(`restart during ${submissions.map(shown).join(' and ')}`)
  await world.restart(submissions)
  history.push(...submissions)
}

async function prune({ chance, world, note }: Parts): Promise<void> {
  const { end } = world.model.state
  const upTo = chance.percent(10) ? chance.pick([0, end, end + 1]) : chance.below(end + 1)
  note(`prune up to ${upTo}`)
  await world.prune(upTo)
}

/** Short, with ids of contracts cut. */
function shown(submission: Submission): string {
  const { commands, actAs, commandId, readAs, disclosedContracts, deduplicationPeriod } = submissionToJson(
    submission,
  ) as Record<string, unknown>
  const text = JSON.stringify({
    ...{ commandId, actAs, readAs, commands, deduplicationPeriod },
    disclosed: (disclosedContracts as unknown[]).length,
  })
  return text.replaceAll(/("?00[0-9a-f]{10})[0-9a-f]{50,}/g, '$1…').replaceAll(/::[0-9a-f]{60,}/g, '')
}
