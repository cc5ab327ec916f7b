// Every route of LocalNet's APIs has a row that says what it answers, and our answers are like that.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { registryRoutes } from '../../src/splice/registry/registry-routes.ts'
import { scanRoutes } from '../../src/splice/scan/scan-routes.ts'
import { statusRoutes } from '../../src/splice/serving/status-routes.ts'
import { validatorRoutes } from '../../src/splice/validator/validator-routes.ts'
import { walletRoutes } from '../../src/splice/wallet/wallet-routes.ts'
import { answerProblem, hasAnswer } from '../fixtures/splice/answer-check.ts'

const routes = [...scanRoutes, ...registryRoutes, ...statusRoutes('sv'), ...validatorRoutes, ...walletRoutes]

describe("answers of Splice's APIs", () => {
  test('have a row for every route that is served', () => {
    const missing = routes.filter(({ method, path }) => !hasAnswer(method, path))
    assert.deepEqual(
      missing.map(({ method, path }) => `${method} ${path}`),
      [],
      'say in test/fixtures/splice what it answers',
    )
  })

  test('are refused when they lack a field, have another, or one of another kind', () => {
    const path = '/api/validator/v0/wallet/balance'
    const right = {
      round: 1,
      effective_unlocked_qty: '1.5',
      effective_locked_qty: '0.0000000000',
      total_holding_fees: '0.0',
    }
    const problemOf = (answer: object) => answerProblem('GET', path, 200, answer)
    assert.equal(problemOf(right), undefined)
    const { round: _, ...less } = right
    assert.match(problemOf(less)!, /round/)
    assert.match(problemOf({ ...right, more: 1 })!, /more|additional/)
    assert.match(problemOf({ ...right, round: '1' })!, /round/)
    assert.match(problemOf({ ...right, effective_locked_qty: '1e5' })!, /locked/)
  })

  test('are found by their path, of which parameters are a part', () => {
    assert.equal(answerProblem('GET', '/api/scan/v0/featured-apps/party::1220', 200, {}), undefined)
    assert.match(answerProblem('GET', '/api/scan/v0/unheard-of', 200, {})!, /no row/)
    assert.equal(answerProblem('POST', '/api/validator/v0/admin/users/offboard', 200, undefined), undefined)
    assert.match(answerProblem('POST', '/api/validator/v0/admin/users/offboard', 200, {})!, /./)
  })

  test('that refuse have an error, whatever the route', () => {
    assert.equal(answerProblem('GET', '/api/scan/v0/dso', 404, { error: 'no' }), undefined)
    assert.match(answerProblem('GET', '/api/scan/v0/dso', 404, { code: 'no' })!, /error/)
  })
})
