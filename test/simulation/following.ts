// Lets the model follow the node, completion by completion: each must match the model at that moment.
import assert from 'node:assert/strict'
import { instantToText } from '../../src/lf/codec/time-text.ts'
import type { Expectations } from './expected.ts'
import { sorted, type Transaction } from './interpretation.ts'
import type { Model } from './model.ts'
import type { Checked, Refusal } from './reassigning.ts'
import type { Reassignment, ReassignmentUpdate, StoredContract, TransactionUpdate, User } from './records.ts'
import type { Batch } from './routing.ts'
import { type Sent, type SentCommand, type SentReassignment, shownRoute, type Told } from './sending.ts'

/** The submitter of a reassignment. */
type Mover = {
  readonly userId: User
  readonly commandId: string
  readonly submissionId: string
  readonly workflowId: string
  readonly submitter: string
}

type Parts = { readonly model: Model; readonly expected: Expectations }

export function createFollowing({ model, expected }: Parts) {
  const { synchronizers, reassigning, state } = model

  /** Returns the matching submission; undefined for what the node does on its own. */
  function follow(completion: Told, update: Told, sent: readonly Sent[]): Sent | undefined {
    const one = sent.find(({ submission }) => submission.submissionId === completion.submissionId)
    if (one === undefined) followAutomatic(completion, update)
    else if (one.kind === 'reassignment') followReassignment(completion, update, one)
    else if ('Empty' in completion.deduplicationPeriod) followGathering(completion, update, one)
    else followCommand(completion, update, one)
    const { offset, userId, actAs } = completion
    model.addCompletion({ offset, userId, actAs, json: completion })
    return one
  }

  // ── Commands

  function followCommand(completion: Told, update: Told, { submission, transaction, routes }: SentCommand): void {
    assert.ok(typeof transaction !== 'string', `accepted for execution instead of ${transaction}`)
    const { synchronizerId } = completion.synchronizerTime
    const isPossible = routes.some((route) => typeof route !== 'string' && route.target === synchronizerId)
    assert.ok(isPossible, `went to ${synchronizerId} instead of ${routes.map(shownRoute).join(' or ')}`)
    const { rejection, deduplicationOffset, duplicateOf } = model.judge(submission, transaction, synchronizerId)
    const deduplicationPeriod = { DeduplicationOffset: { value: deduplicationOffset } }
    const { commandId, submissionId, userId, actAs } = submission
    checkCompletion(completion, { commandId, submissionId, userId, actAs: sorted(actAs), deduplicationPeriod }, [
      rejection ?? '',
    ])
    const original = completion.status.details[0]?.valueDecoded.metadata.completion_offset
    assert.equal(original, duplicateOf?.toString())
    checkUpdate(completion, update)
    if (update) learnTransaction(update.Transaction.value, completion, { submission, transaction })
  }

  /** Learns from the update what the model cannot know, then compares all of it. */
  function learnTransaction(
    update: Told,
    completion: Told,
    { submission, transaction }: { submission: SentCommand['submission']; transaction: Transaction },
  ): void {
    const created = update.events.flatMap((event: Told) => event.CreatedEvent ?? []) as Told[]
    const ids = created.map(({ contractId }) => contractId)
    for (const id of ids) assert.ok(!model.contracts.has(id), `contract id ${id} is used twice`)
    const { offset, updateId, traceContext } = update
    const { commandId, workflowId, actAs: submitters } = submission
    const own: TransactionUpdate = {
      ...{ kind: 'transaction', offset, updateId, commandId, workflowId, submitters, traceContext },
      ...completion.synchronizerTime,
      effectiveAt: instantToText(state.now),
      nodes: withIds(transaction.nodes, ids),
    }
    model.addTransaction(own, submission, new Map(created.map((event) => [event.contractId, event.createdEventBlob])))
    assert.deepEqual(update, expected.transaction(own, 'with-blob', 'TRANSACTION_SHAPE_LEDGER_EFFECTS'))
  }

  // ── Reassignments

  function followReassignment(completion: Told, update: Told, { submission, outcomes }: SentReassignment): void {
    const checked = outcomes.filter((one): one is Checked => one.kind !== 'refused')
    assert.ok(checked.length > 0, `accepted for execution instead of ${outcomes.flatMap(textsOf).join(' or ')}`)
    const allowed = checked.flatMap((one) => reassigning.judge(one, submission.submitter))
    settle(completion, update, submission, allowed, checked[0]!)
  }

  /** A reassignment that prepares a command. */
  function followGathering(completion: Told, update: Told, sent: SentCommand): void {
    const { userId, commandId, submissionId } = sent.submission
    const [submitter] = completion.actAs
    const mover = { userId, commandId, submissionId, workflowId: '', submitter }
    const told = update?.Reassignment.value.events[0]
    if (told?.JsAssignmentEvent) {
      const reassignment = sent.gathered.find(({ id }) => id === told.JsAssignmentEvent.reassignmentId)
      assert.ok(reassignment?.submitter === submitter, 'assigns what it did not unassign')
      settle(completion, update, mover, [''], { kind: 'assignment', reassignment: reassignment! })
      return
    }
    const batches = sent.routes.flatMap((route) =>
      typeof route === 'string' ? [] : route.batches.map((batch) => ({ ...batch, target: route.target })),
    )
    const fitting = batches.filter(
      (batch) =>
        batch.movers.includes(submitter) &&
        batch.source === completion.synchronizerTime.synchronizerId &&
        (update === undefined || isMoveOf(batch, update.Reassignment.value.events)),
    )
    assert.ok(fitting.length > 0, `moves what it need not: ${JSON.stringify(update ?? completion)}`)
    const events: Told[] = update?.Reassignment.value.events ?? []
    const contracts = events.map(({ JsUnassignedEvent: { value } }) => model.contracts.get(value.contractId)!)
    const checked: Checked[] = fitting.map(({ source, target, contracts: wanted }) => {
      const leaving = update === undefined ? wanted : contracts
      return { kind: 'unassignment', source, target, contracts: leaving, counters: leaving.map(() => -1) }
    })
    const allowed = checked.flatMap((one) => reassigning.judge(one, submitter))
    const reassignment = settle(completion, update, mover, allowed, checked[0]!)
    if (reassignment) sent.gathered.push(reassignment)
  }

  function isMoveOf({ contracts }: Batch, events: readonly Told[]): boolean {
    const moved = new Set(events.map(({ JsUnassignedEvent }) => JsUnassignedEvent?.value.contractId))
    return moved.size === contracts.length && contracts.every(({ id }) => moved.has(id))
  }

  /** An automatic assignment by the node. */
  function followAutomatic(completion: Told, update: Told): void {
    assert.equal(completion.submissionId, '', `a completion of nobody: ${JSON.stringify(completion)}`)
    const { userId, commandId, actAs } = completion
    const id = update?.Reassignment.value.events[0].JsAssignmentEvent.reassignmentId
    const [first] = reassigning.due()
    const beaten = [...reassigning.all.values()].findLast(
      (one) => one.assigned && one.commandId === commandId && one.userId === userId && one.exclusiveUntil <= state.now,
    )
    const reassignment = id === undefined ? beaten : first
    assert.ok(reassignment !== undefined, `nothing was due: ${JSON.stringify(completion)}`)
    if (id !== undefined) assert.equal(id, reassignment.id, 'assigned before its turn')
    const [submitter] = actAs
    assert.ok(reassignment.contracts[0]!.stakeholders.includes(submitter), `${submitter} has no stake in it`)
    const mover = { userId, commandId: reassignment.commandId, submissionId: '', workflowId: '', submitter }
    assert.equal(userId, reassignment.userId)
    const code = reassigning.judgeAssignment(reassignment, submitter)
    settle(completion, update, mover, [code], { kind: 'assignment', reassignment })
  }

  /** Checks the completion, and learns the update of an accepted one. */
  function settle(completion: Told, update: Told, mover: Mover, allowed: readonly string[], checked: Checked) {
    const { commandId, submissionId, userId, submitter } = mover
    const exclusiveUntil = checked.kind === 'unassignment' ? reassigning.exclusiveUntil(checked.target) : 0n
    const deduplicationPeriod = { Empty: {} }
    const actAs = [submitter]
    const place = checked.kind === 'unassignment' ? checked.source : checked.reassignment.target
    assert.equal(completion.synchronizerTime.synchronizerId, place)
    checkCompletion(completion, { commandId, submissionId, userId, actAs, deduplicationPeriod }, allowed)
    checkUpdate(completion, update)
    if (!update) return undefined
    const { value } = update.Reassignment
    const reassignment =
      checked.kind === 'assignment' ? checked.reassignment : leaving(value, mover, checked, exclusiveUntil)
    learnReassignment(value, completion, mover, checked.kind, reassignment)
    return reassignment
  }

  function leaving(
    { offset, events }: Told,
    { submitter, userId, commandId, workflowId }: Mover,
    { source, target, contracts }: Checked & { kind: 'unassignment' },
    exclusiveUntil: bigint,
  ): Reassignment {
    const id = events[0].JsUnassignedEvent.value.reassignmentId
    assert.match(id, /^001220[0-9a-f]{64}$/)
    assert.ok(!reassigning.all.has(id), `reassignment id ${id} is used twice`)
    return {
      ...{ id, source, target, submitter, userId, commandId, workflowId, exclusiveUntil, contracts },
      ...{ unassignedOffset: offset, assigned: undefined },
    }
  }

  function learnReassignment(
    update: Told,
    completion: Told,
    { submitter, commandId, workflowId }: Mover,
    kind: Checked['kind'],
    reassignment: Reassignment,
  ): void {
    const { offset, updateId, traceContext } = update
    const counter = (contract: StoredContract) =>
      kind === 'unassignment' ? contract.moves.length + 1 : reassigning.counterIn(contract, reassignment)
    const own: ReassignmentUpdate = {
      ...{ kind, offset, updateId, commandId, workflowId, submitters: [submitter], traceContext, reassignment },
      ...completion.synchronizerTime,
      moves: reassignment.contracts.map((contract) => ({ contract, counter: counter(contract) })),
    }
    model.addReassignment(own)
    assert.deepEqual(update, expected.reassignment(own, 'with-blob'))
  }

  // ── Both

  function checkCompletion(completion: Told, wanted: object, allowed: readonly string[]): void {
    const { status, updateId, traceContext: _trace, synchronizerTime, ...rest } = completion
    assert.deepEqual(rest, { ...wanted, offset: state.end + 1, paidTrafficCost: 0 })
    const code = status.message.split('(')[0]
    assert.ok(
      allowed.includes(code),
      `${status.message || 'accepted'} instead of ${allowed.join(' or ') || 'accepted'}`,
    )
    assert.deepEqual([status.code === 0, updateId !== ''], [code === '', code === ''])
    const { synchronizerId, recordTime } = synchronizerTime
    const next = synchronizers.nextTime(synchronizerId, state.now)
    assert.equal(recordTime, instantToText(next), `the record time on ${synchronizerId}`)
    synchronizers.reached(synchronizerId, next)
  }

  function checkUpdate({ status, updateId }: Told, update: Told): void {
    assert.equal(update !== undefined, status.code === 0, 'an update for what was accepted, only')
    if (update) assert.equal((update.Transaction ?? update.Reassignment).value.updateId, updateId)
  }

  return { follow }
}

function textsOf(outcome: Checked | Refusal): readonly string[] {
  return outcome.kind === 'refused' ? outcome.texts : []
}

/** Inserts the ids that the node gave to created contracts. */
function withIds(nodes: Transaction['nodes'], ids: readonly string[]): Transaction['nodes'] {
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named)
    if (typeof value === 'object' && value !== null) {
      if ('moves' in value) return value
      return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, named(field)]))
    }
    const number = typeof value === 'string' ? /^#(\d+)$/.exec(value)?.[1] : undefined
    return number === undefined ? value : ids[Number(number)]
  }
  return named(nodes) as Transaction['nodes']
}
