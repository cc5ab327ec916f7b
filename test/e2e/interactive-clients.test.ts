// Published clients prepare, sign and execute over HTTP, and compute the hash that they are asked to sign:
// @canton-network/wallet-sdk, core-ledger-client and core-tx-visualizer.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { LedgerClient } from '@canton-network/core-ledger-client'
import { hashPreparedTransaction, parsePreparedTransaction } from '@canton-network/core-tx-visualizer'
import { SDK } from '@canton-network/wallet-sdk'
import pino from 'pino'
import { startSigningLedger } from '../fixtures/interactive.ts'
import { createTarget, doing, eventOf, exercise, target, targetType } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'
import { createOnboardingClient } from '../fixtures/onboarding.ts'
import { createSigner } from '../fixtures/signer.ts'

const walletType = '#quickstart:Wallet:Wallet'
const createWallet = (owner: string) => ({ CreateCommand: { templateId: walletType, createArguments: { owner } } })

test('wallet-sdk prepares, reads, signs and executes for a party whose key it holds', async () => {
  await using node = await startTestNode()
  const auth = { method: 'static', token: node.adminToken } as const
  const silent = { log() {} }
  const sdk = await SDK.create({ auth, ledgerClientUrl: node.url, logAdapter: silent as never })
  const pair = sdk.keys.generate()
  const { partyId } = await sdk.party.external
    .create(pair.publicKey, { partyHint: 'wallet' })
    .sign(pair.privateKey)
    .execute()

  const prepared = sdk.ledger.prepare({ partyId, commands: createWallet(partyId) as never })
  const { response } = await prepared.toJSON()
  const { preparedTransaction, preparedTransactionHash } = response
  assert.equal(await hashPreparedTransaction(preparedTransaction!), preparedTransactionHash)
  assert.equal((await sdk.utils.hash.preparedTransaction(preparedTransaction!)).toBase64(), preparedTransactionHash)
  const { metadata, transaction } = await prepared.decode()
  assert.deepEqual(metadata?.submitterInfo?.actAs, [partyId])
  assert.equal(transaction?.roots.length, 1)

  const { updateId, completionOffset } = (await prepared.sign(pair.privateKey).execute({ partyId })) as never as {
    updateId: string
    completionOffset: number
  }
  assert.match(updateId, /^1220[0-9a-f]{64}$/)
  const contracts = await sdk.ledger.acs.read({
    offset: completionOffset,
    parties: [partyId],
    filterByParty: true,
  } as never)
  assert.deepEqual(
    contracts.map((contract) => (contract.createArgument as { owner: string }).owner),
    [partyId],
  )
  const stranger = sdk.keys.generate()
  await assert.rejects(
    () =>
      sdk.ledger
        .prepare({ partyId, commands: createWallet(partyId) as never })
        .sign(stranger.privateKey)
        .execute({ partyId }) as Promise<unknown>,
    (error: unknown) => /Received 0 valid signatures/.test(JSON.stringify(error) + String(error)),
  )
})

test('wallet-sdk computes the hash of every kind of transaction', async () => {
  await using signing = await startSigningLedger()
  const { node } = signing.ledger
  const auth = { method: 'static', token: node.adminToken } as const
  const sdk = await SDK.create({ auth, ledgerClientUrl: node.url, logAdapter: { log() {} } as never })
  const who = await signing.newParty('hashed')
  const { contractId } = eventOf(await signing.run(who, createTarget([who.party], { first: 'one' })), 'CreatedEvent')
  const given = { tag: 'Given', value: contractId }
  const undone = {
    body: [
      { tag: 'Fetch', value: given },
      { tag: 'Throw', value: 'undo' },
    ],
    handler: { tag: 'Handle', value: [] },
  }
  const program = [
    { tag: 'Create', value: target([who.party]) },
    { tag: 'KeepByInterface', value: { target: { tag: 'Made', value: '0' }, argument: doing([who.party]) } },
    { tag: 'Try', value: undone },
    { tag: 'Before', value: '2100-01-01T00:00:00Z' },
  ]
  const command = exercise(targetType, contractId, 'Keep', doing([who.party], ...program))
  const { json } = await signing.prepare([command], { actAs: [who.party] })
  const { preparedTransaction, preparedTransactionHash } = json
  assert.equal((await sdk.utils.hash.preparedTransaction(preparedTransaction)).toBase64(), preparedTransactionHash)
})

test('core-ledger-client prepares and executes; core-tx-visualizer shows what is signed', async () => {
  await using node = await startTestNode()
  const client = new LedgerClient({
    baseUrl: new URL(node.url),
    logger: pino({ level: 'silent' }) as never,
    accessTokenProvider: { getAccessToken: async () => node.adminToken } as never,
  })
  await client.init()
  const signer = createSigner()
  const onboarding = await createOnboardingClient(node)
  const partyId: string = (await onboarding.onboard(signer, 'ledger', { userId: 'participant_admin' })).json.partyId
  const prepared = await client.postWithRetry('/v2/interactive-submission/prepare', {
    commandId: randomUUID(),
    userId: 'participant_admin',
    commands: [createWallet(partyId)],
    actAs: [partyId],
    readAs: [],
    disclosedContracts: [],
    synchronizerId: await client.getSynchronizerId(),
    verboseHashing: false,
    packageIdSelectionPreference: [],
  } as never)
  const { preparedTransaction, preparedTransactionHash } = prepared as {
    preparedTransaction: string
    preparedTransactionHash: string
  }
  assert.equal(await hashPreparedTransaction(preparedTransaction), preparedTransactionHash)
  const shown = parsePreparedTransaction(preparedTransaction)
  assert.deepEqual([shown.packageName, shown.moduleName, shown.entityName], ['quickstart', 'Wallet', 'Wallet'])
  assert.deepEqual(shown.signatories, [partyId])
  const signature = signer.sign(Buffer.from(preparedTransactionHash, 'base64'))
  const done = await client.postWithRetry('/v2/interactive-submission/executeAndWaitForTransaction', {
    preparedTransaction,
    hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V2',
    submissionId: randomUUID(),
    userId: 'participant_admin',
    deduplicationPeriod: { Empty: {} },
    partySignatures: { signatures: [{ party: partyId, signatures: [signature] }] },
  } as never)
  const { transaction } = done as { transaction: { externalTransactionHash: string; events: unknown[] } }
  assert.equal(transaction.externalTransactionHash, Buffer.from(preparedTransactionHash, 'base64').toString('hex'))
  assert.equal(transaction.events.length, 1)
})
