// Metrics of commands of every kind: submitted, signed by external parties, or reassigning contracts.
import type { Clock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { type Metrics, secondsBuckets } from '../../base/metrics.ts'
import type { Decision } from './commit-item.ts'

export type CommandMetrics = {
  /** Counts one command, starting now: `start` either refuses it or returns its pending outcome. */
  count<T extends { readonly outcome: Promise<Decision> }>(start: () => Promise<T>): Promise<T>
}

export function createCommandMetrics(metrics: Metrics, clock: Clock): CommandMetrics {
  const commands = metrics.counter(
    'tallystick_commands_total',
    'Commands by outcome and error code: accepted, rejected at commit, or refused before',
    ['outcome', 'code'],
  )
  const accepted = commands.with('accepted', '')
  const durations = metrics.histogram(
    'tallystick_command_duration_seconds',
    'Time from the arrival of a command until its acceptance or rejection is on disk',
    secondsBuckets,
  )
  const duration = durations.with()
  let inFlight = 0
  metrics.gauge('tallystick_commands_under_way', 'Commands that have arrived and have no outcome yet', () => inFlight)

  function fail(outcome: 'refused' | 'rejected', error: unknown): void {
    commands.with(outcome, error instanceof LedgerError ? error.code : 'NA').add()
  }

  async function follow(outcome: Promise<Decision>, startedMs: number): Promise<void> {
    try {
      const decision = await outcome
      duration.observe((clock.elapsedMs() - startedMs) / 1000)
      if (decision.kind === 'rejected') fail('rejected', decision.error)
      else accepted.add()
    } catch (error) {
      fail('rejected', error)
    } finally {
      inFlight -= 1
    }
  }

  return {
    async count(start) {
      const startedMs = clock.elapsedMs()
      inFlight += 1
      try {
        const started = await start()
        void follow(started.outcome, startedMs)
        return started
      } catch (error) {
        inFlight -= 1
        fail('refused', error)
        throw error
      }
    },
  }
}
