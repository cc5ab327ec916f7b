// Metrics of the engine: its threads, its queue, and its requests.
import type { Metrics } from '../../base/metrics.ts'
import type { Effort, Outcome, Work } from './messages.ts'

export type EngineCounts = Effort & {
  readonly busyMs: number
  readonly lostThreads: number
  /** By kind and result: `interpret answer`. */
  readonly requests: ReadonlyMap<string, number>
  readonly waiting: number
  readonly inHand: number
  readonly threads: { readonly quick: number; readonly long: number }
}

/** The numbers that the pool itself keeps. */
export type EngineCounters = {
  current(): Omit<EngineCounts, 'waiting' | 'inHand' | 'threads'>
  /** A thread was busy for so long. */
  noteBusy(ms: number): void
  noteEffort(effort: Effort): void
  noteOutcome(kind: Work['kind'], outcome: Outcome['kind']): void
  noteLostThread(): void
}

export function createEngineCounters(): EngineCounters {
  const requests = new Map<string, number>()
  const effort = { steps: 0, compileMs: 0, compiledCharacters: 0 }
  let busyMs = 0
  let lostThreads = 0
  return {
    current: () => ({ ...effort, busyMs, lostThreads, requests }),
    noteBusy(ms) {
      busyMs += ms
    },
    noteEffort({ steps, compileMs, compiledCharacters }) {
      effort.steps += steps
      effort.compileMs += compileMs
      effort.compiledCharacters += compiledCharacters
    },
    noteOutcome(kind, outcome) {
      const key = `${kind} ${outcome}`
      requests.set(key, (requests.get(key) ?? 0) + 1)
    },
    noteLostThread() {
      lostThreads += 1
    },
  }
}

/** `counts` is undefined until the first thread starts. */
export function measureEngine(metrics: Metrics, counts: () => EngineCounts | undefined): void {
  const number = (read: (counts: EngineCounts) => number) => () => {
    const known = counts()
    return known === undefined ? 0 : read(known)
  }
  metrics.gauge(
    'tallystick_engine_threads',
    'Threads that evaluate commands, by lane: quick, or long for long-running commands',
    () => {
      const { quick, long } = counts()?.threads ?? { quick: 0, long: 0 }
      return [
        [['quick'], quick],
        [['long'], long],
      ]
    },
    ['lane'],
  )
  metrics.total(
    'tallystick_engine_lost_threads_total',
    'Threads that were lost: out of memory, or out of time',
    number(({ lostThreads }) => lostThreads),
  )
  metrics.gauge(
    'tallystick_engine_queue',
    'Requests waiting for a thread',
    number(({ waiting }) => waiting),
  )
  metrics.gauge(
    'tallystick_engine_in_hand',
    'Requests that threads are working on',
    number(({ inHand }) => inHand),
  )
  metrics.total(
    'tallystick_engine_requests_total',
    'Requests to the engine by kind and outcome; a stopped request was preempted and starts again',
    () => [...(counts()?.requests ?? [])].map(([key, count]) => [key.split(' '), count] as const),
    ['kind', 'outcome'],
  )
  metrics.total(
    'tallystick_engine_busy_seconds_total',
    'Time that threads were busy',
    number(({ busyMs }) => busyMs / 1000),
  )
  metrics.total(
    'tallystick_engine_steps_total',
    'Steps of commands and views',
    number(({ steps }) => steps),
  )
  metrics.total(
    'tallystick_engine_compile_seconds_total',
    'Time that threads spent compiling Daml to JavaScript',
    number(({ compileMs }) => compileMs / 1000),
  )
  metrics.total(
    'tallystick_engine_compiled_characters_total',
    'Characters of JavaScript compiled from Daml',
    number(({ compiledCharacters }) => compiledCharacters),
  )
}
