// A command from its arrival until it is enqueued. Every decision on the way is made here; the callees only compute.
// Interpretation reads committed state that may become stale, so commit checks the inputs again: a loser becomes a
// rejected completion, never a surprise.
import type { Log } from '../../base/log.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import type { Limits } from '../../base/settings.ts'
import type { CommandMetrics } from '../command-metrics.ts'
import type { Decision } from '../commit/commit-item.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { Routing } from '../routing/routing.ts'
import { changeIdOf, changeText } from './change-id.ts'
import { type ValidCommands, validateCommands } from './command-validation.ts'
import type { Commands, SubmissionContext, Submissions } from './commands.ts'
import type { InFlight } from './in-flight.ts'
import type { Interpretation } from './interpretation.ts'
import { logRejection } from './rejection-log.ts'
import { submissionRefusal } from './submission-refusal.ts'
import { updateIdFrom } from './update-id.ts'

type Parts = {
  readonly interpretation: Interpretation
  readonly commits: CommitQueue
  readonly routing: Routing
  readonly inFlight: InFlight
  readonly time: LedgerTime
  readonly limits: Limits
  readonly random: Random
  readonly commandMetrics: CommandMetrics
  readonly log: Log
}

export function createSubmissions(parts: Parts): Submissions {
  const { interpretation, commits, routing, inFlight, time, random, commandMetrics } = parts

  /** Returns the promise of the outcome once the command is enqueued. */
  async function start(commands: ValidCommands, context: SubmissionContext): Promise<{ outcome: Promise<Decision> }> {
    commits.checkOpen()
    using announced = new DisposableStack()
    const onStart = () => void announced.use(commits.announce())
    const { route, ...interpreted } = await interpretation.interpret(commands, context, { onStart })
    const { synchronizer } = route
    if (route.strays.length > 0) await routing.gather(route, commands, context)
    const changeId = changeIdOf(commands)
    commits.checkOpen() // Checked again: an enqueued command is answered as accepted.
    const claim = inFlight.claim(changeId.toString('latin1'), commands.submissionId, changeText(commands), synchronizer)
    const outcome = commits.enqueue({
      kind: 'transaction',
      ...commands,
      change: changeText({ ...commands, actAs: commands.acting }),
      changeId,
      traceContext: context.traceContext,
      updateId: updateIdFrom(interpreted.seed),
      ledgerTime: interpreted.ledgerTime,
      synchronizer,
      snapshot: interpreted.snapshot,
      served: interpreted.served,
      effects: interpreted.effects,
    })
    return { outcome: outcome.finally(() => claim[Symbol.dispose]()) }
  }

  /** Refusals carry the id of the submission. */
  async function begin(given: Commands, context: SubmissionContext) {
    const submissionId = given.submissionId === '' ? randomUuid(random) : given.submissionId
    const submission = { ...given, submissionId }
    const submittedAt = time.now()
    let commands: ValidCommands | undefined
    try {
      commands = validateCommands(submission, { limits: parts.limits, now: submittedAt })
      return { ...(await start(commands, context)), submissionId }
    } catch (error) {
      throw submissionRefusal(error, { submission, deduplication: commands?.deduplication, submittedAt })
    }
  }

  return {
    async submit(commands, context) {
      const { outcome, submissionId } = await commandMetrics.count(() => begin(commands, context))
      logRejection(outcome, submissionId, parts.log)
    },
    async submitAndWait(commands, context) {
      const { outcome } = await commandMetrics.count(() => begin(commands, context))
      const decision = await outcome
      if (decision.kind === 'rejected') throw decision.error
      return { updateId: decision.updateId, completionOffset: decision.offset }
    },
  }
}
