// Participants of a network that are disconnected: what they miss meanwhile, and get when they return.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { confirmationClock } from '../fixtures/confirmation-clock.ts'
import { filtersFor, type Json } from '../fixtures/ledger.ts'
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

const exercise = (contractId: string, choice: string, choiceArgument: object) => ({
  ExerciseCommand: { templateId: '#quickstart:Iou:Iou', contractId, choice, choiceArgument },
})

describe('a command that a participant which is away has to confirm', () => {
  const { clock, timeOut, expireRequests, waiting } = confirmationClock()
  let network: TestNetwork
  let [alice, bob, dave, carol] = ['', '', '', '']

  before(async () => {
    network = await startTestNetwork({ clock, store: 'sqlite', settings: { limits: { stopWithinMs: 6000 } } })
    const { v1, v2, v3, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    dave = await v1.allocate('dave', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
    carol = await v3.allocate('carol', s2)
  })
  after(() => network[Symbol.asyncDispose]())

  /** An IOU of bob to alice, which both sign. */
  async function iou(synchronizerId: string): Promise<string> {
    const { v1, v2 } = network
    const proposed = await submit(v2, bob, proposal(bob, alice), synchronizerId)
    const { contractId } = proposed.events[0].CreatedEvent
    const accepting = {
      ExerciseCommand: {
        templateId: '#quickstart:Iou:IouProposal',
        contractId,
        choice: 'IouProposal_Accept',
        choiceArgument: {},
      },
    }
    const accepted = await submit(v1, alice, accepting, synchronizerId)
    return accepted.events.find(({ CreatedEvent }: Json) => CreatedEvent !== undefined).CreatedEvent.contractId
  }

  /** Asks without waiting for the answer. */
  function send(party: string, command: object, synchronizerId: string, commandId: string) {
    const commands = { commands: [command], commandId, userId: 'u', actAs: [party], synchronizerId }
    return network.v1.post('/v2/commands/submit-and-wait-for-transaction', { commands })
  }

  /** How many wait in the line of the first participant on the second synchronizer. */
  const isBehind = (count: number) => isBehindOn(1, count)

  async function isBehindOn(synchronizer: number, count: number): Promise<void> {
    await until(async () => {
      const { participants } = await network.v1.ask('/dev/network')
      return participants[0].synchronizers[synchronizer].waiting === count
    })
  }

  const isPending = (count: number) => until(() => waiting() === count)

  test('is decided when the participant returns, with the record time of its sequencing', async () => {
    const { v1, v2, v3, s1, s2 } = network
    const contractId = await iou(s2)
    await connect(v2, 'synchronizer-2', false)
    const [end1, end2] = [await v1.end(), await v2.end()]
    const split = send(alice, exercise(contractId, 'Iou_Split', { amount: '3.0' }), s2, 'split')
    await isPending(1)
    // Behind it nothing is published here, of any user; the contract is locked.
    const second = send(alice, exercise(contractId, 'Iou_Split', { amount: '4.0' }), s2, 'second')
    await isBehind(2)
    const daves = send(dave, proposal(dave, carol), s2, 'daves')
    await isBehind(3)
    await until(async () => (await v3.end()) > 0 && (await proposalsAt(v3, carol)).length === 1)
    assert.equal(await v1.end(), end1)
    // Other synchronizers go on, and other participants.
    const elsewhere = await submit(v1, alice, proposal(alice, bob), s1)
    assert.equal(elsewhere.offset, end1 + 1)
    const carols = await submit(v3, carol, proposal(carol, alice), s2)
    const party = v1.post('/v2/parties', { partyIdHint: 'erin', synchronizerId: s2 })
    assert.equal(await v1.end(), end1 + 1)
    assert.equal(await v2.end(), end2 + 1)

    await connect(v2, 'synchronizer-2', true)
    const first = (await split).json.transaction
    const locked = await second
    const third = (await daves).json.transaction
    assert.equal((await party).status, 200)
    assert.equal(waiting(), 0)
    const psid = locked.json.context.psid
    assert.deepEqual(
      [locked.status, locked.json.code, locked.json.cause, locked.json.retryInfo],
      [409, 'LOCAL_VERDICT_LOCKED_CONTRACTS', 'Rejected transaction is referring to locked contracts ', '1 second'],
    )
    assert.deepEqual(locked.json.context, {
      participant: 'sandbox',
      CONTRACT_ID: `List(${contractId})`,
      reported_by_participant_id: `PAR::${v1.participantId}`,
      psid,
      confirming_parties: [alice, v1.participantId].toSorted().join(', '),
      category: '2',
      tid: locked.json.traceId,
      definite_answer: 'false',
    })
    assert.deepEqual(locked.json.resources, [['ErrorResource(CONTRACT_ID)', contractId]])
    const timeOf = ({ recordTime }: Json) => recordTime.slice(0, -1) // Without the Z, such texts sort by time.
    assert.ok(first.offset < third.offset && timeOf(first) < timeOf(third))
    const here = (await updatesAt(v1)).slice(-5).map(({ updateId }) => updateId)
    assert.deepEqual(
      here.slice(0, 4),
      [elsewhere, first, third, carols].map(({ updateId }) => updateId),
    )
    await until(async () => (await updatesAt(v2)).some(({ updateId }) => updateId === first.updateId))
    const there = (await updatesAt(v2)).find(({ updateId }) => updateId === first.updateId)
    assert.equal(there.recordTime, first.recordTime)
  })

  test('times out if it does not, and its contracts are free again', async () => {
    const { v2, s1 } = network
    const contractId = await iou(s1)
    await connect(v2, 'synchronizer-1', false)
    const before = await updatesAt(v2)
    const split = send(alice, exercise(contractId, 'Iou_Split', { amount: '3.0' }), s1, 'late')
    await isPending(1)
    const show = () => send(alice, exercise(contractId, 'Iou_Show', { viewers: [] }), s1, 'show')
    // Whether it is archived is not known, so it cannot be used at all.
    const shown = show()
    await isBehindOn(0, 2)
    timeOut()
    const refused = await split
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.json, {
      code: 'MEDIATOR_SAYS_TX_TIMED_OUT',
      cause:
        'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe.',
      correlationId: null,
      traceId: null,
      context: { unresponsiveParties: bob, category: '2' },
      resources: [],
      errorCategory: 2,
      grpcCodeValue: 10,
      retryInfo: '1 second',
      definiteAnswer: null,
    })
    await connect(v2, 'synchronizer-1', true)
    const locked = await shown
    assert.deepEqual([locked.status, locked.json.code], [409, 'LOCAL_VERDICT_LOCKED_CONTRACTS'])
    assert.equal((await show()).status, 200)
    const again = await send(alice, exercise(contractId, 'Iou_Split', { amount: '3.0' }), s1, 'late')
    assert.equal(again.status, 200, again.text)
    await until(async () => (await updatesAt(v2)).length === before.length + 2)
    const late = await completionsOf('late')
    assert.deepEqual(
      late.map(({ status }) => [status.code, status.message]),
      [
        [10, `MEDIATOR_SAYS_TX_TIMED_OUT(2,0): ${refused.json.cause}`],
        [0, ''],
      ],
    )
    const [info, retry] = late[0].status.details
    assert.deepEqual(info.valueDecoded.metadata, { unresponsiveParties: bob, category: '2' })
    assert.equal(retry.typeUrl, 'type.googleapis.com/google.rpc.RetryInfo')
  })

  test('is answered 503 in plain text if the request takes too long, and completed later', async () => {
    const { v1, v2, s2 } = network
    const contractId = await iou(s2)
    await connect(v2, 'synchronizer-2', false)
    const split = send(alice, exercise(contractId, 'Iou_Split', { amount: '3.0' }), s2, 'slow')
    await isPending(1)
    expireRequests()
    const { status, type, text } = await split
    assert.deepEqual(
      [status, type, text],
      [
        503,
        'text/plain; charset=UTF-8',
        'The server was not able to produce a timely response to your request.\r\nPlease try again in a short while!',
      ],
    )
    assert.deepEqual(await completionsOf('slow'), [])
    await connect(v2, 'synchronizer-2', true)
    await until(async () => (await completionsOf('slow')).length === 1)
    const [{ status: outcome, updateId }] = await completionsOf('slow')
    assert.equal(outcome.code, 0)
    assert.equal((await updatesAt(v1)).at(-1).updateId, updateId)
  })

  test('is not there after a restart, and nothing waits for it', async () => {
    const { v1, v2, v3, s2 } = network
    const contractId = await iou(s2)
    await connect(v2, 'synchronizer-2', false)
    const lost = send(alice, exercise(contractId, 'Iou_Split', { amount: '3.0' }), s2, 'lost').catch(() => undefined)
    await isPending(1)
    const behind = send(dave, proposal(dave, carol), s2, 'behind').catch(() => undefined)
    const before = (await proposalsAt(v3, carol)).length
    await until(async () => (await proposalsAt(v3, carol)).length > before)
    await network.node.restart()
    await Promise.all([lost, behind])
    const seen = (await updatesAt(v3)).at(-1)
    await until(async () => (await updatesAt(v1)).some(({ updateId }) => updateId === seen.updateId))
    await connect(v2, 'synchronizer-2', true)
    const again = await send(alice, exercise(contractId, 'Iou_Split', { amount: '3.0' }), s2, 'lost')
    assert.equal(again.status, 200, again.text)
  })

  async function completionsOf(commandId: string): Promise<Json[]> {
    const body = { userId: 'u', parties: [alice], beginExclusive: 0 }
    const found: Json[] = await network.v1.ask('/v2/commands/completions?stream_idle_timeout_ms=50', body)
    return found.flatMap(({ completionResponse }) => {
      const value = completionResponse.Completion?.value
      return value?.commandId === commandId ? [value] : []
    })
  }

  async function proposalsAt(at: TestParticipant, party: string): Promise<Json[]> {
    const body = { activeAtOffset: await at.end(), eventFormat: filtersFor([party]) }
    return at.ask('/v2/state/active-contracts', body)
  }
})
