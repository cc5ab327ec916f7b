// What runs beside the APIs: automations that watch the ledger and its clock, and exercise what is due. Each looks at the ledger
// before it acts, so a step that was done is not done again, whatever was interrupted.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { LocalNetwork } from '../founding/founding.ts'
import type { DsoReads } from '../ledger/dso-reads.ts'

export type AutomationContext = {
  readonly network: LocalNetwork
  readonly dso: DsoReads
  /** Milliseconds since 1970 on the ledger's clock. */
  readonly nowMs: number
}

export type Automation = {
  /** For the log. */
  readonly name: string
  /** Does at most one step. */
  step(context: AutomationContext): Promise<Step>
}

/** Whether something was done; if not, when something will be due by the ledger's clock, as far as that is known. */
export type Step = { readonly isDone: boolean; readonly dueMs?: number | undefined }

export const done: Step = { isDone: true }
export const nothingDue: Step = { isDone: false }

/** Waits until this time by the ledger's clock. */
export const dueAt = (dueMs: number): Step => ({ isDone: false, dueMs })

/** The one that is due first counts. */
export function earliest(steps: readonly Step[]): Step {
  const times = steps.flatMap(({ dueMs }) => (dueMs === undefined ? [] : [dueMs]))
  return times.length === 0 ? nothingDue : dueAt(Math.min(...times))
}

type Parts = {
  readonly network: LocalNetwork
  readonly dso: DsoReads
  readonly automations: readonly Automation[]
  readonly clock: Clock
  readonly log: Log
}

export type RunningAutomations = AsyncDisposable & {
  /** Looks soon: something has happened on the ledger. */
  wake(): void
}

/** How often the ledgers and their clock, which people move, are looked at. */
const pollMs = 500
/** A step that never ends would keep the others from theirs. */
const stepsMax = 1_000

type StepParts = Pick<Parts, 'network' | 'dso' | 'log'>

/** All steps of one automation that are due. Settles with the time of the next one. */
export async function runSteps(
  { name, step }: Automation,
  { network, dso, log }: StepParts,
  isStopped = () => false,
): Promise<Step> {
  for (let count = 0; count < stepsMax && !isStopped(); count += 1) {
    const result = await step({ network, dso, nowMs: await timeOf(network) })
    if (!result.isDone) return result
    log.debug({ automation: name }, 'an automation has done a step')
  }
  return nothingDue
}

async function timeOf({ sv }: LocalNetwork): Promise<number> {
  return Date.parse(await sv.participant.time())
}

export function runAutomations({ network, dso, automations, clock, log }: Parts): RunningAutomations {
  let isStopped = false
  let isAwake = true
  let wakeUp = () => {}
  let dueMs = Number.POSITIVE_INFINITY
  let lastEnds: readonly number[] = []

  async function sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(ms, resolve)
    wakeUp = resolve
    await promise
    timer.cancel()
  }

  /** Whether a participant has had an update since the last look. */
  async function hasChanged(): Promise<boolean> {
    const ends = await Promise.all(network.validators.map(({ participant }) => participant.end()))
    const isSame = ends.every((end, index) => end === lastEnds[index])
    lastEnds = ends
    return !isSame
  }

  /** Whether all of them worked. One that fails does not keep the others from their steps. */
  async function runAll(): Promise<boolean> {
    const waiting: Step[] = []
    let isWhole = true
    for (const automation of automations) {
      try {
        waiting.push(await runSteps(automation, { network, dso, log }, () => isStopped))
      } catch (error) {
        isWhole = false
        const reason = (error as Error).message
        if (!isStopped) log.warn({ automation: automation.name, reason }, 'an automation failed and is tried again')
      }
    }
    dueMs = earliest(waiting).dueMs ?? Number.POSITIVE_INFINITY
    return isWhole
  }

  async function look(): Promise<boolean> {
    if (!isAwake && !(await hasChanged()) && (await timeOf(network)) < dueMs) return true
    isAwake = false
    return runAll()
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!isStopped) {
      const startedMs = clock.elapsedMs()
      const isWhole = await look().catch(() => false) // The participant may be stopped for a while.
      failures = isWhole ? 0 : failures + 1
      if (!isWhole) isAwake = true
      await rest(clock.elapsedMs() - startedMs)
      if (!isStopped && (!isAwake || !isWhole)) await sleep(isWhole ? pollMs : backoffMs(failures))
    }
  }

  /** On a busy ledger something happens all the time: looking takes at most half of it. */
  async function rest(tookMs: number): Promise<void> {
    const until = clock.elapsedMs() + Math.min(tookMs, pollMs)
    for (let leftMs = until - clock.elapsedMs(); leftMs > 0 && !isStopped; leftMs = until - clock.elapsedMs()) {
      await sleep(leftMs)
    }
  }

  const running = run()
  return {
    wake() {
      isAwake = true
      wakeUp()
    },
    async [Symbol.asyncDispose]() {
      isStopped = true
      wakeUp()
      await running
    },
  }
}
