// Faults on order as published npm clients see them: what an application that uses one has to cope with.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { WebSocketClient } from '@canton-network/core-asyncapi-client'
import { LedgerClient } from '@canton-network/core-ledger-client'
import { SDK } from '@canton-network/wallet-sdk'
import pino from 'pino'
import { iouType, type Json, right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'

const silent = { log: () => undefined }
const refused = (code: string) => (error: Json) => error.code === code
/** What fetch throws if the connection ends before the answer. */
const lost = (error: unknown) => /fetch failed|terminated|socket|ECONNRESET/i.test(String(error))

describe('faults on order', () => {
  let ledger: TestLedger
  before(async () => {
    ledger = await startTestLedger()
    const rights = [right('CanActAs', ledger.alice), right('CanActAs', ledger.bank), right('CanExecuteAsAnyParty')]
    await ledger.node.call('POST', '/v2/users/participant_admin/rights', {
      body: { userId: 'participant_admin', identityProviderId: '', rights },
    })
  })
  beforeEach(() => ledger.node.call('DELETE', '/dev/faults'))
  after(() => ledger[Symbol.asyncDispose]())

  const order = async (body: object) => {
    const { status, text } = await ledger.node.call('POST', '/dev/faults', { body })
    assert.equal(status, 200, text)
  }
  const ious = async () =>
    (
      await ledger.node.call('POST', '/v2/state/active-contracts', {
        token: ledger.token,
        body: { activeAtOffset: await ledger.end(), eventFormat: { filtersByParty: { [ledger.alice]: {} } } },
      })
    ).json.length

  describe('reach core-ledger-client', () => {
    let client: LedgerClient
    before(async () => {
      client = new LedgerClient({
        baseUrl: new URL(ledger.node.url),
        logger: pino({ level: 'silent' }) as never,
        accessTokenProvider: { getAccessToken: async () => ledger.node.adminToken } as never,
      })
      await client.init()
    })
    const body = (commandId: string) =>
      ({
        ...{
          commands: [ledger.createIou()],
          commandId,
          actAs: [ledger.alice, ledger.bank],
          readAs: [],
          workflowId: '',
        },
        ...{
          userId: 'participant_admin',
          disclosedContracts: [],
          synchronizerId: '',
          packageIdSelectionPreference: [],
        },
      }) as never
    const submit = (commandId: string): Promise<Json> => client.post('/v2/commands/submit-and-wait', body(commandId))

    // Those that its own retries look for, and some that others do.
    const codes = [
      ...[
        'SEQUENCER_REQUEST_FAILED',
        'SEQUENCER_BACKPRESSURE',
        'SUBMISSION_ALREADY_IN_FLIGHT',
        'LOCAL_VERDICT_TIMEOUT',
      ],
      ...['NOT_SEQUENCED_TIMEOUT', 'NO_VIEW_WITH_VALID_RECIPIENTS', 'PARTICIPANT_BACKPRESSURE'],
      ...['LOCAL_VERDICT_LOCKED_CONTRACTS', 'CONTRACT_NOT_FOUND', 'SERVICE_NOT_RUNNING'],
    ]
    test('as the error that was ordered, and the next try succeeds', async () => {
      for (const code of codes) {
        await order({ match: { userId: 'participant_admin' }, fail: { code, message: `${code} as ordered` } })
        const commandId = `named-${code}`
        await assert.rejects(submit(commandId), (error: Json) => {
          assert.deepEqual([error.code, error.cause], [code, `${code} as ordered`])
          return true
        })
        assert.ok((await submit(commandId)).updateId)
      }
    })

    test('as one error: its retries heed gRPC errors only, so the application tries again', async () => {
      await order({ fail: { code: 'SEQUENCER_BACKPRESSURE' } })
      const options = { retries: 3, delayMs: 1, cantonErrorKeys: [] }
      const retried = () => client.postWithRetry('/v2/commands/submit-and-wait', body('again'), options)
      await assert.rejects(retried(), refused('SEQUENCER_BACKPRESSURE'))
      assert.ok(((await retried()) as Json).updateId)
    })

    test('as a delay', async () => {
      await order({ delayMs: 200 })
      const startedMs = performance.now()
      assert.ok((await submit('late')).updateId)
      assert.ok(performance.now() - startedMs >= 199)
    })

    test('as a lost answer; the same command id tells that it was recorded', async () => {
      const count = await ious()
      await order({ loseAnswer: true })
      await assert.rejects(submit('lost'), lost)
      await assert.rejects(submit('lost'), refused('DUPLICATE_COMMAND'))
      assert.equal(await ious(), count + 1)
    })
  })

  describe('reach wallet-sdk', () => {
    const connect = () => {
      const auth = { method: 'static', token: ledger.node.adminToken } as const
      return SDK.create({ auth, ledgerClientUrl: ledger.node.url, logAdapter: silent as never })
    }

    test('as errors, delays and lost answers of local parties', async () => {
      const sdk = await connect()
      const actAs = [ledger.alice, ledger.bank] as never
      const submit = (commandId: string) =>
        sdk.ledger.internal.submit({ commands: [ledger.createIou()] as never, actAs, commandId })
      const count = await ious()
      await order({ match: { templateId: 'Iou:Iou' }, fail: { code: 'SEQUENCER_BACKPRESSURE' } })
      await assert.rejects(submit('wallet'), refused('SEQUENCER_BACKPRESSURE'))
      await order({ match: { commandId: 'wallet' }, delayMs: 50 })
      assert.ok((await submit('wallet')).updateId)
      await order({ loseAnswer: true })
      await assert.rejects(submit('wallet-lost'), lost)
      await assert.rejects(submit('wallet-lost'), refused('DUPLICATE_COMMAND'))
      assert.equal(await ious(), count + 2)
    })

    test('as errors of a party whose key it holds', async () => {
      const sdk = await connect()
      const pair = sdk.keys.generate()
      const created = sdk.party.external.create(pair.publicKey, { partyHint: 'faulty' })
      const { partyId } = await created.sign(pair.privateKey).execute()
      const wallet = { CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner: partyId } } }
      const execute = async () => {
        const prepared = sdk.ledger.prepare({ partyId, commands: wallet as never })
        return (await prepared.sign(pair.privateKey).execute({ partyId })) as Json
      }
      await order({ match: { templateId: 'Wallet:Wallet' }, fail: { code: 'NOT_SEQUENCED_TIMEOUT' } })
      await assert.rejects(execute(), (error) => /NOT_SEQUENCED_TIMEOUT/.test(JSON.stringify(error) + String(error)))
      assert.match((await execute()).updateId, /^1220/)
    })
  })

  test('end the streams of core-asyncapi-client, which goes on where it was', async () => {
    const client = new WebSocketClient({
      baseUrl: ledger.node.url.replace(/^http/, 'ws'),
      accessTokenProvider: { getAccessToken: async () => ledger.token } as never,
      version: '3.5',
    })
    const offsets: number[] = []
    const begin = await ledger.end()
    /** Until the stream ends; returns its error, if it had one. */
    async function read(beginExclusive: number, onElement: () => void): Promise<Json> {
      const options = { beginExclusive, partyId: ledger.alice as never, templateIds: [iouType] }
      for await (const element of client.streamUpdates(options) as AsyncIterable<Json>) {
        if (element.code !== undefined) return element
        const offset = element.update?.Transaction?.value.offset
        if (offset === undefined) continue
        offsets.push(offset)
        onElement()
        if (offsets.length === 3) return undefined
      }
    }
    const { promise: seen, resolve: see } = Promise.withResolvers<void>()
    const first = read(begin, see)
    await ledger.submit([ledger.createIou()])
    await seen
    await order({ endStreams: true })
    await ledger.submit([ledger.createIou()])
    assert.equal((await first).code, 'SERVICE_NOT_RUNNING')
    await ledger.submit([ledger.createIou()])
    assert.equal(await read(offsets.at(-1)!, () => undefined), undefined)
    assert.deepEqual(offsets, [...new Set(offsets)])
    assert.equal(offsets.at(-1), await ledger.end())
  })
})
