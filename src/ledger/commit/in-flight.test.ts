import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWaits } from './in-flight.ts'

const submission = { userId: 'app', commandId: 'c', submissionId: 's', actAs: ['alice', 'bob'] }
const inFlight = { code: 'SUBMISSION_ALREADY_IN_FLIGHT' }

test('a second client cannot wait for the same submission, whatever the order of its parties', () => {
  const waits = createWaits()
  using _first = waits.track(submission)
  assert.throws(() => waits.track({ ...submission, actAs: ['bob', 'alice'] }), inFlight)
})

test('a refused wait does not end the first one', () => {
  const waits = createWaits()
  using _first = waits.track(submission)
  assert.throws(() => waits.track(submission), inFlight)
  assert.throws(() => waits.track(submission), inFlight)
})

test('submissions that differ in user, command, submission id or parties are waited for side by side', () => {
  const waits = createWaits()
  using all = new DisposableStack()
  all.use(waits.track(submission))
  for (const other of [{ userId: 'b' }, { commandId: 'd' }, { submissionId: 't' }, { actAs: ['alice'] }]) {
    all.use(waits.track({ ...submission, ...other }))
  }
})

test('a submission can be waited for again after its outcome', () => {
  const waits = createWaits()
  waits.track(submission)[Symbol.dispose]()
  waits.track(submission)[Symbol.dispose]()
})
