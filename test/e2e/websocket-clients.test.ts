// Published npm clients on the streams of a running node.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { WebSocketClient } from '@canton-network/core-asyncapi-client'
import { SDK } from '@canton-network/wallet-sdk'
import { holdingType, iouType, type Json, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'

const silent = { log: () => undefined }

describe('the official clients', () => {
  let ledger: TestLedger
  let commandId: string
  before(async () => {
    ledger = await startTestLedger()
    const { transaction } = await ledger.submit([ledger.createIou()], { userId: 'app' })
    commandId = transaction.commandId
  })
  after(() => ledger[Symbol.asyncDispose]())

  const webSocketUrl = () => ledger.node.url.replace(/^http/, 'ws')

  /** Elements without checkpoints, until there are enough; then the client closes. */
  async function take(stream: AsyncIterable<unknown>, count: number): Promise<Json[]> {
    const taken: Json[] = []
    for await (const element of stream as AsyncIterable<Json>) {
      assert.equal(element.code, undefined, JSON.stringify(element))
      if (element.update?.OffsetCheckpoint || element.completionResponse?.OffsetCheckpoint) continue
      taken.push(element)
      if (taken.length === count) break
    }
    return taken
  }

  describe('core-asyncapi-client', () => {
    const client = (version: '3.4' | '3.5') =>
      new WebSocketClient({
        baseUrl: webSocketUrl(),
        accessTokenProvider: { getAccessToken: async () => ledger.token } as never,
        version,
      })

    for (const version of ['3.4', '3.5'] as const) {
      test(`of ${version} streams updates up to an end`, async () => {
        const options = { beginExclusive: 0, endInclusive: await ledger.end(), partyId: ledger.alice as never }
        const updates = client(version).streamUpdates({ ...options, templateIds: [iouType] })
        const [first] = await take(updates, Number.POSITIVE_INFINITY)
        assert.equal(first.update.Transaction.value.events[0].CreatedEvent.createArgument.currency, 'EUR')
      })
    }

    test('streams updates by interface, as they come', async () => {
      const beginExclusive = await ledger.end()
      const updates = client('3.5').streamUpdates({
        beginExclusive,
        partyId: ledger.alice as never,
        interfaceIds: [holdingType],
      })
      const taken = take(updates, 1)
      const { transaction } = await ledger.submit([ledger.createIou()])
      const [{ update }] = await taken
      assert.equal(update.Transaction.value.updateId, transaction.updateId)
      assert.equal(update.Transaction.value.events[0].CreatedEvent.interfaceViews.length, 1)
    })

    test('streams completions', async () => {
      const parties = [ledger.alice as never]
      const completions = client('3.5').streamCompletions({ beginExclusive: 0, userId: 'app', parties })
      const [{ completionResponse }] = await take(completions, 1)
      assert.equal(completionResponse.Completion.value.commandId, commandId)
    })
  })

  describe('wallet-sdk', () => {
    const create = () => {
      const auth = { method: 'static', token: ledger.token } as const
      return SDK.create({
        auth,
        ledgerClientUrl: ledger.node.url,
        logAdapter: silent as never,
        events: { auth, websocketURL: webSocketUrl() },
      })
    }

    test('sdk.events.updates streams updates, although it writes two slashes', async () => {
      const { events } = await create()
      const [{ update }] = await take(
        events.updates({ beginOffset: 0, partyId: ledger.alice as never, templateIds: [iouType] }),
        1,
      )
      assert.equal(update.Transaction.value.commandId, commandId)
    })

    test('sdk.events.completions streams completions', async () => {
      const { events } = await create()
      const parties = [ledger.alice as never]
      const [{ completionResponse }] = await take(events.completions({ beginOffset: 0, parties }), 1)
      assert.equal(completionResponse.Completion.value.commandId, commandId)
    })
  })
})
