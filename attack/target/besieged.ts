// One attack on a node that others use: the node must stay healthy, answer, delay nobody for long, and bound its
// memory.
import assert from 'node:assert/strict'

import { createDice, type Dice } from '../../test/fixtures/dice.ts'
import { type Failure, failureOf, type Outcome, type Plan } from '../campaign.ts'
import { createWallet } from './account.ts'
import { startBystander } from './bystander.ts'
import { startTarget, type Target, type TargetOptions } from './target.ts'

export type Siege = {
  readonly name: string
  /** One attempt; repeated while there is time. */
  attack(target: Target, dice: Dice): Promise<void>
  /** Set-up before the bystander starts. */
  prepare?(target: Target): Promise<void>
  readonly options?: TargetOptions
  /** Too long for the short form. */
  readonly isLong?: true
  /** By how much the memory of the node may grow, where a setting bounds it; the campaign's bound by default. */
  readonly growthMiBMax?: number
  /** For limits that refuse everyone by design, so that the bystander may be refused, too. */
  readonly mayRefuseOthers?: true
}

const quietMs = 300
/**
 * How long an attack lasts, how long others may wait in addition to stalls of the machine, and how much garbage counts as
 * growth of the memory.
 */
const forms = {
  full: { siegeMs: 2_500, delayMaxMs: 250, garbageMiB: 0 },
  short: { siegeMs: 500, delayMaxMs: 10_000, garbageMiB: 120 },
} as const
type Form = (typeof forms)[keyof typeof forms]
const attempts = 3
/** More than any attack needs: three threads at their limit, as one client can cause, and the node itself. */
const memoryMiBMax = 2_048

/** Enough that the young generation of V8's heap has its full size, and that there are many buffers to collect. */
const politeLoad = { clients: 100, commandsEach: 20, bodyBytes: 60_000 }

type Bounds = {
  /** How much more memory the node may take than for many polite clients; not bounded by default. */
  readonly growthMiBMax?: number
}

/** Each round is one of the sieges, on its own node. */
export async function besiege(
  { seed, times, isShort, say }: Plan,
  sieges: readonly Siege[],
  bounds: Bounds = {},
): Promise<Outcome> {
  const allowed = isShort ? forms.short : forms.full
  const rows: string[] = []
  const fit = isShort ? sieges.filter(({ isLong }) => !isLong) : sieges
  const failures: Failure[] = []
  const notes: string[] = []
  let longestMs = 0
  for (let made = 0; made < times; made += 1) {
    const roundSeed = seed + made
    const siege = fit[roundSeed % fit.length]!
    try {
      const delays = await leastDelays({ ...bounds, ...siege }, roundSeed, allowed)
      if (delays.longestMs > longestMs) {
        longestMs = delays.longestMs
        notes[0] = `longest: ${siege.name}, ${delays.operation}`
      }
      if (delays.longestMs > allowed.delayMaxMs) {
        failures.push(failureOf('delayed', roundSeed, `${siege.name}: ${JSON.stringify(delays)}`))
      }
      say(`${siege.name}: ${JSON.stringify(delays)}`)
      rows.push(rowOf(siege, delays))
    } catch (error) {
      failures.push(failureOf('broken', roundSeed, new Error(siege.name, { cause: error })))
    }
  }
  return { times, failures, delayMs: longestMs, rows, ...(notes[0] !== undefined && { note: notes[0] }) }
}

type Result = Awaited<ReturnType<typeof oneSiege>>

/** The longest delays of others, in milliseconds, and what the node took in addition. */
function rowOf({ name }: Siege, { byOperation, growthMiB, refusals }: Result): string {
  const delays = Object.entries(byOperation).map(([operation, ms]) => `${operation} ${ms} ms`)
  const refused = refusals.length === 0 ? '' : `, ${refusals.length} refused`
  return `${name.padEnd(50)} ${delays.join(', ')}, memory +${growthMiB} MiB${refused}`
}

/** Stalls of the machine cannot be subtracted exactly, so only what is slow every time counts. */
async function leastDelays(siege: Siege, seed: number, allowed: Form) {
  let least = await oneSiege(siege, seed, allowed)
  for (let again = 1; again < attempts && least.longestMs > allowed.delayMaxMs; again += 1) {
    const delays = await oneSiege(siege, seed, allowed)
    if (delays.longestMs < least.longestMs) least = delays
  }
  return least
}

async function oneSiege(siege: Siege, seed: number, { siegeMs, garbageMiB }: Form) {
  const dice = createDice(seed)
  await using target = await startTarget(siege.options)
  await siege.prepare?.(target)
  if (siege.growthMiBMax !== undefined && garbageMiB === 0) await serveManyClients(target)
  await using bystander = await startBystander(target)
  await pause(quietMs)
  const beforeMiB = target.memoryNowMiB()
  const untilMs = performance.now() + siegeMs
  do await siege.attack(target, dice)
  while (performance.now() < untilMs)
  await pause(quietMs)
  const delays = await bystander.finish()
  await target.checkWell()
  if (!siege.mayRefuseOthers) assert.deepEqual(delays.refusals, [], 'others were refused')
  const memoryMiB = target.memoryMiB()
  assert.ok(memoryMiB < memoryMiBMax, `the node took ${memoryMiB} MiB`)
  const growthMiB = Math.round(memoryMiB - beforeMiB)
  assert.ok(growthMiB < (siege.growthMiBMax ?? Infinity) + garbageMiB, `the node took ${growthMiB} MiB more`)
  return { ...delays, memoryMiB: Math.round(memoryMiB), growthMiB }
}

/**
 * V8 takes about 100 MiB for garbage that it has not collected yet, for polite clients as for attackers. The node takes it
 * before its memory is measured, so that the growth is what an attack holds. The short form allows for it instead.
 */
async function serveManyClients({ bystander, call }: Target): Promise<void> {
  const { clients, commandsEach, bodyBytes } = politeLoad
  const serve = async (client: number) => {
    for (let count = 0; count < commandsEach; count += 1) {
      const body = JSON.stringify(createWallet(bystander, `polite-${client}-${count}`)).padEnd(bodyBytes)
      const { status, text } = await call('POST', '/v2/commands/submit-and-wait', { token: bystander.token, body })
      assert.equal(status, 200, text)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => serve(client)))
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}
