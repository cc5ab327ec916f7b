// A change during the lookup of a caller counts: the answer describes the caller at the moment it is given.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator, type FindUser } from './authentication.ts'
import { TokenRefused } from './token-refused.ts'
import type { TokenReader } from './tokens.ts'

const verified = {
  userId: 'reader',
  identityProviderId: 'acme',
  participantId: undefined,
  expiresAtMs: Number.POSITIVE_INFINITY,
}
const found = { user: { id: 'reader', identityProviderId: 'acme', isDeactivated: false }, rights: [] }

test('a token whose identity provider is deactivated while its user is read is refused', async () => {
  let isDeactivated = false
  const reading = Promise.withResolvers<typeof found>()
  const asked = Promise.withResolvers<void>()
  const readToken: TokenReader = () => {
    if (isDeactivated) throw new TokenRefused('acme is deactivated')
    return verified
  }
  const findUser: FindUser = () => {
    asked.resolve()
    return reading.promise
  }
  const authenticating = createAuthenticator({ readToken, findUser, checksRights: true })('token')
  await asked.promise
  isDeactivated = true
  reading.resolve(found)
  assert.deepEqual(await authenticating, { unauthenticated: 'acme is deactivated' })
})

test('a token whose user is known is read once', async () => {
  let reads = 0
  const readToken: TokenReader = () => {
    reads += 1
    return verified
  }
  const claims = await createAuthenticator({ readToken, findUser: () => found, checksRights: true })('token')
  assert.equal('userId' in claims && claims.userId, 'reader')
  assert.equal(reads, 1)
})
