// Bodies with every field that our routes know, of a kind that none of them expects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusingValidator } from '../../test/fixtures/splice/refusing-validator.ts'
import { refusalOf } from './serving/refusals.ts'
import { validatorRoutes } from './validator/validator-routes.ts'
import { walletRoutes } from './wallet/wallet-routes.ts'

const wrong = [null, [], 'text', 1, '', {}, { deep: {} }, [[]], [null], -1, 1e300, true]
const names = [
  'amount',
  'command_id',
  'page_size',
  'begin_after_id',
  'receiver_party_id',
  'description',
  'expires_at',
  'tracking_id',
  'traffic_amount',
  'receiving_validator_party_id',
  'domain_id',
  'settlement',
  'transfer_leg',
  'transfer_leg_id',
  'transfer_leg_sides',
  'committed',
  'deduplication_id',
  'name',
  'party_id',
  'user_party_id',
  'contract_id',
  'public_key',
  'party_hint',
  'signed_topology_txs',
  'submission',
  'sender_party_id',
  'nonce',
]
const bodies = [
  {},
  ...wrong.map((value) => Object.fromEntries(names.map((name) => [name, value]))),
  { settlement: { executor: 'x', executors: ['x'], settlement_ref: null }, transfer_leg: {}, transfer_leg_sides: [{}] },
]

for (const { method, path, answer } of [...validatorRoutes, ...walletRoutes]) {
  if (method !== 'POST' || path.includes('scan-proxy')) continue
  test(`${path} refuses bodies with fields of the wrong kind, and does not fail`, async () => {
    const params = { cid: '00', id: '00' }
    for (const body of bodies) {
      const request = { params, query: new URLSearchParams(), body, user: 'ann' }
      await answer(refusingValidator, request).catch((error: Error) => {
        assert.notEqual(refusalOf(error), undefined, `${JSON.stringify(body)}: ${error.stack}`)
      })
    }
  })
}
