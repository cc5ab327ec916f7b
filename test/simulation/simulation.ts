// A run: a seed determines the steps and the checks in between.

import type { StoreKind } from '../fixtures/node.ts'
import { type Chance, createChance } from './chance.ts'
import { type Comparison, createComparison } from './comparison.ts'
import { createMoveGenerator, type MoveGenerator } from './moves.ts'
import type { Submission } from './records.ts'
import { reassignmentToJson, submissionToJson } from './requests.ts'
import type { AnySubmission } from './sending.ts'
import { createGenerator, type Generator } from './submissions.ts'
import { watch } from './watching.ts'
import { createWorld, type World } from './world.ts'

type Run = {
  readonly seed: string
  readonly store: StoreKind
  readonly steps: number
  /** How often the ledger returns to a snapshot, each time while other clients use it. */
  readonly returns?: number
}

type Parts = {
  readonly chance: Chance
  readonly world: World
  readonly comparison: Comparison
  readonly generator: Generator
  readonly moves: MoveGenerator
  readonly history: Submission[]
  /** Reports the next step. */
  note(step: string): void
}

const stepsBetweenComparisons = 20
const stepsBetweenSnapshots = 10
const restoresUnderLoad = 3
const stepsShown = 12
const second = 1_000_000n

export async function simulate({ seed, store, steps, returns = 0 }: Run): Promise<void> {
  const chance = createChance(seed)
  await using world = await createWorld(store, chance)
  const comparison = createComparison(world, chance)
  const generator = createGenerator(chance, world.model)
  const moves = createMoveGenerator(chance, world.model)
  const noted: string[] = []
  const note = (step: string) => noted.push(`${noted.length + 1} ${step}`)
  const parts: Parts = { chance, world, comparison, generator, moves, history: [], note }
  const run = async (count: number) => {
    for (let step = 1; step <= count; step += 1) {
      await chance.weighted(kinds)(parts)
      if (chance.percent(30)) await comparison.glance()
      if (step % stepsBetweenComparisons === 0) await comparison.everything()
    }
  }
  try {
    await run(steps)
    for (let time = 1; time <= returns; time += 1) {
      note(`snapshot ${time}`)
      const kept = await world.snapshot(`kept-${time}`)
      const done = parts.history.length
      await run(stepsBetweenSnapshots)
      note(`restore snapshot ${time} under load`)
      await world.restore(kept, chance.below, restoresUnderLoad)
      parts.history.length = done
      await comparison.everything()
      await run(stepsBetweenSnapshots)
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
  [24, ({ moves, ...parts }) => submit([moves.reassignment()], parts)],
  [10, rivals],
  [6, burst],
  [12, again],
  [6, advanceTime],
  [6, endExclusiveTime],
  [3, lookAround],
  [9, changeConnection],
  [2, disconnectInBetween],
  [1, hostParty],
  [2, restart],
  [2, restartInBetween],
  [3, prune],
]

type Submitting = Pick<Parts, 'world' | 'history' | 'note'>

async function submit(submissions: readonly AnySubmission[], { world, history, note }: Submitting): Promise<void> {
  if (submissions.length === 0) return
  note(`submit ${submissions.map(shown).join(' and ')}`)
  await world.submit(submissions)
  history.push(...submissions.filter((one) => 'commands' in one))
}

/**
 * Other commands go first, so that the rivals are ready when the node has written those. Some use the contract, some
 * move it.
 */
async function rivals({ chance, generator, moves, ...parts }: Parts): Promise<void> {
  const coveted = generator.coveted()
  if (coveted === undefined) return
  const others = Array.from({ length: chance.below(4) }, () => generator.submission())
  const using = generator.rivals(coveted)
  const moving = chance.percent(60) ? moves.rivals(coveted) : []
  const all = [...others, ...using, ...moving]
  await submit(chance.percent(50) ? all : [...others, ...moving, ...using], parts)
}

/** Watched by readers, and sometimes during pruning. */
async function burst({ chance, generator, moves, comparison, world, ...parts }: Parts): Promise<void> {
  const submissions = Array.from({ length: 3 + chance.below(6) }, () =>
    chance.percent(70) ? generator.submission() : moves.reassignment(),
  )
  const format = comparison.someFormat()
  const { model, prune } = world
  const upTo = model.state.end < 2 ? 0 : 1 + chance.below(model.state.end - 1)
  // It is not known which comes first, so what pruning decides about a submission is left out.
  const names = (submission: (typeof submissions)[number]) =>
    'period' in submission && submission.period.kind === 'offset' && submission.period.offset < upTo
  const isPruning = chance.percent(25) && upTo > 0 && !model.forgets(upTo) && !submissions.some(names)
  if (isPruning) parts.note(`prune up to ${upTo}, and meanwhile`)
  const both = async () => {
    const submitting = submit(submissions, { world, ...parts })
    const outcomes = await Promise.allSettled([submitting, ...(isPruning ? [prune(upTo)] : [])])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }
  await watch(world, format, both())
}

/** Once, or several times concurrently. */
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
  await world.submit([])
}

/** Just before, at, or after the end of exclusivity of what is in transit: others may be as fast as the node itself. */
async function endExclusiveTime({ chance, world, generator, moves, ...parts }: Parts): Promise<void> {
  const { state, reassigning } = world.model
  const pending = reassigning.inTransit().filter(({ exclusiveUntil }) => exclusiveUntil > state.now)
  if (pending.length === 0) return
  const { exclusiveUntil, contracts } = chance.pick(pending)
  const micros = exclusiveUntil - state.now + BigInt(chance.below(3) - 1)
  parts.note(`let ${micros} microseconds pass, up to the end of somebody's exclusive time`)
  await world.advanceTime(micros)
  const kind = chance.pick(['wait', 'race', 'restart'] as const)
  const [contract] = contracts as [(typeof contracts)[number]]
  if (kind === 'wait') await world.submit([])
  else if (kind === 'race') {
    const using = chance.percent(50) && contract.template !== 'Wallet:Wallet' ? generator.rivals(contract) : []
    await submit([...moves.rivals(contract), ...using], { world, ...parts })
  } else {
    parts.note('restart at once')
    await world.restart([])
  }
}

async function changeConnection({ chance, world, note }: Parts): Promise<void> {
  const { all, isConnected } = world.model.synchronizers
  const disconnected = all.filter(({ id }) => !isConnected(id))
  if (disconnected.length === 0 && chance.percent(50)) return
  const { id } = disconnected.length > 0 && chance.percent(90) ? chance.pick(disconnected) : chance.pick(all)
  note(`${isConnected(id) ? 'disconnect' : 'connect'} ${id.split('::')[0]}`)
  await world.setConnected(id, !isConnected(id))
  await world.submit([])
}

/** Commands in flight may or may not get through. */
async function disconnectInBetween({ chance, generator, moves, world, note, history }: Parts): Promise<void> {
  const connected = world.model.synchronizers.connected()
  if (connected.length < 2) return
  const { id, alias } = chance.pick(connected)
  const commands = Array.from({ length: 1 + chance.below(4) }, () => generator.submission())
  const submissions = [...commands, moves.reassignment()]
  note(`disconnect ${alias} during ${submissions.map(shown).join(' and ')}`)
  await world.submit(submissions, { disconnecting: id })
  history.push(...commands)
}

async function hostParty({ chance, world, note }: Parts): Promise<void> {
  const { parties, synchronizers } = world.model
  const missing = parties.flatMap((party) =>
    synchronizers.connected().flatMap(({ id }) => (synchronizers.isHosted(party, id) ? [] : [[party, id] as const])),
  )
  if (missing.length === 0) return
  const [party, id] = chance.pick(missing)
  note(`host ${party.split('::')[0]} on ${id.split('::')[0]}`)
  await world.host(party, id)
}

async function lookAround({ comparison, note }: Parts): Promise<void> {
  note('read')
  for (let count = 0; count < 5; count += 1) await comparison.glance()
}

async function restart({ world, note }: Parts): Promise<void> {
  note('restart')
  await world.restart([])
}

/** What the node accepted is done, even if it is stopped at once. */
async function restartInBetween({ generator, moves, world, note, history }: Parts): Promise<void> {
  const commands = Array.from({ length: 3 }, () => generator.submission())
  const submissions = [...commands, moves.reassignment()]
  note(`restart during ${submissions.map(shown).join(' and ')}`)
  await world.restart(submissions)
  history.push(...commands)
}

async function prune({ chance, world, note }: Parts): Promise<void> {
  const { end } = world.model.state
  const upTo = chance.percent(10) ? chance.pick([0, end, end + 1]) : chance.below(end + 1)
  note(`prune up to ${upTo}`)
  await world.prune(upTo)
}

/** Abbreviated, with shortened contract ids. */
function shown(submission: AnySubmission): string {
  const json = 'reassignments' in submission ? reassignmentToJson(submission) : commandsShown(submission)
  return JSON.stringify(json)
    .replaceAll(/("?00[0-9a-f]{10})[0-9a-f]{50,}/g, '$1…')
    .replaceAll(/::[0-9a-f]{60,}/g, '')
}

function commandsShown(submission: Submission): object {
  const { commands, actAs, commandId, readAs, disclosedContracts, deduplicationPeriod, synchronizerId } =
    submissionToJson(submission) as Record<string, unknown>
  return {
    ...{ commandId, actAs, readAs, commands, deduplicationPeriod, synchronizerId },
    disclosed: (disclosedContracts as object[]).map((one) => ({ ...one, createdEventBlob: '' })),
  }
}
