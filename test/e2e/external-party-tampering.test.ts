// After any change to what a party signed, or to its signature, the party is not onboarded. A failure names its seed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestNode } from '../fixtures/node.ts'
import { base64, createOnboardingClient } from '../fixtures/onboarding.ts'
import { fc } from '../fixtures/seed.ts'
import { createSigner, keySpecs } from '../fixtures/signer.ts'

const runs = 100

/** The same bytes with one bit flipped. */
function flipped(bytes: Buffer, place: number): Buffer {
  const changed = Buffer.from(bytes)
  const bit = place % (bytes.length * 8)
  changed[bit >> 3]! ^= 1 << (bit & 7)
  return changed
}

for (const keySpec of keySpecs) {
  test(`a flipped bit is detected, signed with ${keySpec}`, async () => {
    await using node = await startTestNode()
    const { generate, allocate, detailsOf } = await createOnboardingClient(node)
    const signer = createSigner(keySpec)
    const { json } = await generate({ partyHint: 'alice', publicKey: signer.publicKey })
    const transaction = Buffer.from(json.topologyTransactions[0], 'base64')
    const hash = Buffer.from(json.multiHash, 'base64')
    const signature = signer.sign(hash)
    const signed = Buffer.from(signature.signature, 'base64')

    const property = fc.asyncProperty(
      fc.constantFrom('transaction', 'signature', 'hash'),
      fc.nat({ max: 1_000_000 }),
      async (what, place) => {
        const sent = what === 'transaction' ? flipped(transaction, place) : transaction
        const given = what === 'signature' ? { ...signature, signature: base64(flipped(signed, place)) } : signature
        const answer = await allocate({
          onboardingTransactions: [{ transaction: base64(sent) }],
          multiHashSignatures: [what === 'hash' ? signer.sign(flipped(hash, place)) : given],
        })
        assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`)
      },
    )
    await fc.assert(property, { numRuns: runs })
    assert.equal(await detailsOf(json.partyId), undefined)
    const honest = await allocate({
      onboardingTransactions: [{ transaction: base64(transaction) }],
      multiHashSignatures: [signature],
    })
    assert.deepEqual(honest.json, { partyId: json.partyId })
  })
}

test('random bytes are refused', async () => {
  await using node = await startTestNode()
  const { allocate } = await createOnboardingClient(node)
  const property = fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
    const answer = await allocate({ onboardingTransactions: [{ transaction: base64(bytes) }] })
    assert.equal(answer.status, 400, answer.text)
  })
  await fc.assert(property, { numRuns: runs })
})
