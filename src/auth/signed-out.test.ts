// Sessions that were signed out: refused until their tokens expire, and no more of them remembered than a node can hold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../base/clock.ts'
import { createClaimsCheck } from './authentication.ts'
import { privilegedClaims } from './claims.ts'
import { createSignedOut } from './signed-out.ts'

test('a session that was signed out is remembered at least until its token expires, others are not', () => {
  const clock = createTestClock(1_000)
  const signedOut = createSignedOut(clock)
  signedOut.add('one', 5_000)
  assert.deepEqual([signedOut.has('one'), signedOut.has('other')], [true, false])
  clock.advance(3_000)
  signedOut.add('two', 9_000)
  assert.ok(signedOut.has('one'))
  clock.advance(1_000)
  signedOut.add('three', 9_000)
  assert.deepEqual([signedOut.has('one'), signedOut.has('two')], [false, true])
})

test('a thousand signed-out sessions are remembered, and older ones are forgotten', () => {
  const signedOut = createSignedOut(createTestClock(0))
  for (let index = 0; index < 1_001; index += 1) signedOut.add(`session ${index}`, 1_000)
  assert.deepEqual([signedOut.has('session 0'), signedOut.has('session 1')], [false, true])
})

test('a stream of a session that was signed out may not go on', async () => {
  const signedOut = createSignedOut(createTestClock(0))
  const stillMay = createClaimsCheck(() => undefined, signedOut)
  const token = { identityProviderId: '', participantId: undefined, expiresAtMs: 1_000, userId: 'participant_admin' }
  const claims = privilegedClaims('wildcard', { ...token, sessionId: 'one' })
  const ofCommandLine = privilegedClaims('wildcard', token)
  assert.ok(await stillMay(claims))
  signedOut.add('one', 1_000)
  assert.deepEqual([await stillMay(claims), await stillMay(ofCommandLine)], [false, true])
})
