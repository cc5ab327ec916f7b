// Parties in a network: where they are known and hosted, what is refused for parties elsewhere, and external parties that
// any participant serves. The answers are those of three participants of Canton 3.5.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { shortIdentifier } from '../../src/base/names.ts'
import { startNode } from '../../src/node/node.ts'
import { iouType, type Json, proposalType, quickstart, transactionFormat } from '../fixtures/ledger.ts'
import {
  networkSettings,
  participantOf,
  startTestNetwork,
  type TestNetwork,
  type TestParticipant,
} from '../fixtures/network.ts'
import { answerOf, refusalOf, startTestNode, stores, testSettings } from '../fixtures/node.ts'
import { allocatePath, bare, generatePath, invalid } from '../fixtures/onboarding.ts'
import { createSigner } from '../fixtures/signer.ts'
import { type ExternalParty, generated, onboard, runSigned } from '../fixtures/signing-participants.ts'
import { until } from '../fixtures/until.ts'

const proposal = (issuer: string, owner: string) => ({
  CreateCommand: {
    templateId: proposalType,
    createArguments: { iou: { issuer, owner, amount: '10.0', currency: 'EUR', observers: [] } },
  },
})

let last = 0
const submission = (actAs: readonly string[], command: object, fields: object = {}) => ({
  commands: [command],
  commandId: `command-${++last}`,
  userId: 'u',
  actAs,
  ...fields,
})

/** Without the ids of the request. */
function errorOf({ status, json }: { status: number; json: Json }) {
  const { tid: _, ...context } = json.context
  return { status, code: json.code, cause: json.cause, context }
}

const connections = async (at: TestParticipant, query: string): Promise<[alias: string, permission: string][]> =>
  (await at.ask(`/v2/state/connected-synchronizers${query}`)).connectedSynchronizers.map(
    ({ synchronizerAlias, permission }: Json) => [synchronizerAlias, permission],
  )

async function topologyOf(at: TestParticipant, party: string): Promise<Json[]> {
  const updateFormat = { includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: [party] } } }
  const body = { beginExclusive: 0, endInclusive: await at.end(), updateFormat }
  const updates = await at.ask('/v2/updates?stream_idle_timeout_ms=200', body)
  return updates.flatMap(({ update }: Json) => update.TopologyTransaction?.value ?? [])
}

const eventsOf = ({ events }: Json) =>
  events.map(({ event }: Json) => {
    const { participantId, participantPermission } = event.ParticipantAuthorizationAdded.value
    return [participantId, participantPermission]
  })

async function updateAt(at: TestParticipant, updateId: string): Promise<Json> {
  const updateFormat = { includeTransactions: transactionFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS') }
  return (await at.post('/v2/updates/update-by-id', { updateId, updateFormat })).json.update?.Transaction.value
}

describe('the parties of a network', () => {
  let network: TestNetwork
  let [alice, bob, carol, eve] = ['', '', '', '']

  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, v3, s1, s2 } = network
    eve = await v2.allocate('eve', s1)
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
    carol = await v3.allocate('carol', s2)
  })
  after(() => network[Symbol.asyncDispose]())

  const remote = (party: string) => ({
    party,
    isLocal: false,
    localMetadata: { resourceVersion: '', annotations: {} },
    identityProviderId: '',
  })

  test('are listed by every participant, with the participants themselves, and local where they are hosted', async () => {
    const { v1, v2, v3 } = network
    for (const at of [v1, v2, v3]) {
      const { partyDetails } = await at.ask('/v2/parties')
      const found = partyDetails.map(({ party }: Json) => party)
      const known = at === v3 ? [alice, bob, carol] : [alice, bob, carol, eve] // The third is not where eve is.
      const participants = [v1, v2, v3].map(({ participantId }) => participantId)
      assert.deepEqual(found, [...known, ...participants].sort())
      const own = partyDetails.find(({ party }: Json) => party === at.participantId)
      assert.deepEqual([own.isLocal, own.localMetadata.resourceVersion], [true, ''])
      const other = at === v1 ? v2.participantId : v1.participantId
      assert.deepEqual(
        partyDetails.find(({ party }: Json) => party === other),
        remote(other),
      )
    }
    assert.deepEqual(await v1.ask(`/v2/parties/${bob}`), { partyDetails: [remote(bob)] })
    const [details] = (await v2.ask(`/v2/parties/${bob}`)).partyDetails
    assert.deepEqual([details.isLocal, details.localMetadata.resourceVersion], [true, '1'])
  })

  const submitting = 'PARTICIPANT_PERMISSION_SUBMISSION'
  const both = (permission: string) => [
    ['synchronizer-1', permission],
    ['synchronizer-2', permission],
  ]
  const second = (permission: string) => [['synchronizer-2', permission]]

  test('are connected where the participant in question hosts them', async () => {
    const { v1, v2, v3 } = network
    const cases: [at: TestParticipant, query: string, want: unknown][] = [
      [v1, `?party=${alice}`, both(submitting)],
      [v1, `?party=${bob}`, []],
      [v1, `?party=${carol}`, []],
      [v2, `?party=${bob}`, both(submitting)],
      [v2, `?party=${alice}`, []],
      [v3, `?party=${alice}`, []],
      [v3, `?party=${carol}`, second(submitting)],
      [v1, `?party=${bob}&participantId=${v2.participantId}`, both(submitting)],
      [v1, `?participantId=${v2.participantId}`, both('PARTICIPANT_PERMISSION_UNSPECIFIED')],
      [v1, `?participantId=${v3.participantId}`, second('PARTICIPANT_PERMISSION_UNSPECIFIED')],
      [v1, `?party=${carol}&participantId=${v3.participantId}`, second(submitting)],
      [v1, `?party=${carol}&participantId=${v2.participantId}`, []],
    ]
    for (const [at, query, want] of cases) assert.deepEqual(await connections(at, query), want, `${at.name} ${query}`)
  })

  test('appear on all participants of a synchronizer with the same update id, and nowhere else', async () => {
    const { v1, v2, v3, s1, s2 } = network
    const [at1, at2, at3] = [await topologyOf(v1, bob), await topologyOf(v2, bob), await topologyOf(v3, bob)]
    const placed = (updates: Json[]) => updates.map(({ updateId, synchronizerId }) => [updateId, synchronizerId])
    assert.deepEqual(placed(at1), placed(at2))
    assert.deepEqual(
      at1.map(({ synchronizerId }) => synchronizerId),
      [s1, s2],
    )
    assert.deepEqual(placed(at3), placed(at1).slice(1))
    for (const update of [...at1, ...at3]) assert.deepEqual(eventsOf(update), [[v2.participantId, submitting]])
  })

  test('are allocated once on each synchronizer, which has to be named among several', async () => {
    const { v1, v3, s1 } = network
    const unnamed = await v1.post('/v2/parties', { partyIdHint: 'zero' })
    const zero = `zero::${v1.participantId.split('::')[1]}`
    assert.deepEqual(errorOf(unnamed), {
      status: 400,
      code: 'PARTY_ALLOCATION_CANNOT_DETERMINE_SYNCHRONIZER',
      cause:
        `Cannot determine the synchronizer on which to allocate party ${shortIdentifier(zero)}, because the participant ` +
        'is connected to multiple synchronizers and no synchronizer was specified.',
      context: { participant: 'sandbox', partyId: zero, category: '9' },
    })
    const alone = await v3.post('/v2/parties', { partyIdHint: 'carol' })
    assert.equal(alone.json.code, 'INVALID_ARGUMENT') // It has one synchronizer, and is there already.
    const again = await v1.post('/v2/parties', { partyIdHint: 'alice', synchronizerId: s1 })
    const reason = `Party already exists: party ${shortIdentifier(alice)} is already allocated on this node`
    assert.deepEqual(refusalOf(again), invalid(reason))
  })

  test('act only where they are hosted', async () => {
    const { v1 } = network
    const alone = {
      status: 404,
      code: 'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
      cause: 'This participant cannot submit as the given submitter on any connected synchronizer',
      context: { participant: 'sandbox', unknownSubmitter: bob, category: '11', definite_answer: 'false' },
    }
    for (const path of ['/v2/commands/submit-and-wait', '/v2/commands/async/submit']) {
      assert.deepEqual(errorOf(await v1.post(path, submission([bob], proposal(bob, alice)))), alone)
    }
    const iou = { issuer: alice, owner: bob, amount: '10.0', currency: 'EUR', observers: [] }
    const signedByBoth = { CreateCommand: { templateId: iouType, createArguments: iou } }
    const together = await v1.post('/v2/commands/submit-and-wait', submission([alice, bob], signedByBoth))
    // Where only one of them has to authorize it, Canton finds it later and tells less.
    const needless = await v1.post('/v2/commands/submit-and-wait', submission([alice, bob], proposal(alice, bob)))
    assert.deepEqual(errorOf(needless).context, { category: '11', definite_answer: 'false' })
    assert.deepEqual(errorOf(together), {
      ...alone,
      cause: 'Not connected to a synchronizer on which this participant can submit for all submitters',
      context: {
        participant: 'sandbox',
        unknownSubmitters: `List(${alice}, ${bob})`,
        category: '11',
        definite_answer: 'false',
      },
    })
  })

  test('must be known somewhere, and on the synchronizer that a command names', async () => {
    const { v1, s1, s2 } = network
    const ghost = `ghost::${v1.participantId.split('::')[1]}`
    const unknown = await v1.post('/v2/commands/submit-and-wait', submission([alice], proposal(alice, ghost)))
    assert.deepEqual(errorOf(unknown), {
      status: 404,
      code: 'UNKNOWN_INFORMEES',
      cause: 'The participant is not connected to any synchronizer where the given informees are known.',
      context: { participant: 'sandbox', unknownInformees: `Set(${ghost})`, category: '11', definite_answer: 'false' },
    })
    const [p1, p2] = [`${shortIdentifier(s1)}::35-0`, `${shortIdentifier(s2)}::35-0`]
    const commands = [proposal(alice, eve), proposal(alice, carol)]
    const apart = await v1.post('/v2/commands/submit-and-wait', { ...submission([alice], {}), commands })
    assert.deepEqual(refusalOf(apart), [
      400,
      'INFORMEES_NOT_ACTIVE',
      'There is no common synchronizer where all informees are active',
    ])
    const body = submission([alice], proposal(alice, carol), { synchronizerId: s1 })
    assert.deepEqual(errorOf(await v1.post('/v2/commands/submit-and-wait', body)), {
      status: 400,
      code: 'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
      cause: `Not all informees are on the specified synchronizer: ${p1}, but on Set(${p2})`,
      context: {
        participant: 'sandbox',
        physicalSynchronizerId: p1,
        synchronizersOfAllInformees: `Set(${p2})`,
        category: '9',
        definite_answer: 'false',
      },
    })
    const { transaction } = await v1.ask('/v2/commands/submit-and-wait-for-transaction', {
      commands: submission([alice], proposal(alice, carol)),
    })
    assert.equal(transaction.synchronizerId, s2)
  })

  test('have preferred packages on a synchronizer that all of them share', async () => {
    const { v1, v3, s1, s2 } = network
    const ask = (at: TestParticipant, parties: readonly string[], more: object = {}) =>
      at.post('/v2/interactive-submission/preferred-packages', {
        packageVettingRequirements: [{ packageName: 'quickstart', parties }],
        ...more,
      })
    const cases: [at: TestParticipant, parties: string[], synchronizerId: string][] = [
      [v1, [alice, bob], s1],
      [v3, [alice, bob], s2],
      [v1, [alice, carol], s2],
    ]
    for (const [at, parties, synchronizerId] of cases) {
      assert.equal((await ask(at, parties)).json.synchronizerId, synchronizerId)
    }
    const elsewhere = await ask(v1, [alice, carol], { synchronizerId: s1 })
    const [p1, p2] = [`${shortIdentifier(s1)}::35-0`, `${shortIdentifier(s2)}::35-0`]
    assert.deepEqual(errorOf(elsewhere), {
      status: 400,
      code: 'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
      cause: `Not all informees are on the specified synchronizer: ${p1}, but on Set(${p2})`,
      context: {
        participant: 'sandbox',
        physicalSynchronizerId: p1,
        synchronizersOfAllInformees: `Set(${p2})`,
        category: '9',
        definite_answer: 'false',
      },
    })
  })

  test('have users on one participant only', async () => {
    const user = { id: 'someone', primaryParty: alice, isDeactivated: false, identityProviderId: '' }
    await network.v1.ask('/v2/users', { user })
    const elsewhere = await network.v2.get('/v2/users/someone')
    assert.deepEqual(refusalOf(elsewhere), [404, 'USER_NOT_FOUND', 'getting user failed for unknown user "someone"'])
  })

  test('are known to a participant that is connected to a synchronizer later', async () => {
    await using later = await startTestNetwork()
    const { v1, v3, s1 } = later
    const dora = await v1.allocate('dora', s1)
    assert.deepEqual((await v3.ask(`/v2/parties/${dora}`)).partyDetails, [])
    await v3.ask('/v2/synchronizers/synchronizer-1/connect', {})
    assert.deepEqual((await v3.ask(`/v2/parties/${dora}`)).partyDetails, [remote(dora)])
    assert.deepEqual(
      await connections(v1, `?party=${v3.participantId}&participantId=${v3.participantId}`),
      both(submitting),
    )
    const frank = await v3.allocate('frank', s1)
    const vet = { Vet: { value: { packages: [{ packageId: quickstart }] } } }
    await v3.ask('/v2/package-vetting', { changes: [{ operation: vet }], synchronizerId: s1 })
    assert.equal((await v1.post('/v2/commands/submit-and-wait', submission([dora], proposal(dora, frank)))).status, 200)
  })
})

describe('external parties', () => {
  let network: TestNetwork
  let [p1, p2, p3]: ExternalParty[] = []
  let carol = ''

  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, v3, s2 } = network
    p1 = await onboard(v1, createSigner(), 'P1', s2)
    p2 = await onboard(v2, createSigner(), 'P2', s2)
    p3 = await onboard(v3, createSigner(), 'P3', s2)
    carol = await v3.allocate('carol', s2)
  })
  after(() => network[Symbol.asyncDispose]())

  test('are executed through any participant, which alone tells the completion', async () => {
    const { v1, v2, v3 } = network
    const done = await runSigned(v2, [p3!], proposal(p3!.party, carol))
    assert.equal(done.status, 200, done.text)
    const { updateId, commandId } = done.json.transaction
    const atHost = await updateAt(v3, updateId)
    assert.equal(atHost.commandId, '')
    assert.equal(atHost.externalTransactionHash, done.json.transaction.externalTransactionHash)
    assert.equal(await updateAt(v1, updateId), undefined)
    const completions = async (at: TestParticipant) => {
      const body = { userId: 'u', parties: [p3!.party], beginExclusive: 0 }
      const found = await at.ask('/v2/commands/completions?stream_idle_timeout_ms=50', body)
      return found.filter((one: Json) => one.completionResponse.Completion?.value.commandId === commandId).length
    }
    assert.deepEqual([await completions(v2), await completions(v3)], [1, 0])
  })

  test('sign one transaction together, whoever hosts them', async () => {
    for (const others of [p2!, p3!]) {
      const done = await runSigned(network.v1, [p1!, others], proposal(p1!.party, others.party))
      assert.equal(done.status, 200, done.text)
    }
  })

  test('are not acted for without their signature', async () => {
    const body = submission([p1!.party], proposal(p1!.party, carol))
    const { json } = await network.v1.post('/v2/commands/submit-and-wait', body)
    assert.equal(json.code, 'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT')
  })
})

for (const store of stores) {
  describe(`a party of several participants on ${store}`, () => {
    let network: TestNetwork
    const confirming = 'PARTICIPANT_PERMISSION_CONFIRMATION'
    const observing = 'PARTICIPANT_PERMISSION_OBSERVATION'

    before(async () => {
      network = await startTestNetwork({ store })
    })
    after(() => network[Symbol.asyncDispose]())

    const detailsOf = async (at: TestParticipant, party: string) =>
      (await at.ask(`/v2/parties/${party}`)).partyDetails.map(({ isLocal }: Json) => isLocal)

    test('exists once each of them has allocated it, and all of them see its transactions', async () => {
      const { v1, v2, v3, s2 } = network
      const signer = createSigner()
      const hosts = { otherConfirmingParticipantUids: [v2.participantId], confirmationThreshold: 2 }
      const topology = await generated(v1, signer, { partyHint: 'exte', synchronizer: s2, ...hosts })
      const allocate = (at: TestParticipant) => at.post(allocatePath, { synchronizer: s2, ...topology })
      const party: string = (await allocate(v1)).json.partyId
      assert.equal((await allocate(v1)).status, 200)
      for (const at of [v1, v2, v3]) assert.deepEqual(await detailsOf(at, party), [])
      assert.deepEqual(
        refusalOf(await allocate(v3)),
        invalid('This node is not hosting the party either with Confirmation or Observation permission.'),
      )

      assert.equal((await allocate(v2)).status, 200)
      assert.deepEqual(await detailsOf(v1, party), [true])
      assert.deepEqual(await detailsOf(v2, party), [true])
      assert.deepEqual(await detailsOf(v3, party), [false])
      for (const [at, version] of [
        [v1, '1'],
        [v2, '0'],
        [v3, ''],
      ] as const) {
        const [{ localMetadata }] = (await at.ask(`/v2/parties/${party}`)).partyDetails
        assert.equal(localMetadata.resourceVersion, version, at.name)
      }
      const [first] = await topologyOf(v1, party)
      const want = [
        [v1.participantId, confirming],
        [v2.participantId, confirming],
      ]
      for (const at of [v1, v2, v3]) {
        const updates = await topologyOf(at, party)
        assert.deepEqual(updates.map(eventsOf), [want])
        assert.equal(updates[0].updateId, first.updateId)
      }
      assert.deepEqual(await connections(v1, `?party=${party}`), [['synchronizer-2', confirming]])
      assert.deepEqual(await connections(v2, `?party=${party}`), [['synchronizer-2', confirming]])
      assert.deepEqual(await connections(v3, `?party=${party}`), [])
      const exists = `Party ${shortIdentifier(party)} already exists on synchronizer ${shortIdentifier(s2)}`
      for (const at of [v1, v2]) assert.deepEqual(refusalOf(await allocate(at)), invalid(exists))

      for (const at of [v1, v2, v3]) {
        const done = await runSigned(at, [{ party, signer }], proposal(party, party))
        assert.equal(done.status, 200, done.text)
        const { updateId } = done.json.transaction
        for (const host of [v1, v2]) {
          const [{ CreatedEvent: created }] = (await updateAt(host, updateId)).events
          assert.equal(created.acsDelta, true, host.name)
        }
        // A participant sees what it submits, but without a stakeholder nothing becomes active there.
        const there = await updateAt(v3, updateId)
        assert.equal(there?.events[0].CreatedEvent.acsDelta, at === v3 ? false : undefined)
      }
      const query = { activeAtOffset: await v3.end(), eventFormat: { filtersForAnyParty: {} } }
      assert.deepEqual(await v3.ask('/v2/state/active-contracts', query), [])
    })

    test('needs as many of them as its threshold says', async () => {
      const { v1, v2, s2 } = network
      const parties: ExternalParty[] = []
      for (const confirmationThreshold of [1, 2]) {
        const signer = createSigner()
        const hosts = { otherConfirmingParticipantUids: [v2.participantId], confirmationThreshold }
        const topology = await generated(v1, signer, { partyHint: 'some', synchronizer: s2, ...hosts })
        for (const at of [v1, v2]) await at.ask(allocatePath, { synchronizer: s2, ...topology })
        parties.push({ party: `some::${signer.fingerprint}`, signer })
      }
      const [one, both] = parties as [ExternalParty, ExternalParty]
      await v2.ask('/v2/synchronizers/synchronizer-2/disconnect', {})
      const enough = await runSigned(v1, [one], proposal(one.party, one.party))
      assert.equal(enough.status, 200, enough.text)
      const tooFew = runSigned(v1, [both], proposal(both.party, both.party))
      await until(async () => (await v1.ask('/dev/network')).participants[0].synchronizers[1].waiting === 1)
      await v2.ask('/v2/synchronizers/synchronizer-2/connect', {})
      const confirmed = await tooFew
      assert.equal(confirmed.status, 200, confirmed.text)
    })

    test('may only be observed by one of them, whoever allocates it first', async () => {
      const { v1, v2, v3, s2 } = network
      const signer = createSigner()
      const hosts = { observingParticipantUids: [v2.participantId] }
      const topology = await generated(v1, signer, { partyHint: 'observed', synchronizer: s2, ...hosts })
      const allocate = (at: TestParticipant) => at.ask(allocatePath, { synchronizer: s2, ...topology })
      const { partyId: party } = await allocate(v2)
      assert.deepEqual(await detailsOf(v3, party), [])
      await allocate(v1)
      assert.deepEqual(await connections(v2, `?party=${party}`), [['synchronizer-2', observing]])
      const [update] = await topologyOf(v3, party)
      assert.deepEqual(eventsOf(update), [
        [v1.participantId, confirming],
        [v2.participantId, observing],
      ])
    })

    test('has hosts that are there, each once, and a threshold that they can reach', async () => {
      const { v1, v2, v3, s1, s2 } = network
      const signer = createSigner()
      const generate = (at: TestParticipant, fields: object) =>
        at.post(generatePath, { partyHint: 'no', publicKey: signer.publicKey, synchronizer: s2, ...fields })
      const own = shortIdentifier(v1.participantId)
      const cases: [fields: object, reason: string][] = [
        [
          { otherConfirmingParticipantUids: [v1.participantId] },
          `This participant node (PAR::${own}) is also listed in 'otherConfirmingParticipantUids'. By sending the request to ` +
            "this node, it is de facto a hosting node and must not be listed in 'otherConfirmingParticipantUids'.",
        ],
        [
          { otherConfirmingParticipantUids: [v2.participantId], observingParticipantUids: [v2.participantId] },
          `The following participant IDs are referenced multiple times in the request: ${shortIdentifier(v2.participantId)}. ` +
            "Please ensure all IDs are referenced only once across 'otherConfirmingParticipantUids' and " +
            "'observingParticipantUids' fields.",
        ],
        [
          { otherConfirmingParticipantUids: [v2.participantId], confirmationThreshold: 3 },
          'Confirmation threshold exceeds number of confirming participants',
        ],
        [{ otherConfirmingParticipantUids: ['nobody'] }, 'Invalid unique identifier `nobody` with missing namespace.'],
      ]
      for (const [fields, reason] of cases) assert.deepEqual(refusalOf(await generate(v1, fields)), invalid(reason))
      assert.deepEqual(
        refusalOf(await generate(v3, { synchronizer: s1 })),
        invalid(`Unknown or not connected synchronizer ${shortIdentifier(s1)}`),
      )
      const ghost = `ghost::${v1.participantId.split('::')[1]}`
      const topology = await generated(v1, signer, {
        partyHint: 'haunted',
        synchronizer: s2,
        otherConfirmingParticipantUids: [ghost],
      })
      const refused = await v1.post(allocatePath, { synchronizer: s2, ...topology })
      assert.deepEqual(
        refusalOf(refused),
        bare(`Members PAR::${shortIdentifier(ghost)} are unknown.`, 404, 'NOT_FOUND'),
      )
    })
  })
}

describe('a token of one participant', () => {
  test('is refused by another', async () => {
    const { auth: _, ...settings } = networkSettings
    await using node = await startTestNode({ settings })
    const [first, second] = node.node.participants
    const ask = async (url: string) => {
      const authorization = `Bearer ${node.adminToken}`
      return answerOf(await fetch(`${url}/v2/users/participant_admin`, { headers: { authorization } }))
    }
    assert.equal((await ask(first!.url)).status, 200)
    // Canton denies it, too, because it is a good token of another audience (AuthorizationError.InvalidParticipant).
    const refused = await ask(second!.url)
    assert.deepEqual([refused.status, refused.json.code], [403, 'NA'])
  })
})

describe('a participant that joins a network later', () => {
  test('knows the parties of the others and their keys, and serves them', async () => {
    const participants = networkSettings.network.participants.slice(0, 2) as [{ name: string }]
    await using before = await startTestNetwork({ store: 'sqlite', settings: { network: { participants } } })
    const { v1, v2, s1, s2 } = before
    const signer = createSigner()
    const hosts = { otherConfirmingParticipantUids: [v2.participantId] }
    const topology = await generated(v1, signer, { partyHint: 'shared', synchronizer: s2, ...hosts })
    for (const at of [v1, v2]) await at.ask(allocatePath, { synchronizer: s2, ...topology })
    const bob = await v2.allocate('bob', s1, s2)
    await before.node.node[Symbol.asyncDispose]()

    const settings = testSettings({
      ...networkSettings,
      development: true,
      store: { kind: 'sqlite', data: before.node.folder },
      http: { port: 0 },
      log: { level: 'silent' },
    })
    await using started = await startNode(settings)
    const [first, second, third] = started.participants.map((one) => participantOf(() => one))
    const parties = (await third!.ask('/v2/parties')).partyDetails.map(({ party }: Json) => party)
    const shared = `shared::${signer.fingerprint}`
    assert.ok(parties.includes(bob) && parties.includes(shared))
    assert.deepEqual(await connections(third!, `?party=${shared}&participantId=${v2.participantId}`), [
      ['synchronizer-2', 'PARTICIPANT_PERMISSION_CONFIRMATION'],
    ])
    const done = await runSigned(third!, [{ party: shared, signer }], proposal(shared, bob))
    assert.equal(done.status, 200, done.text)
    const { updateId } = done.json.transaction
    for (const at of [first!, second!]) assert.equal((await updateAt(at, updateId)).updateId, updateId)
  })
})
