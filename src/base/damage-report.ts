// Reports damaged stored data: the log names each damaged item once, and the node counts as failing until its next
// start. Everything else is still served.
import { LedgerError } from './errors.ts'
import type { Health } from './health.ts'
import type { Log } from './log.ts'

export type DamageReport = {
  /** Records the error if it is about damage; returns the same error. */
  note<T>(error: T): T
}

/** Limits the different items that are logged. */
const loggedMax = 1000

export function reportDamage(health: Health, log: Log): DamageReport {
  const part = health.part('stored data', { stopsCommands: false })
  const logged = new Set<string>()
  return {
    note(error) {
      if (!(error instanceof LedgerError) || error.code !== 'INDEX_DB_INVALID_RESULT_SET') return error
      if (!logged.has(error.message) && logged.size < loggedMax) {
        logged.add(error.message)
        log.error({ reason: error.message }, 'stored data is damaged')
      }
      part.fail('something that is stored is damaged; tallystick check names it')
      return error
    },
  }
}
