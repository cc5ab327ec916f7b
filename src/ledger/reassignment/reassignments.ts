// Moves contracts between synchronizers: the checks before a reassignment is enqueued; commit decides. Mirrors Canton's
// UnassignmentProcessingSteps and AssignmentProcessingSteps.
import { type ErrorDetails, LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { shorten } from '../../base/names.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import type { Limits } from '../../base/settings.ts'
import { signatoriesIn, templateIdIn } from '../../events/format/event-pieces.ts'
import { type ReassignmentRecord, unseen } from '../../store/core/ledger-records.ts'
import type { Store } from '../../store/core/store.ts'
import type { CommandMetrics } from '../commit/command-metrics.ts'
import type { Decision, MovingContract, ReassignmentItem } from '../commit/commit-item.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import { timedUpdateId } from '../commit/ids.ts'
import { createWaits } from '../commit/in-flight.ts'
import { acceptanceIn, logRejection, type OutcomeListener } from '../commit/outcome.ts'
import type { SubmissionContext } from '../model/commands.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Names } from '../model/name-numbers.ts'
import type { Synchronizer, Synchronizers } from '../model/synchronizers.ts'
import type { Network } from '../network/network.ts'
import type { PackageState } from '../packages/known-packages.ts'
import type { Hosting } from '../topology/hosting.ts'
import { createMovingContracts } from './moving-contracts.ts'
import { createReassigningParticipants } from './reassigning-participants.ts'
import type { Reads, ReassignmentCommands, Reassignments } from './reassignment-commands.ts'
import * as refusals from './reassignment-refusals.ts'
import { type Batch, batchOf, validateReassignment } from './reassignment-validation.ts'

export type ReassignmentParts = {
  readonly store: Store
  readonly names: Names
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly packageState: PackageState
  readonly commits: CommitQueue
  readonly participantId: string
  /** Undefined for a participant alone. */
  readonly place?: { readonly network: Network } | undefined
  readonly time: LedgerTime
  readonly limits: Limits
  readonly random: Random
  readonly commandMetrics: CommandMetrics
  readonly log: Log
  readonly listener?: OutcomeListener<ReassignmentCommands | undefined> | undefined
}

type Submitted = Omit<ReassignmentCommands, 'commands'>

type TraceContext = SubmissionContext['traceContext']

/** The command itself found the contracts that the node moves for it. */
const own: Reads = () => true

/** For the node itself. */
export type OwnReassignments = {
  /** Called after each unassignment. */
  onUnassigned(listener: () => void): void
  contractsOf(pending: ReassignmentRecord): Promise<readonly MovingContract[]>
  assign(pending: ReassignmentRecord, submitted: Submitted): Promise<Decision>
}

export function createReassignments(parts: ReassignmentParts): Reassignments & OwnReassignments {
  const { store, synchronizers, hosting, commits, participantId, time, limits, random } = parts
  const moving = createMovingContracts(parts)
  const participants = createReassigningParticipants(parts)
  const listeners: (() => void)[] = []
  const waits = createWaits()
  let inFlight = 0

  function connected(synchronizerId: string): Synchronizer {
    const found = synchronizers.byId(synchronizerId)
    if (found === undefined) throw refusals.notConnected(synchronizerId)
    return found
  }

  async function unassignment(batch: Batch & { kind: 'unassign' }, { submitter }: Submitted, reads: Reads) {
    const source = connected(batch.source)
    const target = connected(batch.target)
    const { contractIds } = batch
    if (source === target) throw refusals.sameSynchronizers(contractIds)
    const found = (await moving.named(await store.contracts.find(contractIds))).filter((contract) =>
      contract.stakeholders.some(reads),
    )
    const byId = new Map(found.map((contract) => [contract.row.contractId, contract]))
    for (const contractId of contractIds) {
      const presence = await moving.presence(byId.get(contractId)?.row, source.number)
      if (presence.kind !== 'active') throw refusals.notThere(contractId, presence)
    }
    const contracts = contractIds.map((id) => byId.get(id)!)
    checkSameStakeholders(contracts)
    const reference = { kind: 'unassignment', contractIds } as const
    await checkSubmitter(submitter, contracts[0]!, source, reference)
    const { row, stakeholders } = contracts[0]!
    await participants.check(stakeholders, signatoriesIn(row), { source, target })
    const packageIds = new Set(contracts.map(packageIdOf))
    for (const synchronizer of [source, target]) {
      await participants.checkVetted(contractIds, packageIds, stakeholders, synchronizer)
    }
    const isHalf = await participants.isHalf(stakeholders, { source, target })
    return { kind: 'unassignment', synchronizer: source, source, target, contracts, isHalf } as const
  }

  async function assignment(batch: Batch & { kind: 'assign' }, { submitter }: Submitted, reads: Reads) {
    const target = connected(batch.target)
    const { reassignmentId } = batch
    const [pending] = await store.reassignments.byId([reassignmentId])
    const isSeen = pending?.target === target.number && pending.assigned?.offset !== unseen
    const contracts = isSeen ? await contractsOf(pending) : []
    if (pending === undefined || !contracts.some(({ stakeholders }) => stakeholders.some(reads))) {
      throw refusals.noReassignment(reassignmentId, 'unknown reassignment id')
    }
    if (pending.assigned !== undefined) {
      throw refusals.noReassignment(reassignmentId, 'reassignment already completed')
    }
    const reference = { kind: 'assignment', reassignmentId } as const
    await checkSubmitter(submitter, contracts[0]!, target, reference)
    const [absent] = await notHostedOn(target, contracts[0]!.stakeholders)
    if (absent !== undefined) throw refusals.cannotAssign(reassignmentId, absent)
    return assignmentOf(pending, target, contracts)
  }

  function assignmentOf(pending: ReassignmentRecord, target: Synchronizer, contracts: readonly MovingContract[]) {
    const source = synchronizers.byNumber(pending.source)
    const { id: reassignmentId } = pending
    return { kind: 'assignment', synchronizer: target, source, target, contracts, reassignmentId } as const
  }

  async function contractsOf({ unassignedOffset }: ReassignmentRecord): Promise<MovingContract[]> {
    const moves = await store.reassignments.contractsOf(unassignedOffset)
    const rows = await store.contracts.at(moves.map(({ contract }) => contract))
    const byNumber = new Map(rows.map((row) => [row.number, row]))
    return moving.named(moves.map(({ contract }) => byNumber.get(contract)).filter((row) => row !== undefined))
  }

  async function checkSubmitter(
    submitter: string,
    { stakeholders }: MovingContract,
    synchronizer: Synchronizer,
    reference: refusals.Reference,
  ): Promise<void> {
    if (!stakeholders.includes(submitter)) throw refusals.notStakeholder(reference, submitter)
    const isHosted = await participants.isHostedHere(submitter, synchronizer)
    if (!isHosted) throw refusals.notHosted(reference, submitter, participantId)
  }

  async function notHostedOn({ number }: Synchronizer, parties: readonly string[]): Promise<string[]> {
    const absent: string[] = []
    for (const party of parties) if (!(await hosting.of(party)).includes(number)) absent.push(party)
    return absent
  }

  /** Returns the promise of the outcome. */
  function begin(submitted: Submitted, batch: Batch, { traceContext, answer }: SubmissionContext, reads: Reads) {
    return parts.commandMetrics.count(async () => {
      commits.checkOpen()
      const checked =
        batch.kind === 'unassign'
          ? await unassignment(batch, submitted, reads)
          : await assignment(batch, submitted, reads)
      await answer?.checkNames()
      return { outcome: enqueue(submitted, checked, traceContext) }
    })
  }

  function enqueue(
    { userId, commandId, submissionId, workflowId, submitter }: Submitted,
    checked: Awaited<ReturnType<typeof unassignment>> | Awaited<ReturnType<typeof assignment>>,
    traceContext: TraceContext,
  ): Promise<Decision> {
    commits.checkOpen()
    if (inFlight >= limits.submissionsMax) {
      throw new LedgerError(
        'PARTICIPANT_BACKPRESSURE',
        `The participant is overloaded: Maximum number of in-flight requests reached (${limits.submissionsMax})`,
      )
    }
    const updateId = timedUpdateId(random.bytes(32), time.now())
    const item: ReassignmentItem = {
      ...checked,
      userId,
      commandId,
      submissionId,
      workflowId,
      submitter,
      traceContext,
      updateId,
    }
    return follow(item)
  }

  async function follow(item: ReassignmentItem): Promise<Decision> {
    inFlight += 1
    try {
      return await commits.enqueue(item)
    } finally {
      inFlight -= 1
      if (item.kind === 'unassignment') for (const listener of listeners) listener()
    }
  }

  /** Refusals carry the id of the submission. */
  function validated(
    request: ReassignmentCommands | undefined,
    submissionId: string,
    { answer }: SubmissionContext,
  ): ReassignmentCommands {
    try {
      if (request !== undefined) answer?.checkForm()
      return validateReassignment(request, submissionId)
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error
      throw new LedgerError(error.code, error.message, { ...error.details, correlationId: shorten(submissionId) })
    }
  }

  async function submit(
    request: ReassignmentCommands | undefined,
    context: SubmissionContext,
    reads: Reads,
    waiting?: DisposableStack,
  ) {
    const submissionId = request?.submissionId || randomUuid(random)
    try {
      const commands = validated(request, submissionId, context)
      const change = { ...commands, actAs: [commands.submitter] }
      waiting?.use(waits.track(change, repeatedWait(commands)))
      const { outcome } = await begin(commands, batchOf(commands.commands), context, reads)
      parts.listener?.enqueued({ request, submissionId }, outcome)
      return { outcome, submissionId }
    } catch (error) {
      parts.listener?.refused({ request, submissionId }, error, time.now())
      throw error
    }
  }

  return {
    async submit(request, context, reads) {
      const { outcome, submissionId } = await submit(request, context, reads)
      logRejection(outcome, submissionId, parts.log)
    },

    async submitAndWait(request, context, reads) {
      using waiting = new DisposableStack()
      const { outcome } = await submit(request, context, reads, waiting)
      return acceptanceIn(await outcome)
    },

    async move({ contractIds, source, target, ...submitted }, { traceContext, signal }) {
      const command = { ...submitted, workflowId: '' }
      const context = { traceContext, signal }
      const leaving = await begin(command, { kind: 'unassign', contractIds, source, target }, context, own)
      const { completionOffset } = acceptanceIn(await leaving.outcome)
      const [moved] = await store.contracts.find([contractIds[0]!])
      const moves = await store.reassignments.movesOf([moved!.number])
      const { of: pending } = moves.find(({ unassignedOffset }) => unassignedOffset === completionOffset)!
      const coming = { kind: 'assign', reassignmentId: pending.id, source, target } as const
      const arriving = await begin(command, coming, context, own)
      acceptanceIn(await arriving.outcome)
    },

    onUnassigned: (listener) => void listeners.push(listener),
    contractsOf,
    async assign(pending, submitted) {
      const target = synchronizers.byNumber(pending.target)
      return enqueue(submitted, assignmentOf(pending, target, await contractsOf(pending)), null)
    },
  }
}

/** Canton's log context of the request. */
function repeatedWait({ submissionId, commandId, submitter }: Submitted): ErrorDetails {
  const context = { submissionId: `'${submissionId}'`, commandId: `'${commandId}'`, submitter: `'${submitter}'` }
  return { foundBy: 'request', correlationId: submissionId, context }
}

/** Contracts of one batch must concern the same participants. */
function checkSameStakeholders(contracts: readonly MovingContract[]): void {
  if (contracts.length === 1) return
  const different = new Map(
    contracts.map(({ row, stakeholders }) => {
      const entry = { all: stakeholders.toSorted(), signatories: signatoriesIn(row).toSorted() }
      return [JSON.stringify(entry), entry]
    }),
  )
  if (different.size > 1) throw refusals.differingStakeholders([...different.values()])
}

/** The package that the contract was created with. */
function packageIdOf({ row }: MovingContract): string {
  return templateIdIn(row.event).split(':', 1)[0]!
}
