// Logs rejections of commands that nobody waits for. They are also in a completion, but people look into the log first.
import type { Log } from '../../base/log.ts'
import type { Decision } from './commit-item.ts'

/** Commit decides on ids and times only, so its causes contain no payload. */
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
