// Participants of a network that are disconnected: what they miss meanwhile, and get when they return.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Json } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import { stores } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'

const proposal = (issuer: string, owner: string, currency = 'EUR') => ({
  CreateCommand: {
    templateId: '#quickstart:Iou:IouProposal',
    createArguments: { iou: { issuer, owner, amount: '10.0', currency, observers: [] } },
  },
})

let last = 0

async function submit(at: TestParticipant, party: string, command: object, synchronizerId: string): Promise<Json> {
  const commands = { commands: [command], commandId: `command-${++last}`, userId: 'u', actAs: [party], synchronizerId }
  return (await at.ask('/v2/commands/submit-and-wait-for-transaction', { commands })).transaction
}

async function connect(at: TestParticipant, alias: string, isConnected: boolean): Promise<void> {
  await at.ask(`/v2/synchronizers/${alias}/${isConnected ? 'connect' : 'disconnect'}`, {})
}

/** Settles when the participant's ledger has reached this offset. */
async function reaches(at: TestParticipant, offset: number): Promise<void> {
  await until(async () => (await at.end()) >= offset)
}

/** Ids and record times of all updates, transactions and topology. */
async function updatesAt(at: TestParticipant): Promise<Json[]> {
  const updateFormat = {
    includeTransactions: {
      eventFormat: { filtersForAnyParty: {}, verbose: false },
      transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
    },
    includeTopologyEvents: { includeParticipantAuthorizationEvents: {} },
  }
  const body = { beginExclusive: 0, endInclusive: await at.end(), verbose: false, updateFormat }
  const found: Json[] = await at.ask('/v2/updates?limit=1000', body)
  return found.flatMap(({ update }) => {
    const { Transaction, TopologyTransaction } = update
    const value = (Transaction ?? TopologyTransaction)?.value
    return value === undefined
      ? []
      : [{ updateId: value.updateId, recordTime: value.recordTime, synchronizerId: value.synchronizerId }]
  })
}

for (const store of stores) {
  describe(`a participant that was disconnected, on ${store}`, () => {
    test('gets what it missed in order, once each, with its next offsets', async () => {
      await using opened = await startOn(store)
      const { network, alice, bob } = opened
      const { v1, v2, s1, s2 } = network
      await connect(v2, 'synchronizer-1', false)
      const before = await v2.end()
      const missed = []
      for (const currency of ['A', 'B', 'C']) missed.push(await submit(v1, alice, proposal(alice, bob, currency), s1))
      const dave = await v1.allocate('dave', s1)
      assert.equal(await v2.end(), before)
      const other = await submit(v1, alice, proposal(alice, bob, 'D'), s2) // The other synchronizer goes on.
      assert.equal(await v2.end(), before + 1)

      await connect(v2, 'synchronizer-1', true)
      await reaches(v2, before + 5)
      const seen = (await updatesAt(v2)).slice(-5)
      const sent = [other, ...missed].map(({ updateId, recordTime, synchronizerId }) => {
        return { updateId, recordTime, synchronizerId }
      })
      assert.deepEqual(seen.slice(0, 4), sent)
      assert.deepEqual(
        seen[4],
        (await updatesAt(v1)).find(({ updateId }) => updateId === seen[4].updateId),
      )
      assert.equal((await v2.ask(`/v2/parties/${dave}`)).partyDetails.length, 1)
      const next = await submit(v1, alice, proposal(alice, bob, 'E'), s1)
      assert.equal((await updatesAt(v2)).at(-1).updateId, next.updateId)
      assert.equal(await v2.end(), before + 6)
    })

    test('gets it after a restart too', async () => {
      await using opened = await startOn(store)
      const { network, alice, bob } = opened
      const { v1, v2, s1 } = network
      await connect(v2, 'synchronizer-1', false)
      const before = await v2.end()
      const { updateId } = await submit(v1, alice, proposal(alice, bob), s1)
      await network.node.restart()
      assert.equal(await v2.end(), before)
      await connect(v2, 'synchronizer-1', true)
      await reaches(v2, before + 1)
      assert.equal((await updatesAt(v2)).at(-1).updateId, updateId)
      await network.node.restart()
      assert.equal(await v2.end(), before + 1)
    })
  })
}

type Opened = AsyncDisposable & { readonly network: TestNetwork; readonly alice: string; readonly bob: string }

async function startOn(store: (typeof stores)[number]): Promise<Opened> {
  const network = await startTestNetwork({ store })
  const { v1, v2, s1, s2 } = network
  const alice = await v1.allocate('alice', s1, s2)
  const bob = await v2.allocate('bob', s1, s2)
  return { network, alice, bob, [Symbol.asyncDispose]: () => network[Symbol.asyncDispose]() }
}
