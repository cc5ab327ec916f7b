// Published clients onboard external parties over HTTP and compute the same hashes: @canton-network/wallet-sdk,
// core-ledger-client and core-tx-visualizer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LedgerClient } from '@canton-network/core-ledger-client'
import {
  computeMultiHashForTopology,
  computeSha256CantonHash,
  decodeTopologyTransaction,
} from '@canton-network/core-tx-visualizer'
import { SDK } from '@canton-network/wallet-sdk'
import pino from 'pino'
import { LooseMessage } from '../../src/protobuf/loose-message.ts'
import { startTestNode } from '../fixtures/node.ts'
import { base64 } from '../fixtures/onboarding.ts'
import { createSigner } from '../fixtures/signer.ts'

/** Canton's numbers for the purposes of hashes. */
const transactionPurpose = 11
const multiPurpose = 55

test('wallet-sdk creates a party from its own key, and gets the right to act as it', async () => {
  await using node = await startTestNode()
  const auth = { method: 'static', token: node.adminToken } as const
  const silent = { log() {} }
  const sdk = await SDK.create({ auth, ledgerClientUrl: node.url, logAdapter: silent as never })
  const pair = sdk.keys.generate()
  const prepared = sdk.party.external.create(pair.publicKey, { partyHint: 'wallet' })
  const party = await prepared.sign(pair.privateKey).execute()
  assert.equal(party.publicKeyFingerprint, await sdk.keys.fingerprint(pair.publicKey))
  assert.equal(party.partyId, `wallet::${party.publicKeyFingerprint}`)
  const { json } = await node.call('GET', `/v2/parties/${encodeURIComponent(party.partyId)}`)
  assert.equal(json.partyDetails[0].isLocal, true)
  const { rights } = await sdk.user.rights.list()
  assert.ok(JSON.stringify(rights).includes(party.partyId))
})

test('core-ledger-client allocates what it generated; core-tx-visualizer reads it and computes the same hash', async () => {
  await using node = await startTestNode()
  const client = new LedgerClient({
    baseUrl: new URL(node.url),
    logger: pino({ level: 'silent' }) as never,
    accessTokenProvider: { getAccessToken: async () => node.adminToken } as never,
  })
  await client.init()
  const synchronizer = await client.getSynchronizerId()
  const signer = createSigner()
  const rawKey = base64(signer.keyData.subarray(-32))
  const topology = await client.generateTopology(synchronizer, rawKey, 'visualized')
  const transactions = topology.topologyTransactions!.map((text) => Buffer.from(text, 'base64'))

  const hashes = await Promise.all(transactions.map((bytes) => computeSha256CantonHash(transactionPurpose, bytes)))
  const combined = await computeSha256CantonHash(multiPurpose, await computeMultiHashForTopology(hashes))
  assert.equal(base64(combined), topology.multiHash)

  const content = new LooseMessage(transactions[0]!, 'test').bytes(1)!
  const { operation, serial, mapping } = decodeTopologyTransaction(base64(content))
  assert.deepEqual([operation, serial, mapping?.mapping.oneofKind], [1, 1, 'partyToParticipant'])
  assert.ok(mapping?.mapping.oneofKind === 'partyToParticipant')
  const { party, participants } = mapping.mapping.partyToParticipant
  assert.deepEqual([party, participants[0]?.participantUid], [topology.partyId, node.node.participantId])

  const onboarding = topology.topologyTransactions!.map((transaction) => ({ transaction, signatures: [] }))
  const answer = await client.allocateExternalParty(synchronizer, onboarding, [signer.sign(combined)])
  assert.equal(answer.partyId, topology.partyId)
  assert.equal(await client.checkIfPartyExists(topology.partyId), true)
})
