// The ledger time of a node: the wall clock's, or with --static-time one that only moves on request.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { iouType, type Json, startTestLedger } from '../fixtures/ledger.ts'
import { refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { assertOneLine, run, start, temporaryFolder } from '../fixtures/process.ts'

const newYear = '2030-01-01T00:00:00Z'
const later = '2030-01-01T01:00:00Z'
const quickstartDar = new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname
const invalid = (cause: string) => [400, 'INVALID_ARGUMENT', `The submitted request has invalid arguments: ${cause}`]

const staticNode = (store: (typeof stores)[number] | 'memory' = 'memory') =>
  startTestNode({ store, settings: { time: { kind: 'static', start: newYear } } })

describe('static time', () => {
  test('stays where it was started until it is moved', async () => {
    await using node = await staticNode()
    assert.equal(await timeOf(node), newYear)
    const moved = await setTime(node, newYear, later)
    assert.deepEqual([moved.status, moved.text], [200, '{}'])
    assert.equal(await timeOf(node), later)
    assert.equal((await setTime(node, later, later)).status, 200) // The time it already has.
  })

  const refusals: [title: string, body: object, refusal: unknown[]][] = [
    [
      'by a caller with a wrong current time',
      { currentTime: '2029-12-31T23:59:59Z', newTime: later },
      invalid('current_time mismatch. Provided: 2029-12-31T23:59:59Z. Actual: 2030-01-01T00:00:00Z'),
    ],
    [
      'backwards',
      { currentTime: newYear, newTime: '2029-12-31T23:59:59.999999Z' },
      invalid(
        'new_time [2029-12-31T23:59:59.999999Z] is before current_time [2030-01-01T00:00:00Z]. ' +
          'Setting time backwards is not allowed.',
      ),
    ],
    [
      'to a time after which nothing can be recorded',
      { currentTime: newYear, newTime: '9999-12-31T00:00:00.000001Z' },
      invalid('the time would be after 9999-12-31T00:00:00Z'),
    ],
    [
      'from nowhere',
      { newTime: later },
      [400, 'MISSING_FIELD', 'The submitted command is missing a mandatory field: current_time'],
    ],
    [
      'to nowhere',
      { currentTime: newYear },
      [400, 'MISSING_FIELD', 'The submitted command is missing a mandatory field: new_time'],
    ],
  ]
  for (const [title, body, refusal] of refusals) {
    test(`is not moved ${title}`, async () => {
      await using node = await staticNode()
      assert.deepEqual(refusalOf(await node.call('POST', '/v2/time', { body })), refusal)
      assert.equal(await timeOf(node), newYear)
    })
  }

  test('is moved by administrators only, and readable by everyone', async () => {
    await using node = await staticNode()
    await node.call('POST', '/v2/users', { body: { user: { id: 'alice' } } })
    const token = await node.token('alice')
    assert.equal((await node.call('GET', '/v2/time', { token })).status, 200)
    const body = { currentTime: newYear, newTime: later }
    assert.equal((await node.call('POST', '/v2/time', { token, body })).status, 403)
    assert.equal((await node.call('POST', '/v2/time', { token: null, body })).status, 401)
    assert.equal(await timeOf(node), newYear)
  })

  test('is the time of transactions, which have different record times', async () => {
    await using node = await staticNode()
    const issue = await issuer(node) // The party has the first record time.
    assert.deepEqual(timesIn(await issue({})), [newYear, '2030-01-01T00:00:00.000001Z'])
    assert.deepEqual(timesIn(await issue({})), [newYear, '2030-01-01T00:00:00.000002Z'])
    await setTime(node, newYear, later)
    assert.deepEqual(timesIn(await issue({})), [later, later])
  })

  test('does not pass for a command with a minimum ledger time, which is recorded at once with that time', async () => {
    await using node = await staticNode()
    const issue = await issuer(node)
    const ahead = '2030-01-01T00:00:45Z'
    assert.deepEqual(timesIn(await issue({ minLedgerTimeAbs: ahead })), [ahead, '2030-01-01T00:00:00.000001Z'])
    assert.equal(timesIn(await issue({ minLedgerTimeRel: { seconds: 60 } }))[0], '2030-01-01T00:01:00Z')
    assert.equal(timesIn(await issue({ minLedgerTimeRel: { seconds: -59 } }))[0], '2029-12-31T23:59:01Z')
    assert.equal(timesIn(await issue({ minLedgerTimeAbs: '2020-01-01T00:00:00Z' }))[0], newYear)
    for (const tooFar of [{ minLedgerTimeAbs: later }, { minLedgerTimeRel: { seconds: 61 } }]) {
      const { status, json } = await issue.answer(tooFar)
      assert.deepEqual([status, json.code], [409, 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND'])
      assert.match(
        json.cause,
        /ledgerTime=2030-01-01T0[01]:0[01]:0[01]Z, recordTime=2030-01-01T00:00:00\.00000\dZ, maxDelta=1m$/,
      )
    }
    assert.equal(timesIn(await issue({}))[0], newYear)
  })

  test('leaves a command behind whose time is over: at once if something was recorded since, otherwise in its completion', async () => {
    await using node = await staticNode()
    const issue = await issuer(node)
    await setTime(node, newYear, later)
    const late = { minLedgerTimeRel: { seconds: -61 } }
    const cause = 'Transaction was not sequenced within the pre-defined max sequencing time and has therefore timed out'
    const synchronizer = /^\w+::1220[0-9a-f]{8}\.\.\.::35-0$/
    const before = await issue.end()
    const inCompletion = await issue.answer(late)
    const after = await issue.end()
    const atOnce = await issue.answer(late)
    assert.deepEqual([after, await issue.end()], [before + 1, before + 1])
    for (const [{ status, json }, field] of [
      [inCompletion, 'psid'],
      [atOnce, 'physicalSynchronizerId'],
    ] as const) {
      assert.deepEqual([status, json.code, json.cause], [409, 'NOT_SEQUENCED_TIMEOUT', cause])
      assert.equal(json.correlationId, null)
      const { [field]: shown, tid, ...context } = json.context
      assert.match(shown, synchronizer)
      assert.equal(tid, json.traceId)
      assert.deepEqual(context, { category: '2', definite_answer: 'false', participant: 'participant' })
    }
    const { message } = (await issue.completion(before)).status
    assert.equal(message, `NOT_SEQUENCED_TIMEOUT(2,${inCompletion.json.traceId.slice(0, 8)}): ${cause}`)
  })

  test('is never before the creation of a contract that a transaction uses', async () => {
    await using node = await staticNode()
    const issue = await issuer(node)
    const { contractId } = (await issue({ minLedgerTimeRel: { seconds: 30 } })).events[0].CreatedEvent
    const split = { templateId: iouType, contractId, choice: 'Iou_Split', choiceArgument: { amount: '0.5' } }
    const used = await issue({ commands: [{ ExerciseCommand: split }] })
    assert.equal(timesIn(used)[0], '2030-01-01T00:00:30Z')
    assert.equal(used.events[1].CreatedEvent.createdAt, '2030-01-01T00:00:30Z')
  })

  for (const store of stores) {
    test(`continues on ${store} where it was when the node was stopped`, async () => {
      await using node = await staticNode(store)
      await setTime(node, newYear, later)
      await node.restart()
      assert.equal(await timeOf(node), later)
    })
  }
})

describe('the time of a node that follows the wall clock', () => {
  test('can be read, but not moved', async () => {
    await using node = await startTestNode()
    const before = Date.now()
    const current = await timeOf(node)
    assert.ok(Date.parse(current) >= before && Date.parse(current) <= Date.now(), current)
    assert.deepEqual(refusalOf(await setTime(node, current, later)), [
      501,
      'NA',
      'This node follows the wall clock; start it with --static-time to set the time',
    ])
  })
})

describe('POST /dev/time', () => {
  const move = (node: TestNode, body: object) => node.call('POST', '/dev/time', { body })

  test('moves static time', async () => {
    await using node = await staticNode()
    const issue = await issuer(node)
    assert.equal((await move(node, { advance: 'P1D' })).json.currentTime, '2030-01-02T00:00:00Z')
    assert.equal(timesIn(await issue({}))[0], '2030-01-02T00:00:00Z')
    assert.equal((await move(node, { set: '2031-01-01T00:00:00Z' })).json.currentTime, '2031-01-01T00:00:00Z')
    const back = "is before the ledger's time, 2031-01-01T00:00:00Z. Setting time backwards is not allowed"
    assert.match((await move(node, { set: newYear })).json.cause, new RegExp(back))
  })

  const mistakes: object[] = [
    {},
    { advance: 'P1D', set: later },
    { advance: 'tomorrow' },
    { advance: 'P1M' },
    { set: 'noon' },
    { advance: '999999d' },
  ]
  for (const body of mistakes) {
    test(`refuses ${JSON.stringify(body)}`, async () => {
      await using node = await startTestNode({ settings: { time: { kind: 'static', start: '9000-01-01T00:00:00Z' } } })
      assert.equal((await move(node, body)).status, 400)
      assert.equal(await timeOf(node), '9000-01-01T00:00:00Z')
    })
  }

  for (const store of stores) {
    test(`lets a node on ${store} run ahead of the wall clock, also after a restart`, async () => {
      await using node = await startTestNode({ store })
      const issue = await issuer(node)
      const isAhead = (text: string) => Date.parse(text) - Date.now() > 86_000_000
      const waiting = issue({ minLedgerTimeAbs: new Date(Date.now() + 86_390_000).toISOString() })
      assert.ok(isAhead((await move(node, { advance: '24h' })).json.currentTime))
      assert.ok(isAhead(timesIn(await waiting)[0]))
      await node.restart()
      assert.ok(isAhead(await timeOf(node)))
    })
  }
})

describe('tallystick start --static-time', { concurrency: 2 }, () => {
  test('stands still, keeps a new time through a kill -9, and never goes back', async () => {
    using folder = temporaryFolder()
    const args = ['--data', folder.path, '--auth', 'off', '--static-time']
    const timeAt = async (url: string) =>
      ((await (await fetch(`${url}/v2/time`)).json()) as { currentTime: string }).currentTime
    await using first = await start([...args, newYear])
    assert.equal(await timeAt(first.url), newYear)
    const body = JSON.stringify({ currentTime: newYear, newTime: later })
    assert.equal((await fetch(`${first.url}/v2/time`, { method: 'POST', body })).status, 200)
    await first.stop('SIGKILL')
    await using second = await start([...args, newYear])
    assert.equal(await timeAt(second.url), later)
    await second.stop('SIGTERM')
    await using third = await start([...args, '2031-01-01T00:00:00Z'])
    assert.equal(await timeAt(third.url), '2031-01-01T00:00:00Z')
  })

  test('refuses an invalid time', async () => {
    const result = await run(['start', '--memory', '--static-time', 'noon'])
    assertOneLine(result, 2, /^--static-time: noon is not a time such as 2030-01-01T00:00:00Z$/)
  })
})

async function timeOf(node: TestNode): Promise<string> {
  return (await node.call('GET', '/v2/time')).json.currentTime
}

function setTime(node: TestNode, currentTime: string, newTime: string) {
  return node.call('POST', '/v2/time', { body: { currentTime, newTime } })
}

/** Issues an IOU, with the given command fields, and returns the transaction. */
async function issuer(node: TestNode) {
  const owner: string = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'owner' } })).json.partyDetails
    .party
  const rights = [{ kind: { CanActAs: { value: { party: owner } } } }]
  await node.call('POST', '/v2/users', { body: { user: { id: 'owner' }, rights } })
  const token = await node.token('owner')
  const createArguments = { issuer: owner, owner, amount: '1', currency: 'EUR', observers: [] }
  let count = 0
  const answer = (fields: object) => {
    const create = { CreateCommand: { templateId: iouType, createArguments } }
    const commands = { commandId: `c${++count}`, actAs: [owner], commands: [create], ...fields }
    return node.call('POST', '/v2/commands/submit-and-wait-for-transaction', { token, body: { commands } })
  }
  const issue = async (fields: object) => {
    const { status, json, text } = await answer(fields)
    assert.equal(status, 200, text)
    return json.transaction
  }
  const end = async (): Promise<number> => (await node.call('GET', '/v2/state/ledger-end', { token })).json.offset
  const completion = async (beginExclusive: number): Promise<Json> => {
    const body = { parties: [owner], beginExclusive }
    const { json } = await node.call('POST', '/v2/commands/completions?limit=1', { token, body })
    return json[0].completionResponse.Completion.value
  }
  return Object.assign(issue, { answer, end, completion })
}

function timesIn(transaction: { effectiveAt: string; recordTime: string }): [string, string] {
  return [transaction.effectiveAt, transaction.recordTime]
}

test('as in Canton, nothing younger than the longest deduplication period is pruned', async () => {
  await using ledger = await startTestLedger({
    settings: {
      ...{ time: { kind: 'static', start: newYear }, auth: { mode: 'off' }, development: false },
      ...{ compatibility: 'canton-3.5', participant: { name: 'sandbox' }, dars: [quickstartDar] },
    },
  })
  const prune = async (pruneUpTo: number, recordTime = '') => {
    const { status, json } = await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo } })
    if (status === 200) return 'pruned'
    const { tid: _, reason, ...context } = json.context
    assert.match(
      reason,
      new RegExp(`^Unsafe to prune offset ${pruneUpTo} due to the event for \\S+ with record time ${recordTime}`),
    )
    return [json.code, json.cause, context]
  }
  const cause = 'Participant cannot prune at specified offset due to max deduplication duration of 168h'
  const context = { category: '9', participant: 'sandbox' }
  await ledger.submit([ledger.createIou()], { userId: 'app' })
  await ledger.submit([ledger.createIou()], { userId: 'app' })
  const old = await ledger.end()
  assert.deepEqual(await prune(old - 1, '2030-01-01T00'), ['UNSAFE_TO_PRUNE', cause, context])
  const body = { currentTime: newYear, newTime: '2030-01-09T00:00:00Z' }
  assert.equal((await ledger.node.call('POST', '/v2/time', { body })).status, 200)
  await ledger.submit([ledger.createIou()], { userId: 'app' })
  await ledger.submit([ledger.createIou()], { userId: 'app' })
  const safe = { ...context, safe_offset: String(old) }
  assert.deepEqual(await prune(old + 1, '2030-01-09T00'), ['UNSAFE_TO_PRUNE', cause, safe])
  assert.equal(await prune(old), 'pruned')
})
