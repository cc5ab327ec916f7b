import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LedgerError } from '../base/errors.ts'
import { createDecoder } from '../protobuf/json-reading.ts'
import { ledgerApi } from '../protobuf/ledger-api.ts'
import { GrpcError, statusOf } from './status.ts'

const limits = { depthMax: 10, valuesMax: 1000 }
const decode = (name: string, bytes: Uint8Array) =>
  createDecoder(ledgerApi().message(`google.rpc.${name}`))(bytes, limits) as Record<string, never>

test('details that clients parse are whole, and all details together fit into trailers', () => {
  const value = 'v'.repeat(1000)
  const refusal = new LedgerError('CONTRACT_NOT_FOUND', 'not there', {
    context: { long: 'x'.repeat(20_000) },
    resources: [
      ['CONTRACT_ID', value],
      ['CONTRACT_ID', 'w'.repeat(5000)],
    ],
  })
  const { details } = statusOf(refusal, { traceId: 'ab'.repeat(16), explains: false, participant: 'participant' })
  assert.ok(details!.length <= 4096, String(details!.length))
  const text = Buffer.from(details!).toString('latin1')
  assert.ok(text.includes(value) && !text.includes('www'))
  assert.match(text, /long.*xxx\.\.\./s)
  assert.match(text, /ErrorInfo.*RequestInfo.*ResourceInfo/s)
  assert.equal(decode('Status', details!).code, 5)
})

test('an error that Canton takes for its own is explained on a development node only', () => {
  const refusal = new GrpcError(13, 'Too many requests', true)
  const of = (explains: boolean) => statusOf(refusal, { traceId: '', explains, participant: 'node' }).message
  assert.equal(of(true), 'Too many requests')
  const text =
    'An error occurred. Please contact the operator and inquire about the request <no-correlation-id> with tid'
  assert.equal(of(false), `${text} <no-tid>`)
})
