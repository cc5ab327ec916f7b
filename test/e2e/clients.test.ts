// Published clients against a node over HTTP: @canton-network/core-ledger-client and @canton-network/wallet-sdk. Each
// does what a small application does, from connecting to reading back.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { LedgerClient, type PostEndpoint } from '@canton-network/core-ledger-client'
import { LedgerProvider, SDK } from '@canton-network/wallet-sdk'
import pino from 'pino'
import {
  effects,
  effectsDar,
  filtersFor,
  iouType,
  type Json,
  keys,
  keysDar,
  quickstart,
  right,
} from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'

const createIou = (bank: string, alice: string, amount = '10') => ({
  CreateCommand: {
    templateId: iouType,
    createArguments: { issuer: bank, owner: alice, amount, currency: 'EUR', observers: [] },
  },
})

const ledgerEffects = (party: string) => ({
  includeTransactions: {
    eventFormat: { ...filtersFor([party]), verbose: false },
    transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
  },
})

describe('@canton-network/core-ledger-client', () => {
  test('supports a whole application', async () => {
    await using node = await startTestNode()
    const { client, get, post } = await connect(node)
    assert.equal(client.getCurrentClientVersion(), '3.5')
    assert.equal(
      await client.getSynchronizerId(),
      (await node.call('GET', connected)).json.connectedSynchronizers[0].synchronizerId,
    )

    const party = async (partyIdHint: string): Promise<string> => {
      const request = { partyIdHint, identityProviderId: '', synchronizerId: '', userId: '' }
      return (await post('/v2/parties', request)).partyDetails.party
    }
    const [alice, bank] = [await party('alice'), await party('bank')]
    assert.equal(await client.checkIfPartyExists(alice), true)
    assert.equal(await client.checkIfPartyExists(alice.replace('alice', 'nobody')), false)

    assert.equal((await client.createUser('app', alice)).primaryParty, alice)
    await client.waitForPartyAndGrantUserRights('app', bank, 2, 1)
    const granted = await client.grantRights('participant_admin', { actAs: [alice, bank], readAs: [alice, bank] })
    assert.equal(granted.newlyGrantedRights!.length, 4)
    const again = await client.grantRights('participant_admin', { actAs: [alice, bank] })
    assert.deepEqual(again.newlyGrantedRights, [])

    await upload(client, keysDar)
    await upload(client, keysDar)
    assert.ok((await get('/v2/packages')).packageIds.includes(keys))

    const commands = (commandId: string) => ({
      ...{ commands: [createIou(bank, alice)], commandId, actAs: [alice, bank], readAs: [], workflowId: '' },
      ...{ userId: 'participant_admin', disclosedContracts: [], synchronizerId: '', packageIdSelectionPreference: [] },
    })
    const { updateId, completionOffset } = await post('/v2/commands/submit-and-wait', commands('first'))
    const end = await get('/v2/state/ledger-end')
    assert.equal(end.offset, completionOffset)

    assert.deepEqual(await post('/v2/commands/async/submit', commands('second')), {})
    const completion = await until(async () => {
      const completions = await post(
        '/v2/commands/completions',
        { userId: 'participant_admin', parties: [alice], beginExclusive: end.offset },
        { query: { limit: '5', stream_idle_timeout_ms: '1000' } },
      )
      return completions.map(({ completionResponse }: Json) => completionResponse.Completion?.value).find(Boolean)
    })
    assert.deepEqual([completion.commandId, completion.status.code], ['second', 0])

    const active = await post('/v2/state/active-contracts', {
      ...{ filter: filtersFor([alice]), verbose: false, activeAtOffset: completion.offset },
    })
    const events = active.map(({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent)
    assert.deepEqual(
      events.map(({ createArgument }: Json) => createArgument.amount),
      ['10.0000000000', '10.0000000000'],
    )

    const range = { beginExclusive: 0, endInclusive: completion.offset, verbose: false }
    const updates = await post('/v2/updates', { ...range, updateFormat: ledgerEffects(alice) })
    assert.deepEqual(
      updates.map(({ update }: Json) => update.Transaction.value.commandId),
      ['first', 'second'],
    )
    const older = await post('/v2/updates/flats', { ...range, filter: filtersFor([alice]) })
    assert.equal(older.length, 2)
    const format = { updateFormat: ledgerEffects(alice) }
    const byOffset = await post('/v2/updates/update-by-offset', { offset: completionOffset, ...format })
    const byId = await post('/v2/updates/update-by-id', { updateId, ...format })
    assert.equal(byOffset.update.Transaction.value.updateId, updateId)
    assert.deepEqual(byId, byOffset)
    const lookUp = { updateId, requestingParties: [alice] }
    assert.equal((await post('/v2/updates/transaction-by-id', lookUp)).transaction.offset, completionOffset)
    const { contractId } = events[0]
    const found = await post('/v2/events/events-by-contract-id', { contractId, eventFormat: filtersFor([alice]) })
    assert.deepEqual([found.created.createdEvent.contractId, found.archived], [contractId, null])
  })

  test('gets errors in the form it looks for', async () => {
    await using node = await startTestNode()
    const { client, get } = await connect(node)
    const refused = async (call: Promise<unknown>) =>
      (
        await call.then(
          () => assert.fail('is answered'),
          (error) => error as Json,
        )
      ).code
    assert.equal(await refused(get('/v2/users/{user-id}', { path: { 'user-id': 'nobody' } })), 'USER_NOT_FOUND')
    await client.createUser('app', '')
    assert.equal((await client.createUser('app', '')).id, 'app') // It first checks whether the user exists.
  })
})

describe('@canton-network/wallet-sdk', () => {
  test('supports a wallet with local parties', async () => {
    await using node = await startTestNode()
    const auth = { method: 'static', token: node.adminToken } as const
    const silent = { log() {} }
    const sdk = await SDK.create({ auth, ledgerClientUrl: node.url, logAdapter: silent as never })

    const alice = await sdk.party.internal.allocate({ partyHint: 'alice' })
    assert.equal(await sdk.party.internal.allocate({ partyHint: 'alice' }), alice)
    const bank = await sdk.party.internal.allocate({ partyHint: 'bank' })
    await sdk.user.rights.grant({ userRights: { actAs: [alice, bank], readAs: [alice] } })
    assert.equal(
      (await sdk.user.create({ userId: 'app', primaryParty: alice, userRights: { actAs: [alice] } })).id,
      'app',
    )
    const { rights } = await sdk.user.rights.list()
    assert.ok(JSON.stringify(rights).includes(bank))
    assert.ok((await sdk.user.list()).users!.some(({ id }) => id === 'app'))

    assert.deepEqual([await sdk.ledger.dar.check(quickstart), await sdk.ledger.dar.check(effects)], [true, false])
    await sdk.ledger.dar.upload(readFileSync(effectsDar), effects)
    assert.equal(await sdk.ledger.dar.check(effects), true)

    const submitted = await sdk.ledger.internal.submit({
      ...{ commands: [createIou(bank, alice, '5')], actAs: [alice, bank], commandId: 'first' },
    })
    assert.equal(await sdk.ledger.ledgerEnd(), submitted.completionOffset)
    const read = { parties: [alice], filterByParty: true, templateIds: [iouType] }
    const iou = { owner: alice, amount: '5.0000000000' }
    const [contract, ...others] = await sdk.ledger.acs.read(read)
    const { owner, amount } = contract!.createArgument as Json
    assert.deepEqual([{ owner, amount }, others], [iou, []])
    assert.equal((await sdk.ledger.acsReader.raw.read(read)).length, 1)
    assert.equal((await sdk.ledger.acs.readRaw({ ...read, continueUntilCompletion: true })).length, 1)
  })

  test('reaches everything else through its provider', async () => {
    await using node = await startTestNode()
    const accessTokenProvider = { getAccessToken: async () => node.adminToken }
    const provider = new LedgerProvider({ baseUrl: node.url, accessTokenProvider } as never)
    const request = (requestMethod: string, resource: string, rest: object = {}): Promise<Json> =>
      provider.request({ method: 'ledgerApi', params: { requestMethod, resource, ...rest } } as never)
    assert.equal((await request('get', '/v2/version')).version.slice(0, 3), '3.5')
    const body = { userId: 'participant_admin', rights: [right('CanReadAsAnyParty')], identityProviderId: '' }
    await request('post', '/v2/users/{user-id}/rights', { path: { 'user-id': 'participant_admin' }, body })
    const atStart = { body: { beginExclusive: 0, endInclusive: 0, ...everything } }
    await assert.rejects(request('post', '/v2/updates', atStart), { code: 'NON_POSITIVE_OFFSET' })
    const page = await request('post', '/v2/package-vetting/list', { body: {} })
    assert.ok(page.vettedPackages.length > 0)
  })
})

const connected = '/v2/state/connected-synchronizers'
const everything = { filter: { filtersByParty: {}, filtersForAnyParty: {} }, verbose: false }

/** A connected client; tests access its answers freely. */
async function connect(node: TestNode) {
  const getAccessToken = async () => node.adminToken
  const client = new LedgerClient({
    baseUrl: new URL(node.url),
    logger: pino({ level: 'silent' }) as never,
    accessTokenProvider: { getAccessToken } as never,
  })
  await client.init()
  return {
    client,
    get: (path: string, params: object = {}): Promise<Json> => client.get(path as never, params),
    post: (path: string, body: object, params: object = {}): Promise<Json> =>
      client.postWithRetry(path as PostEndpoint, body as never, undefined, params),
  }
}

async function upload(client: LedgerClient, path: string): Promise<void> {
  await client.post(
    '/v2/packages',
    readFileSync(path) as never,
    {},
    {
      bodySerializer: (body: unknown) => body as never,
      headers: { 'Content-Type': 'application/octet-stream' },
    },
  )
}
