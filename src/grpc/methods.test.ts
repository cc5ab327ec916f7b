import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { operationOf } from '../api/route.ts'
import { allRoutes } from '../api/routes/all.ts'
import { requirements } from '../auth/authorization.ts'
import { ledgerApi } from '../protobuf/ledger-api.ts'
import { rows } from './served-api.ts'

const prefix = 'com.daml.ledger.api.v2.'
const routes = new Map(allRoutes('0.0.0').map((route) => [operationOf(route), route]))
const methods = ledgerApi()
  .files.flatMap(({ services }) => services)
  .filter(({ fullName }) => fullName.startsWith(prefix))
  .flatMap(({ fullName, methods: all }) => all.map(({ name }) => `${fullName.slice(prefix.length)}/${name}`))

test('every row is a method, and equals an operation that there is', () => {
  for (const { method, operation, rightsOf } of rows) {
    assert.ok(methods.includes(method), method)
    assert.ok(operation === undefined || routes.has(operation), `${method}: ${operation}`)
    assert.ok(Object.hasOwn(requirements, operation ?? rightsOf!), method)
  }
  assert.equal(new Set(rows.map(({ method }) => method)).size, rows.length)
})

test('a method that streams equals an operation that streams', () => {
  const streaming = ledgerApi()
    .files.flatMap(({ services }) => services)
    .flatMap(({ fullName, methods: all }) =>
      all.filter((method) => method.isResponseStream).map(({ name }) => `${fullName.slice(prefix.length)}/${name}`),
    )
  for (const { method, operation } of rows) {
    if (streaming.includes(method)) assert.ok(routes.get(operation!)!.streaming, method)
  }
})

test('COMPAT.md says of every method whether it is there', () => {
  const cells = readFileSync('COMPAT.md', 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const known = new Set(rows.map(({ method }) => method))
  for (const method of methods) {
    const row = cells.find(([, name]) => name === `\`${method}\``)
    assert.ok(row, `COMPAT.md has no row for ${method}`)
    assert.equal(row[2] === 'yes' || row[2] === 'partly', known.has(method), method)
  }
})
