import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHocon } from './hocon.ts'

const text = `
# who we are
pipeline {
  oauth {
    clientId = "a client" // of Keycloak
    clientSecret: \${SECRET}
    scope = \${?NONE}
    parameters { audience = "https://x, y" }
  }
  ledger.start = Genesis
}
target.postgres { host = localhost, port = 5432 }
health.port=8091
`

test('nested objects, dotted keys, comments and variables are read', () => {
  assert.deepEqual(Object.fromEntries(readHocon(text, 'pqs.conf', { SECRET: 's' })), {
    'pipeline.oauth.clientId': 'a client',
    'pipeline.oauth.clientSecret': 's',
    'pipeline.oauth.parameters.audience': 'https://x, y',
    'pipeline.ledger.start': 'Genesis',
    'target.postgres.host': 'localhost',
    'target.postgres.port': '5432',
    'health.port': '8091',
  })
})

const mistakes: readonly [text: string, message: RegExp][] = [
  [`a = \${MISSING}`, /the variable MISSING is not set/],
  ['a { b = 1', /pqs.conf ends within an object/],
  ['}', /pqs.conf:1 is not understood: \}/],
  ['x = 1\ninclude "other"', /pqs.conf:2 is not understood: include "other"/],
]
for (const [given, message] of mistakes) {
  test(`${JSON.stringify(given)} is refused`, () => assert.throws(() => readHocon(given, 'pqs.conf', {}), { message }))
}
