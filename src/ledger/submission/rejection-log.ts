// Commands that nobody waits for: their rejection is in a completion, and in the log for whoever looks there first.
import type { Log } from '../../base/log.ts'
import type { Decision } from '../commit/commit-item.ts'

/** What commit decides on are ids and times, so its causes repeat nothing of a payload. */
export function logRejection(outcome: Promise<Decision>, submissionId: string, log: Log): void {
  outcome.then(
    (decision) => {
      if (decision.kind !== 'rejected') return
      const { code, message } = decision.error
      log.info({ code, reason: message.trim(), submissionId, offset: String(decision.offset) }, 'command rejected')
    },
    () => undefined, // The commit queue has logged it.
  )
}
