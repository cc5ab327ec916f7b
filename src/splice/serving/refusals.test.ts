import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ParticipantRefusal } from '../ledger/participant.ts'
import { AmuletOperationFailed, failedOperation, wordsFor } from '../treasury/failed-operations.ts'
import { WalletBusy } from '../treasury/wallet-turns.ts'
import { refusalOf } from './refusals.ts'
import { badRequest, contractNotFound, notFound, type RouteRefusal, unauthorized } from './route.ts'

/** As the Ledger API refuses: [code, gRPC code, the status of Splice]. */
const ledgerCases: readonly [code: string, grpcCode: number, status: number][] = [
  ['CONTRACT_NOT_FOUND', 5, 404],
  ['DUPLICATE_COMMAND', 6, 409],
  ['SUBMISSION_ALREADY_IN_FLIGHT', 10, 429],
  ['LOCAL_VERDICT_LOCKED_CONTRACTS', 10, 429],
  ['PARTICIPANT_BACKPRESSURE', 10, 429],
  ['SEQUENCER_REQUEST_FAILED', 14, 503],
  ['UNHANDLED_EXCEPTION', 9, 409],
  ['TEMPLATE_PRECONDITION_VIOLATED', 9, 409],
  ['DAML_FAILURE', 9, 400],
  ['INVALID_ARGUMENT', 3, 400],
  ['PERMISSION_DENIED', 7, 500],
  ['REQUEST_TIME_OUT', 4, 500],
]

for (const [code, grpcCode, status] of ledgerCases) {
  test(`${code} of the ledger is answered with ${status}`, () => {
    const description = `${code}(2,abc): why`
    const refusal = new ParticipantRefusal(418, code, 'POST /v2/…', { grpcCode, description })
    assert.deepEqual(refusalOf(refusal), { status, body: { error: description } })
  })
}

test('an answer that is not the ledger’s keeps its status', () => {
  const refusal = new ParticipantRefusal(502, 'UNKNOWN', 'busy')
  assert.deepEqual(refusalOf(refusal), { status: 502, body: { error: 'busy' } })
})

const routeCases: readonly [RouteRefusal, number, string][] = [
  [badRequest('no'), 400, 'no'],
  [notFound('gone'), 404, 'gone'],
  [unauthorized('ann'), 403, 'Authorization Failed for ann'],
  [contractNotFound('00ab', '#p:M:T'), 404, 'Contract id not found: ContractId(id = 00ab, type = p:M:T)'],
]

for (const [refusal, status, error] of routeCases) {
  test(`a route refuses with ${status} and ${error}`, () => {
    assert.deepEqual(refusalOf(refusal), { status, body: { error } })
  })
}

test('a wallet with too much to do answers with 429', () => {
  const { status, body } = refusalOf(new WalletBusy())!
  assert.equal(status, 429)
  assert.match((body as { error: string }).error, /^Aborted operation - likely because there are too many operations/)
})

test('an error that nobody expects is no refusal', () => assert.equal(refusalOf(new TypeError('bug')), undefined))

const failures: readonly [id: string, metadata: Record<string, string>, said: string, words: string][] = [
  [
    'insufficient-funds',
    { requiredAmount: '5.0' },
    'COO_Error(ITR_InsufficientFunds(5.0))',
    'out of funds (missing 5.0 CC)',
  ],
  [
    'unknown-synchronizer',
    { synchronizerId: 's' },
    'COO_Error(ITR_UnknownSynchronizer(s))',
    'unknown synchronizerId s',
  ],
  [
    'insufficient-topup-amount',
    { requestedTopupAmount: '1', minTopupAmount: '2' },
    'COO_Error(ITR_InsufficientTopupAmount(1, 2))',
    'not enough traffic requested (trafficAmount 1 < minTopupAmount 2)',
  ],
  ['maximum-inputs-exceeded', {}, 'COO_Error(ITR_Other(why))', 'why'],
]

for (const [id, more, said, words] of failures) {
  test(`a failure of Amulet’s Daml code, ${id}, is told by its reason`, () => {
    const metadata = { error_id: `splice.lfdecentralizedtrust.org/${id}`, ...more }
    const refusal = new ParticipantRefusal(400, 'DAML_FAILURE', '', { grpcCode: 9, description: 'why', metadata })
    const failed = failedOperation(refusal)
    assert.ok(failed instanceof AmuletOperationFailed)
    const error = `the amulet operation failed with a Daml exception: ${said}.`
    assert.deepEqual(refusalOf(failed), { status: 400, body: { error } })
    assert.equal(wordsFor(failed.reason), words)
  })
}

test('failures of other Daml code stay as they are', () => {
  const metadata = { error_id: 'splice.lfdecentralizedtrust.org/other' }
  for (const error of [new Error('x'), new ParticipantRefusal(400, 'DAML_FAILURE', '', { metadata })]) {
    assert.equal(failedOperation(error), error)
  }
})
