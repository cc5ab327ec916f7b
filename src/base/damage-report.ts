// Stored data that turned out to be damaged: the log names each piece once, and the node counts as failing until it is
// started again. Everything else goes on being served.
import { LedgerError } from './errors.ts'
import type { Health } from './health.ts'
import type { Log } from './log.ts'

export type DamageReport = {
  /** Notes an error if it is about damage; answers with the same error. */
  note<T>(error: T): T
}

/** Different ones that are logged; after that the log says nothing new. */
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
