// Submissions in flight, with all their possible outcomes: these depend on what runs concurrently.
import assert from 'node:assert/strict'
import type { Answer } from '../fixtures/node.ts'
import type { Chance } from './chance.ts'
import type { Expectations } from './expected.ts'
import { type Format, formatFor } from './filters.ts'
import type { Transaction } from './interpretation.ts'
import type { Model } from './model.ts'
import type { Checked, Refusal } from './reassigning.ts'
import type { Reassignment, ReassignmentSubmission, Submission, User } from './records.ts'
import { eventFormatToJson, reassignmentToJson, submissionToJson } from './requests.ts'
import type { Route } from './routing.ts'

/** The ways to send a submission. */
const ways = {
  async: '/v2/commands/async/submit',
  wait: '/v2/commands/submit-and-wait',
  transaction: '/v2/commands/submit-and-wait-for-transaction',
  tree: '/v2/commands/submit-and-wait-for-transaction-tree',
} as const
type Way = keyof typeof ways

export type SentCommand = {
  readonly kind: 'command'
  readonly submission: Submission
  readonly way: Way
  readonly answer: Answer
  /** What it would have done when it was sent, or the refusal. */
  readonly transaction: Transaction | string
  /** The routes it could have taken at any moment since, or the refusals. */
  readonly routes: (Route | string)[]
  /** Contracts that were moved for it. */
  readonly gathered: Reassignment[]
}

export type SentReassignment = {
  readonly kind: 'reassignment'
  readonly submission: ReassignmentSubmission
  readonly way: 'async' | 'bare' | Format
  readonly answer: Answer
  /** At any moment since it was sent. */
  readonly outcomes: (Checked | Refusal)[]
}

export type Sent = SentCommand | SentReassignment

export type AnySubmission = Submission | ReassignmentSubmission

// biome-ignore lint/suspicious/noExplicitAny: completions and updates as the node tells them.
export type Told = any

/** Codes that come with a completion, because the command was in flight. */
const rejections = new Set([
  'DUPLICATE_COMMAND',
  'INVALID_DEDUPLICATION_PERIOD',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'UNASSIGNMENT_ACTIVENESS_CHECK_FAILED',
  'ASSIGNMENT_ALREADY_COMPLETED',
  'REASSIGNMENT_VALIDATION_FAILED',
])

type Parts = {
  readonly model: Model
  readonly expected: Expectations
  readonly chance: Chance
  call(path: string, body: unknown, userId: User): Promise<Answer>
}

export function createSending({ model, expected, chance, call }: Parts) {
  function send(submission: AnySubmission): Promise<Sent> {
    return 'reassignments' in submission ? sendReassignment(submission) : sendCommand(submission)
  }

  async function sendCommand(submission: Submission): Promise<SentCommand> {
    const way = chance.weighted<Way>([
      [4, 'async'],
      [2, 'wait'],
      [2, 'transaction'],
      [1, 'tree'],
    ])
    const transaction = model.foresee(submission)
    const routes = typeof transaction === 'string' ? [] : [model.route(submission, transaction)]
    const commands = submissionToJson(submission)
    const body = way === 'transaction' ? { commands } : commands
    const answer = await call(ways[way], body, submission.userId)
    return { kind: 'command', submission, way, answer, transaction, routes, gathered: [] }
  }

  async function sendReassignment(submission: ReassignmentSubmission): Promise<SentReassignment> {
    const way = chance.weighted<SentReassignment['way']>([
      [4, 'async'],
      [1, 'bare'],
      [2, 'with-blob'],
      [2, formatFor(chance.some(model.parties, 50))],
    ])
    const isWide = way !== 'async' && way !== 'bare' && typeof way !== 'string' && way.size === 0
    const outcomes = [model.reassigning.foresee(submission)]
    const reassignmentCommands = reassignmentToJson(submission)
    const format = way === 'async' || way === 'bare' || isWide ? {} : { eventFormat: eventFormatToJson(way) }
    const path = way === 'async' ? 'async/submit-reassignment' : 'submit-and-wait-for-reassignment'
    const answer = await call(`/v2/commands/${path}`, { reassignmentCommands, ...format }, submission.userId)
    return { kind: 'reassignment', submission, way: isWide ? 'bare' : way, answer, outcomes }
  }

  /** Whether it gets a completion. */
  function isOnTheWay({ kind, answer }: Sent): boolean {
    const code = answer.json?.code
    return answer.status === 200 || rejections.has(code) || (kind === 'reassignment' && code === 'UPDATE_NOT_FOUND')
  }

  /** To be called after anything that may change its outcome. */
  function lookAgain(sent: Sent): void {
    if (sent.kind === 'reassignment') sent.outcomes.push(model.reassigning.foresee(sent.submission))
    else {
      const now = model.foresee(sent.submission)
      if (typeof now === 'string') sent.routes.push(now)
      if (typeof sent.transaction !== 'string') sent.routes.push(model.route(sent.submission, sent.transaction))
    }
  }

  function hasStranger(informees: ReadonlySet<string>): boolean {
    const { connected, isHosted } = model.synchronizers
    return ![...informees].every((party) => connected().some(({ id }) => isHosted(party, id)))
  }

  function checkRefusal(sent: Sent, all: readonly Sent[], isDisturbed: boolean): void {
    const { answer } = sent
    if (sent.kind === 'reassignment') {
      const texts = sent.outcomes.flatMap((one) => (one.kind === 'refused' ? one.texts : []))
      assert.equal(answer.json?.code, 'INVALID_ARGUMENT', answer.text)
      const { cause } = answer.json
      const isCut = cause.endsWith('...') // The text lists only as many contracts as fit.
      const isAllowed = texts.some((text) => isCut || cause.includes(text))
      assert.ok(isAllowed, `refused (${answer.text}) instead of ${texts.join(' or ') || 'accepted'}`)
      return
    }
    const { submission, transaction, routes } = sent
    const allowed: string[] = [transaction, ...routes].filter((one) => typeof one === 'string')
    // Packages may be selected for the informees, once more, before the prescribed synchronizer is looked at.
    if (isDisturbed && typeof transaction !== 'string' && hasStranger(transaction.informees)) {
      allowed.push('UNKNOWN_INFORMEES')
    }
    // Presence is checked before and after interpretation.
    if (isDisturbed && allowed.includes('UNKNOWN_INFORMEES')) allowed.push('UNKNOWN_SUBMITTERS')
    const isRepeated = all.some(
      (other) => other !== sent && other.kind === 'command' && other.submission.commandId === submission.commandId,
    )
    if (isRepeated) allowed.push('SUBMISSION_ALREADY_IN_FLIGHT')
    // Another submission was faster with a contract that had to be moved, or it could not be moved on.
    const isContended = (all.length > 1 || isDisturbed) && movesContracts(sent)
    if (isContended) allowed.push('AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED')
    // Another submission is moving one of its contracts at this moment.
    if (all.some((other) => other !== sent && movesContracts(other))) allowed.push('UNKNOWN_CONTRACT_SYNCHRONIZERS')
    assert.ok(
      allowed.includes(answer.json?.code),
      `refused (${answer.text}) instead of ${allowed.join(' or ') || JSON.stringify(routes.map(shownRoute))}: ` +
        JSON.stringify(submissionToJson(submission)),
    )
  }

  function checkAnswer(sent: Sent, { updateId, offset, status }: Told): void {
    const { answer, way } = sent
    if (status.code !== 0) {
      if (way === 'async') assert.deepEqual([answer.status, answer.json], [200, {}])
      else assert.equal(answer.json.code, status.message.split('(')[0])
      return
    }
    const update = model.updates.find((one) => one.offset === offset)!
    if (sent.kind === 'reassignment') {
      if (update.kind === 'transaction' || sent.way === 'async') return assert.deepEqual(answer.json, {})
      const isBare = sent.way === 'bare'
      const reassignment = expected.reassignment(update, sent.way === 'bare' ? 'all' : sent.way, isBare)
      if (reassignment === undefined) return assert.equal(answer.json.code, 'UPDATE_NOT_FOUND')
      return assert.deepEqual([answer.status, answer.json], [200, { reassignment }])
    }
    assert.equal(update.kind, 'transaction')
    if (update.kind !== 'transaction') return
    const { actAs, readAs } = sent.submission
    const wanted: Record<Way, object> = {
      async: {},
      wait: { updateId, completionOffset: offset },
      transaction: { transaction: expected.submitted(update, formatFor([...actAs, ...readAs])) },
      tree: { transactionTree: expected.tree(update, formatFor(actAs)) },
    }
    assert.deepEqual([answer.status, answer.json], [200, wanted[sent.way]])
  }

  return { send, isOnTheWay, lookAgain, checkRefusal, checkAnswer }
}

/** A reassignment, or a command whose contracts must be brought together first. */
function movesContracts(sent: Sent): boolean {
  if (sent.kind === 'reassignment') return true
  return sent.routes.some((route) => typeof route !== 'string' && route.batches.length > 0)
}

export function shownRoute(route: Route | string): unknown {
  if (typeof route === 'string') return route
  const moved = route.batches.map(({ source, contracts }) => `${contracts.length} from ${source.split('::')[0]}`)
  return `to ${route.target.split('::')[0]}${moved.length > 0 ? ` with ${moved.join(', ')}` : ''}`
}
