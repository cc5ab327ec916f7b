// How long a signed transaction may wait: as long as its time bounds hold, and at most a day.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type SigningLedger, startSigningLedger, waitPath } from '../fixtures/interactive.ts'
import { createTarget, doing, eventOf, exercise, type Json, right, targetType } from '../fixtures/ledger.ts'
import { refusalOf } from '../fixtures/node.ts'
import type { Signer } from '../fixtures/signer.ts'

const start = '2026-01-01T00:00:00Z'
const hourMs = 3_600_000

describe('a transaction that is executed later', () => {
  let signing: SigningLedger
  let who: { party: string; signer: Signer }
  let contractId: string
  let now = Date.parse(start)

  before(async () => {
    signing = await startSigningLedger({ settings: { time: { kind: 'static', start } } })
    who = await signing.newParty('patient')
    contractId = eventOf(await signing.run(who, createTarget([who.party])), 'CreatedEvent').contractId
  })
  after(() => signing[Symbol.asyncDispose]())

  async function advance(byMs: number): Promise<void> {
    const times = { currentTime: new Date(now).toISOString(), newTime: new Date(now + byMs).toISOString() }
    const answer = await signing.ledger.node.call('POST', '/v2/time', { body: times })
    assert.equal(answer.status, 200, answer.text)
    now += byMs
  }

  async function prepare(program: readonly object[], fields: object = {}): Promise<Json> {
    const command = exercise(targetType, contractId, 'Keep', doing([who.party], ...program))
    const answer = await signing.prepare([command], { actAs: [who.party], ...fields })
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }

  const execute = (prepared: Json, fields: object = {}) =>
    signing.post(waitPath, signing.executionOf(prepared, { [who.party]: [who.signer] }, fields))

  const before2100 = { tag: 'Before', value: '2100-01-01T00:00:00Z' }
  const getTime = { tag: 'GetTime', value: {} }
  const rows: [title: string, program: object[], fields: object, waitMs: number, want: string | undefined][] = [
    ['knows nothing of time, and can wait', [], {}, 23 * hourMs, undefined],
    ['looked at a bound far away, and can wait', [before2100], {}, 23 * hourMs, undefined],
    ['asked for the time, and can wait a little', [getTime], {}, 50_000, undefined],
    ['asked for the time, and cannot wait', [getTime], {}, 70_000, 'NOT_SEQUENCED_TIMEOUT'],
    ['is too old after a day', [], {}, 25 * hourMs, 'LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND'],
    [
      'has a latest record time that is not yet over',
      [],
      { hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V3', maxRecordTime: '2030-01-01T00:00:00Z' },
      hourMs,
      undefined,
    ],
    [
      'has a latest record time that is over',
      [],
      { hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V3', maxRecordTime: '2026-01-01T00:00:00Z' },
      hourMs,
      'LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED',
    ],
  ]
  for (const [title, program, fields, waitMs, want] of rows) {
    test(`it ${title}`, async () => {
      const prepared = await prepare(program, fields)
      await advance(waitMs)
      const answer = await execute(prepared)
      if (want === undefined) assert.equal(answer.status, 200, answer.text)
      else assert.deepEqual(refusalOf(answer).slice(0, 2), [409, want])
    })
  }

  test('what participants reject tells them, the synchronizer, and times as Canton shows them', async () => {
    const [old, once] = [await prepare([]), await prepare([])]
    assert.equal((await execute(once)).status, 200)
    const other = await signing.ledger.userWith('other', right('CanExecuteAsAnyParty'))
    const again = await signing.post(waitPath, signing.executionOf(once, { [who.party]: [who.signer] }), {
      token: other,
    })
    assert.equal(again.json.code, 'DUPLICATE_CONFIRMATION_REQUEST_UUID')
    const recordedAt = Date.parse(again.json.context.expireAfter) - 48 * hourMs
    assert.equal(recordedAt, now)
    await advance(25 * hourMs)
    const { json } = await execute(old)
    assert.match(json.cause, /, maxDelta=24h$/)
    const { reported_by_participant_id, psid, ...context } = json.context
    assert.match(reported_by_participant_id, /^PAR::participant::1220/)
    assert.match(psid, /::1220[0-9a-f]{8}\.\.\.::35-0$/)
    assert.deepEqual(context, {
      participant: 'participant',
      confirming_parties: `${reported_by_participant_id.replace('PAR::', '')}, ${who.party}`,
      tid: json.traceId,
      category: '2',
      definite_answer: 'false',
    })
  })

  test('the ledger time can be chosen within the allowed range', async () => {
    const at = (byMs: number) => ({
      minLedgerTime: { time: { MinLedgerTimeAbs: { value: new Date(now + byMs).toISOString() } } },
    })
    const early = await execute(await prepare([]), at(30_000))
    assert.equal(early.status, 200, early.text)
    const late = await execute(await prepare([]), at(120_000))
    assert.equal(refusalOf(late)[1], 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND')
    const ahead = await prepare([getTime], at(45_000))
    const answer = await execute(ahead)
    assert.equal(answer.status, 200, answer.text)
  })
})
