// A node and the model beside it. Submissions go to the node; what it answers and tells in completions is compared with
// the model, which then follows: where several ran at once, in the order that the node chose.
import assert from 'node:assert/strict'
import { instantToText, timestampFromText } from '../../src/lf/codec/time-text.ts'
import { type Answer, type StoreKind, startTestNode, type TestNode } from '../fixtures/node.ts'
import type { Chance } from './chance.ts'
import { readCompletions } from './completions.ts'
import { createExpectations, type Format } from './expected.ts'
import { sorted, type Transaction } from './interpretation.ts'
import { createModel, type Submission, type Update, type User, users, type Verdict } from './model.ts'
import { submissionToJson, updateFormatToJson } from './requests.ts'

export type World = Awaited<ReturnType<typeof createWorld>>

/** How a submission is sent. */
const ways = {
  async: '/v2/commands/async/submit',
  wait: '/v2/commands/submit-and-wait',
  transaction: '/v2/commands/submit-and-wait-for-transaction',
  tree: '/v2/commands/submit-and-wait-for-transaction-tree',
} as const
type Way = keyof typeof ways

type Sent = {
  readonly submission: Submission
  /** What it would have done when it was sent, or why not. */
  readonly foreseen: Transaction | string
  readonly way: Way
  readonly answer: Answer
}

// biome-ignore lint/suspicious/noExplicitAny: completions and updates as the node tells them.
type Told = any

/** Codes that come with a completion: the command was on its way. */
const rejections = new Set([
  'DUPLICATE_COMMAND',
  'INVALID_DEDUPLICATION_PERIOD',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
])

const startTime = '2030-01-01T00:00:00Z'
const hints = ['bank', 'alice', 'bob', 'carol', 'dave'] as const

export async function createWorld(store: StoreKind, chance: Chance) {
  await using parts = new AsyncDisposableStack()
  const node = parts.use(
    await startTestNode({
      store,
      settings: { time: { kind: 'static', start: startTime }, limits: { listElementsMax: 100_000 } },
    }),
  )
  const parties = await allocateParties(node)
  const tokens = await createUsers(node, parties)
  const packageId = await quickstartPackage(node)
  const synchronizers = await node.call('GET', '/v2/state/connected-synchronizers')
  const { synchronizerId } = synchronizers.json.connectedSynchronizers[0]
  const model = createModel(parties, BigInt(Date.parse(startTime)) * 1000n)
  const expected = createExpectations(model, { packageId, synchronizerId })
  const owned = parts.move()

  const call = (path: string, body: unknown, userId: User = 'clerk') =>
    node.call('POST', path, { body, token: tokens[userId] })

  async function send(submission: Submission, way: Way): Promise<Sent> {
    const foreseen = model.foresee(submission)
    const commands = submissionToJson(submission)
    const body = way === 'transaction' ? { commands } : commands
    const answer = await call(ways[way], body, submission.userId)
    return { submission, foreseen, way, answer }
  }

  /** Sends all at once, compares what becomes of them, and lets the model follow. */
  async function submit(submissions: readonly Submission[], meanwhile = async () => {}): Promise<void> {
    const sent = await Promise.all(submissions.map((submission) => send(submission, chooseWay())))
    await meanwhile()
    const onTheWay = sent.filter(({ answer }) => answer.status === 200 || rejections.has(answer.json?.code))
    const told = await newCompletions(onTheWay.length)
    await follow(told, onTheWay)
    for (const one of sent) if (!onTheWay.includes(one)) checkRefusal(one, submissions)
    for (const one of onTheWay) checkAnswer(one, told)
    assert.equal(await ledgerEnd(), model.state.end, 'the end of the ledger')
  }

  const ledgerEnd = async (): Promise<number> => (await node.call('GET', '/v2/state/ledger-end')).json.offset

  function chooseWay(): Way {
    return chance.weighted([
      [4, 'async'],
      [2, 'wait'],
      [2, 'transaction'],
      [1, 'tree'],
    ])
  }

  /** As many as there must be, in their order. */
  function newCompletions(count: number): Promise<Told[]> {
    const path = '/v2/commands/command-completions'
    return readCompletions(call, { path, body: { parties: [] }, begin: model.state.end, count })
  }

  async function follow(told: readonly Told[], onTheWay: readonly Sent[]): Promise<void> {
    const updates = await newUpdates(told)
    for (const completion of told) {
      const one = onTheWay.find(({ submission }) => submission.submissionId === completion?.submissionId)
      assert.ok(one, `a completion of nobody: ${JSON.stringify(completion)}`)
      const { submission, foreseen } = one
      assert.notEqual(typeof foreseen, 'string', `accepted for execution instead of ${foreseen}`)
      const verdict = model.judge(submission, foreseen as Transaction)
      checkCompletion(completion, submission, verdict)
      const update = updates.get(completion.offset)
      assert.equal(update !== undefined, verdict.rejection === undefined, 'an update for what was accepted, only')
      if (update) {
        assert.equal(update.updateId, completion.updateId)
        learn(update, submission, foreseen as Transaction)
      }
      const { offset } = completion
      model.addCompletion({ offset, userId: submission.userId, actAs: completion.actAs, json: completion })
    }
  }

  /** By offset. */
  async function newUpdates(told: readonly Told[]): Promise<Map<number, Told>> {
    if (told.length === 0) return new Map()
    const updateFormat = updateFormatToJson('with-blob', 'TRANSACTION_SHAPE_LEDGER_EFFECTS')
    const body = { beginExclusive: model.state.end, endInclusive: told.at(-1)?.offset, updateFormat }
    const { json, text } = await call('/v2/updates', body)
    assert.ok(Array.isArray(json), text)
    return new Map(json.map(({ update }) => [update.Transaction.value.offset, update.Transaction.value]))
  }

  function checkCompletion(completion: Told, submission: Submission, verdict: Verdict): void {
    const { commandId, submissionId, userId, actAs } = submission
    const { rejection, deduplicationOffset, duplicateOf } = verdict
    const { status, updateId, traceContext: _trace, synchronizerTime, ...rest } = completion
    assert.deepEqual(
      { ...rest, code: status.message.split('(')[0], isAccepted: status.code === 0, hasUpdate: updateId !== '' },
      {
        commandId,
        submissionId,
        userId,
        actAs: sorted(actAs),
        deduplicationPeriod: { DeduplicationOffset: { value: deduplicationOffset } },
        offset: model.state.end + 1,
        paidTrafficCost: 0,
        code: rejection ?? '',
        isAccepted: rejection === undefined,
        hasUpdate: rejection === undefined,
      },
    )
    const original = status.details[0]?.valueDecoded.metadata.completion_offset
    assert.equal(original, duplicateOf?.toString())
    assert.equal(synchronizerTime.synchronizerId, synchronizerId)
    const { recordTime } = synchronizerTime
    assert.ok(isLater(recordTime, model.state.lastRecordTime), `record time ${recordTime} is not later than before`)
    model.state.lastRecordTime = recordTime
  }

  /** Takes from the update what the model cannot know, then compares all of it. */
  function learn(update: Told, submission: Submission, { nodes }: Transaction): void {
    const created = update.events.flatMap((event: Told) => event.CreatedEvent ?? []) as Told[]
    const ids = created.map(({ contractId }) => contractId)
    for (const id of ids) assert.ok(!model.contracts.has(id), `contract id ${id} is used twice`)
    const { offset, updateId, recordTime, traceContext } = update
    const { commandId, workflowId, actAs: submitters } = submission
    assert.equal(recordTime, model.state.lastRecordTime)
    const own: Update = {
      ...{ offset, updateId, commandId, workflowId, submitters, recordTime, traceContext },
      effectiveAt: instantToText(model.state.now),
      nodes: withIds(nodes, ids),
    }
    model.addUpdate(own, submission, new Map(created.map((event) => [event.contractId, event.createdEventBlob])))
    assert.deepEqual(update, expected.transaction(own, 'with-blob', 'TRANSACTION_SHAPE_LEDGER_EFFECTS'))
  }

  function checkRefusal({ submission, foreseen, answer }: Sent, submissions: readonly Submission[]): void {
    const later = model.foresee(submission)
    const allowed = [foreseen, later].filter((code) => typeof code === 'string')
    const isRepeated = submissions.some((other) => other !== submission && other.commandId === submission.commandId)
    if (isRepeated) allowed.push('SUBMISSION_ALREADY_IN_FLIGHT')
    assert.ok(
      allowed.includes(answer.json?.code),
      `refused (${answer.text}) instead of ${allowed.join(' or ') || 'accepted'}: ${JSON.stringify(submissionToJson(submission))}`,
    )
  }

  function checkAnswer({ submission, way, answer }: Sent, told: readonly Told[]): void {
    const { updateId, offset, status } = told.find((one) => one.submissionId === submission.submissionId)
    if (status.code !== 0) {
      if (way !== 'async') assert.equal(answer.json.code, status.message.split('(')[0])
      else assert.deepEqual([answer.status, answer.json], [200, {}])
      return
    }
    const update = model.updates.find((one) => one.offset === offset)!
    const { actAs, readAs } = submission
    const wanted: Record<Way, object> = {
      async: {},
      wait: { updateId, completionOffset: offset },
      transaction: { transaction: expected.submitted(update, formatFor([...actAs, ...readAs])) },
      tree: { transactionTree: expected.tree(update, formatFor(actAs)) },
    }
    assert.deepEqual([answer.status, answer.json], [200, wanted[way]])
  }

  async function prune(upTo: number): Promise<void> {
    const answer = await node.call('POST', '/v2/pruning', { body: { pruneUpTo: upTo } })
    if (upTo === 0) assert.equal(answer.json.code, 'INVALID_ARGUMENT')
    else if (upTo >= model.state.end) assert.equal(answer.json.code, 'OFFSET_OUT_OF_RANGE')
    else {
      model.prune(upTo)
      assert.deepEqual([answer.status, answer.json], [200, { prunedUpTo: model.state.prunedUpTo }])
    }
  }

  /** A node that starts goes on with pruning; this waits for it. */
  async function finishPruning(): Promise<void> {
    for (;;) {
      const answer = await node.call('POST', '/v2/pruning', { body: { pruneUpTo: 1 } })
      if (answer.status === 200) break
      assert.equal(answer.json.code, 'PARTICIPANT_PRUNING_IN_PROGRESS')
    }
    model.prune(1)
  }

  return {
    model,
    expected,
    call,
    ledgerEnd,
    submit,
    prune,

    async advanceTime(micros: bigint): Promise<void> {
      const [currentTime, newTime] = [model.state.now, model.state.now + micros].map(instantToText)
      const answer = await node.call('POST', '/v2/time', { body: { currentTime, newTime } })
      assert.equal(answer.status, 200, answer.text)
      model.state.now += micros
    },

    /** Once all that were sent have an answer, but perhaps no completion. */
    async restart(submissions: readonly Submission[]): Promise<void> {
      await submit(submissions, () => node.restart())
      if (model.state.prunedUpTo > 0) await finishPruning()
    },

    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export function formatFor(parties: readonly string[]): Format {
  return new Map(parties.map((party) => [party, 'all']))
}

function withIds(nodes: Transaction['nodes'], ids: readonly string[]): Transaction['nodes'] {
  return JSON.parse(JSON.stringify(nodes), (_key, value) => {
    const number = typeof value === 'string' ? /^#(\d+)$/.exec(value)?.[1] : undefined
    return number === undefined ? value : ids[Number(number)]
  })
}

function isLater(instant: string, than: string): boolean {
  return than === '' || timestampFromText(instant)! > timestampFromText(than)!
}

async function allocateParties(node: TestNode): Promise<string[]> {
  const parties: string[] = []
  for (const partyIdHint of hints) {
    const { json } = await node.call('POST', '/v2/parties', { body: { partyIdHint } })
    parties.push(json.partyDetails.party)
  }
  return parties
}

async function createUsers(node: TestNode, parties: readonly string[]): Promise<Record<User, string>> {
  const rights = [
    ...parties.map((party) => ({ kind: { CanActAs: { value: { party } } } })),
    { kind: { CanReadAsAnyParty: { value: {} } } },
  ]
  const tokens = { clerk: '', trader: '' }
  for (const id of users) {
    const answer = await node.call('POST', '/v2/users', { body: { user: { id }, rights } })
    assert.equal(answer.status, 200, answer.text)
    tokens[id] = await node.token(id)
  }
  return tokens
}

async function quickstartPackage(node: TestNode): Promise<string> {
  const { json } = await node.call('POST', '/v2/package-vetting/list', { body: {} })
  const packages = json.vettedPackages.flatMap((one: Told) => one.packages)
  return packages.find((one: Told) => one.packageName === 'quickstart').packageId
}
