// What is counted of the engine: its threads, what waits for them, and what they do.
import type { Metrics } from '../../base/metrics.ts'
import type { Effort } from './messages.ts'

export type EngineCounts = Effort & {
  readonly busyMs: number
  readonly lostThreads: number
  /** By what it was and how it ended: `interpret answer`. */
  readonly requests: ReadonlyMap<string, number>
  readonly waiting: number
  readonly inHand: number
  readonly threads: { readonly quick: number; readonly long: number }
}

/** `counts` is undefined while no thread was started. */
export function measureEngine(metrics: Metrics, counts: () => EngineCounts | undefined): void {
  const number = (read: (counts: EngineCounts) => number) => () => {
    const known = counts()
    return known === undefined ? 0 : read(known)
  }
  metrics.gauge(
    'tallystick_engine_threads',
    'Threads that evaluate commands, by lane: quick or long',
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
    'Threads that ended because a request ran out of memory or time',
    number(({ lostThreads }) => lostThreads),
  )
  metrics.gauge(
    'tallystick_engine_queue',
    'Requests that wait for a thread',
    number(({ waiting }) => waiting),
  )
  metrics.gauge(
    'tallystick_engine_in_hand',
    'Requests that threads are working on',
    number(({ inHand }) => inHand),
  )
  metrics.total(
    'tallystick_engine_requests_total',
    'Requests to the engine by kind and outcome; a stopped request makes way for others and starts again',
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
    'Steps that commands and views took',
    number(({ steps }) => steps),
  )
  metrics.total(
    'tallystick_engine_compile_seconds_total',
    'Time that threads compiled Daml to JavaScript',
    number(({ compileMs }) => compileMs / 1000),
  )
  metrics.total(
    'tallystick_engine_compiled_characters_total',
    'JavaScript that Daml was compiled to',
    number(({ compiledCharacters }) => compiledCharacters),
  )
}
