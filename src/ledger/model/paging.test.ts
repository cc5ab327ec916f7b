// Page tokens: what is written can be read back, and everything else is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText } from '../../../test/fixtures/any-text.ts'
import { fc } from '../../../test/fixtures/seed.ts'
import { LedgerError } from '../../base/errors.ts'
import { partyProblem, userIdProblem } from '../../base/names.ts'
import { pageTokenOf, readPageToken } from './paging.ts'

const isUserId = (text: string) => userIdProblem(text) === undefined
const isParty = (text: string) => partyProblem(text) === undefined

const refused = (error: unknown) =>
  error instanceof LedgerError &&
  error.code === 'INVALID_ARGUMENT' &&
  error.message === 'The submitted request has invalid arguments: Invalid page token'

test('a token is the protobuf message that Canton writes, in base64url', () => {
  assert.equal(pageTokenOf('alice'), Buffer.from('\n\u0005alice').toString('base64'))
  assert.equal(readPageToken('CgVhbGljZQ==', isUserId), 'alice')
  assert.equal(readPageToken('CgVhbGljZQ', isUserId), 'alice')
})

test('the empty token asks for the first page', () => assert.equal(readPageToken('', isUserId), ''))

test('every id comes back from its token, the longest ones too', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9:_ -]{1,255}$/), (party) => {
      const token = pageTokenOf(party)
      assert.match(token, /^[\w-]+={0,2}$/)
      assert.equal(readPageToken(token, isParty), party)
    }),
  )
  for (const length of [1, 127, 128, 255]) {
    const party = 'x'.repeat(length)
    assert.equal(readPageToken(pageTokenOf(party), isParty), party)
  }
})

test('a token that the node did not write is refused', () => {
  const base64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64url')
  const rows = [
    'x',
    '%%%',
    'CgVhbGljZQ===',
    'CgVhbGlj ZQ==',
    'a+b/',
    base64(0x0a), // No length.
    base64(0x0a, 0), // No id.
    base64(0x0a, 2, 0x61), // Too short.
    base64(0x0a, 1, 0x61, 0x62), // Too long.
    base64(0x12, 1, 0x61), // Another field.
    base64(0x0a, 1, 0xff), // Not text.
    base64(0x0a, 1, 0), // Text, but no id.
    base64(0x0a, 0x81, 0x80, 0x80, 0x61), // An endless length.
    pageTokenOf('a b'), // A party, not a user.
    pageTokenOf('é'),
    'A'.repeat(100_000),
  ]
  for (const token of rows) assert.throws(() => readPageToken(token, isUserId), refused, token.slice(0, 40))
})

test('any text is an id of the right kind or refused', () => {
  const text = fc.oneof(
    anyText(),
    fc.base64String(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
  )
  fc.assert(
    fc.property(text, (token) => {
      try {
        const id = readPageToken(token, isUserId)
        assert.ok(id === '' ? token === '' : isUserId(id))
      } catch (error) {
        assert.ok(refused(error), String(error))
      }
    }),
  )
})
