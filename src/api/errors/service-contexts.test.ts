// What a service adds to the context of its errors, and whose log Canton would write them to.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ErrorCode, type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { serviceContextOf } from './service-contexts.ts'

type Given = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown }

const uuid = '00000000-0000-4000-8000-000000000000'
const serviceOf = (operation: string, { params = {}, query = {}, body }: Given = {}) =>
  serviceContextOf(operation, { params, query, body, newUuid: () => uuid })
const error = (code: ErrorCode = 'INVALID_ARGUMENT', details?: ErrorDetails) => new LedgerError(code, '', details)

describe('the context of an error', () => {
  const rows: [operation: string, given: Given, context: object][] = [
    ['GET /v2/packages/{package-id}', { params: { 'package-id': 'abc' } }, { packageId: "'abc'" }],
    ['POST /v2/parties', { body: { partyIdHint: 'alice' } }, { parties: "['alice']" }],
    ['POST /v2/parties', { body: { partyIdHint: '' } }, { parties: "['']" }],
    ['POST /v2/parties', {}, {}],
    ['GET /v2/parties/{party}', { params: { party: 'a' } }, { parties: "['a']" }],
    [
      'GET /v2/parties/{party}',
      { params: { party: 'a' }, query: { parties: ['b', 'c'] } },
      { parties: "['a', 'b', 'c']" },
    ],
    ['POST /v2/users', {}, { submissionId: `'${uuid}'` }],
    ['PATCH /v2/users/{user-id}/rights', {}, { submissionId: `'${uuid}'` }],
    ['PATCH /v2/users/{user-id}/identity-provider-id', {}, {}],
    ['GET /v2/users/{user-id}', {}, {}],
  ]
  for (const [operation, given, context] of rows) {
    test(`of ${operation} with ${JSON.stringify(given)}`, () => {
      assert.deepEqual(serviceOf(operation, given).contextOf(error()), context)
    })
  }

  test('is empty where the node finds it', () => {
    const service = serviceOf('POST /v2/parties', { body: { partyIdHint: 'alice' } })
    assert.deepEqual(service.contextOf(error('USER_NOT_FOUND', { foundBy: 'node' })), {})
    assert.deepEqual(service.contextOf(error('INVALID_TOKEN')), {})
  })
})

describe('an error is found', () => {
  const byRequest: [operation: string, code: ErrorCode, details?: ErrorDetails][] = [
    ['POST /v2/users', 'USER_ALREADY_EXISTS'],
    ['POST /v2/commands/submit-and-wait', 'MISSING_FIELD'],
    ['POST /v2/commands/submit-and-wait', 'DAML_FAILURE', { foundBy: 'interpretation' }],
    ['POST /v2/updates', 'PACKAGE_NAMES_NOT_FOUND'],
    ['GET /v2/updates', 'PACKAGE_NAMES_NOT_FOUND'],
    ['POST /v2/updates', 'OFFSET_AFTER_LEDGER_END'],
    ['POST /v2/state/active-contracts', 'OFFSET_AFTER_LEDGER_END'],
    ['GET /v2/state/active-contracts', 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME'],
    ['GET /v2/state/active-contracts-page', 'OFFSET_AFTER_LEDGER_END'],
    ['POST /v2/commands/completions', 'OFFSET_AFTER_LEDGER_END'],
    ['POST /v2/updates/update-by-offset', 'UPDATE_NOT_FOUND'],
    ['POST /v2/events/events-by-contract-id', 'CONTRACT_EVENTS_NOT_FOUND', { foundBy: 'request' }],
    ['GET /v2/parties/{party}', 'INVALID_ARGUMENT'],
  ]
  const byNode: [operation: string, code: ErrorCode, details?: ErrorDetails][] = [
    ['POST /v2/time', 'MISSING_FIELD'],
    ['POST /v2/commands/submit-and-wait', 'DUPLICATE_COMMAND'],
    ['POST /v2/commands/async/submit-reassignment', 'INVALID_ARGUMENT', { foundBy: 'node' }],
    ['POST /v2/updates/update-by-offset', 'PACKAGE_NAMES_NOT_FOUND'],
    ['POST /v2/updates/update-by-id', 'UPDATE_NOT_FOUND'],
    ['POST /v2/state/active-contracts', 'INVALID_ARGUMENT'],
    ['GET /v2/idps/{idp-id}', 'INVALID_FIELD'],
    ['POST /v2/dars', 'INVALID_FIELD'],
  ]
  for (const [operation, code, details] of byRequest) {
    test(`by the request: ${code} of ${operation}`, () => {
      assert.equal(serviceOf(operation).isFoundByNode(error(code, details)), false)
    })
  }
  for (const [operation, code, details] of byNode) {
    test(`by the node: ${code} of ${operation}`, () => {
      assert.equal(serviceOf(operation).isFoundByNode(error(code, details)), true)
    })
  }
})
