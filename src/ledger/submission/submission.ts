// A command from its arrival until it is enqueued. Every decision on the way is made here; the callees only compute.
// Interpretation reads committed state that may become stale, so commit checks the inputs again: a loser becomes a
// rejected completion, never a surprise.
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import { reconsidered, type SecondLook } from '../../base/second-look.ts'
import type { Limits } from '../../base/settings.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { CommandMetrics } from '../commit/command-metrics.ts'
import type { Decision } from '../commit/commit-item.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import { changeIdOf, timedUpdateId } from '../commit/ids.ts'
import type { InFlight, Waits } from '../commit/in-flight.ts'
import { type Acceptance, acceptanceIn, logRejection, type OutcomeListener } from '../commit/outcome.ts'
import type { CommandTracking } from '../inspection/command-tracking.ts'
import type { TrackedCommand } from '../inspection/tracked-command.ts'
import type { Commands, SubmissionContext } from '../model/commands.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { restsOnMemory } from '../model/remembered.ts'
import type { Routing } from '../routing/routing.ts'
import { type ValidCommands, validateCommands } from './command-validation.ts'
import type { Interpretation, Interpreted } from './interpretation.ts'
import { repeatedWait, submissionRefusal } from './submission-refusal.ts'

export interface Submissions {
  /** Settles when the command is enqueued; the outcome is a completion. */
  submit(commands: Commands, context: SubmissionContext): Promise<void>
  /** Settles with the outcome; throws if the command is rejected. */
  submitAndWait(commands: Commands, context: SubmissionContext): Promise<Acceptance>
  /** What the commands would do, as JSON. Records nothing; throws what a submission would be refused with. */
  dryRun(commands: Commands, context: SubmissionContext): Promise<string>
}

type Parts = {
  readonly interpretation: Interpretation
  readonly commits: CommitQueue
  readonly routing: Routing
  readonly inFlight: InFlight
  readonly waits: Waits
  readonly time: LedgerTime
  readonly limits: Limits
  readonly random: Random
  readonly commandMetrics: CommandMetrics
  readonly tracking: CommandTracking
  readonly log: Log
  /** Undefined if the ledger is this node's alone. */
  readonly secondLook?: SecondLook | undefined
  readonly listener?: OutcomeListener<Commands> | undefined
}

export function createSubmissions(parts: Parts): Submissions {
  const { interpretation, commits, routing, inFlight, waits, time, random, commandMetrics, tracking, log } = parts

  /** Returns the promise of the outcome once the command is enqueued. */
  async function start(
    commands: ValidCommands,
    context: SubmissionContext,
    tracked: TrackedCommand,
  ): Promise<{ outcome: Promise<Decision> }> {
    commits.checkOpen()
    using announced = new DisposableStack()
    const onStart = () => void announced.use(commits.announce())
    const interpreted = await interpretation.interpret(commands, context, { onStart })
    const { route, effects } = interpreted
    tracking.interpreted(tracked, route.synchronizer.id, effects)
    logTraces(interpreted.traces, commands.submissionId)
    if (context.answer !== undefined) await context.answer.checkNames()
    if (isEarly(interpreted)) {
      announced.dispose() // Others do not wait for it.
      await time.at(interpreted.ledgerTime, context.signal)
    }
    if (route.strays.length > 0) await routing.gather(route, commands, context)
    const item = itemOf(commands, interpreted, context)
    commits.checkOpen() // Checked again: an enqueued command is answered as accepted.
    const claim = inFlight.claim(item)
    const outcome = commits.enqueue(item)
    const release = () => claim[Symbol.dispose]()
    outcome.then(release, release) // First: whoever learns of the outcome may submit the change again.
    return { outcome }
  }

  /** Contracts that would first be brought to the synchronizer are not where they would be used. */
  async function tryOut(commands: ValidCommands, context: SubmissionContext): Promise<string> {
    const interpreted = await interpretation.interpret(commands, context, { explains: true })
    const { route, effects, account, ledgerTime } = interpreted
    if (isEarly(interpreted)) await time.at(ledgerTime, context.signal)
    const strays = new Set(route.strays.map(({ contract }) => contract.contractId))
    const inputContracts = effects.inputContracts.filter((id) => !strays.has(id))
    const item = itemOf(commands, { ...interpreted, effects: { ...effects, inputContracts } }, context)
    const decision = await commits.decide(item)
    if (decision.kind === 'rejected') throw decision.error
    const { id, alias } = route.synchronizer
    const place = { synchronizerId: id, synchronizerAlias: alias, reassigned: [...strays] }
    return `{${JSON.stringify(place).slice(1, -1)},"ledgerTime":"${instantToText(ledgerTime)}",${account}}`
  }

  /** With the wall clock, a command is recorded at its ledger time or later; static time does not pass by itself. */
  function isEarly({ ledgerTime }: Interpreted): boolean {
    return !time.isStatic && ledgerTime > time.now()
  }

  function itemOf(commands: ValidCommands, interpreted: Interpreted, { traceContext }: SubmissionContext) {
    const { userId, commandId, submissionId, actAs, workflowId, deduplication } = commands
    return {
      kind: 'transaction' as const,
      userId,
      commandId,
      submissionId,
      actAs,
      workflowId,
      deduplication,
      change: { userId, commandId, actAs: commands.acting },
      changeId: changeIdOf(commands),
      traceContext,
      updateId: timedUpdateId(interpreted.seed, interpreted.ledgerTime),
      ledgerTime: interpreted.ledgerTime,
      synchronizer: interpreted.route.synchronizer,
      served: interpreted.served,
      effects: interpreted.effects,
      needs: interpreted.route.needs,
    }
  }

  function logTraces(traces: readonly string[], submissionId: string): void {
    if (!log.isDebug) return
    for (const message of traces) log.debug({ submissionId, message }, 'Daml trace')
  }

  /** Gives a submission without an id a new one. */
  function named(commands: Commands): Commands {
    return commands.submissionId === '' ? { ...commands, submissionId: randomUuid(random) } : commands
  }

  type Beginning = {
    readonly listener?: Parts['listener']
    readonly onValid?: ((commands: ValidCommands) => void) | undefined
  }

  /** Refusals carry the id of the submission. */
  async function begin<Begun>(
    submission: Commands,
    go: (commands: ValidCommands) => Promise<Begun>,
    { answer }: SubmissionContext,
    { listener, onValid }: Beginning = {},
  ): Promise<Begun> {
    const submittedAt = time.now()
    let commands: ValidCommands | undefined
    try {
      answer?.checkForm()
      commands = validateCommands(submission, { limits: parts.limits, now: submittedAt })
      const valid = commands
      onValid?.(valid)
      return await reconsidered(() => go(valid), restsOnMemory, parts.secondLook)
    } catch (error) {
      if (error instanceof LedgerError) logTraces(error.details.traces ?? [], submission.submissionId)
      const refusal = submissionRefusal(error, { submission, deduplication: commands?.deduplication, submittedAt })
      listener?.refused({ request: submission, submissionId: submission.submissionId }, refusal, submittedAt)
      throw refusal
    }
  }

  async function submit(request: Commands, context: SubmissionContext, onValid?: Beginning['onValid']) {
    const submission = named(request)
    const tracked = tracking.begin(submission, context.traceContext)
    try {
      const { outcome } = await commandMetrics.count(() =>
        begin(submission, (commands) => start(commands, context, tracked), context, {
          listener: parts.listener,
          onValid,
        }),
      )
      tracking.follow(tracked, outcome)
      const { submissionId } = submission
      parts.listener?.enqueued({ request: submission, submissionId }, outcome)
      return { outcome, submissionId }
    } catch (error) {
      tracking.refused(tracked, error)
      throw error
    }
  }

  return {
    async submit(commands, context) {
      const { outcome, submissionId } = await submit(commands, context)
      logRejection(outcome, submissionId, log)
    },
    async submitAndWait(commands, context) {
      using waiting = new DisposableStack()
      const onValid = (valid: ValidCommands) => void waiting.use(waits.track(valid, repeatedWait(commands)))
      const isNamed = commands.submissionId !== '' // Ids of our own do not repeat.
      const { outcome } = await submit(commands, context, isNamed ? onValid : undefined)
      return acceptanceIn(await outcome)
    },
    async dryRun(request, context) {
      return begin(named(request), (commands) => tryOut(commands, context), context)
    },
  }
}
