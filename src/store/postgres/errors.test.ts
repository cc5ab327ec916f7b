import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isStoreUnavailable, LedgerError } from '../../base/errors.ts'
import { DatabaseUnfit, meaningOf, NotCommitted, refusing } from './errors.ts'

function ofState(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError('told by the server', 1, 'error')
  error.code = code
  return error
}

const ofSocket = (code: string) => Object.assign(new Error(`connect ${code} 10.1.2.3:5432`), { code })

const waited = [
  '08000',
  '08006',
  '25006',
  '25P03',
  '40001',
  '40P01',
  '53100',
  '53200',
  '53300',
  '55000',
  '55P03',
  '57014',
]
const alsoWaited = ['57P01', '57P02', '57P03', '57P05', '28P01', '28000', '3D000', '42501', '58030', 'XX001']
const statements = ['22023', '23505', '23502', '22P02', '42601', '42P01', '42703', '25001', '0A000', '']

test('server failures are transient, statement failures are not', async () => {
  for (const code of [...waited, ...alsoWaited]) assert.ok(meaningOf(ofState(code)), code)
  for (const code of statements) assert.equal(meaningOf(ofState(code)), undefined, code)
})

test('failures of a socket and of the driver are transient', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']) {
    assert.equal(meaningOf(ofSocket(code))?.kind, 'wait', code)
  }
  for (const [message, words] of [
    ['Query read timeout', 'the database does not answer'],
    ['timeout exceeded when trying to connect', 'the database does not answer'],
    ['Connection terminated due to connection timeout', 'the database does not answer'],
    ['Connection terminated unexpectedly', 'the connection to the database broke'],
    ['Client has encountered a connection error and is not queryable', 'the connection to the database broke'],
  ] as const) {
    assert.deepEqual(meaningOf(new Error(message)), { kind: 'wait', words })
  }
})

test('failures that need an operator are distinguished', () => {
  for (const code of ['28P01', '3D000', '42501', '53100', '58030', 'XX001']) {
    assert.equal(meaningOf(ofState(code))?.kind, 'operator', code)
  }
  assert.deepEqual(meaningOf(new DatabaseUnfit('odd')), { kind: 'operator', words: 'odd' })
})

test('bugs, refusals and failed commits are not connection failures', () => {
  const others = [
    new TypeError('x'),
    new RangeError('x'),
    new LedgerError('USER_NOT_FOUND', 'x'),
    new NotCommitted('x'),
  ]
  for (const error of others) assert.equal(meaningOf(error), undefined)
})

test('messages to clients name no address', async () => {
  await assert.rejects(
    refusing(() => Promise.reject(ofSocket('ECONNREFUSED'))),
    (error) => {
      assert.ok(isStoreUnavailable(error))
      assert.doesNotMatch(error.message, /10\.1\.2\.3/)
      return true
    },
  )
})
