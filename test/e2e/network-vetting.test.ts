// Packages in a network: every participant of an informee must have vetted what the informee sees. The answers are those
// of three participants of Canton 3.5.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { shortIdentifier } from '../../src/base/names.ts'
import { doing, effects, effectsDar, exercise, type Json } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import { answerOf } from '../fixtures/node.ts'
import { itemPackage, shownPackage } from '../support/engine/versioned-package.ts'
import { darOf } from '../support/lf/package-writer.ts'

const dar = readFileSync(effectsDar)

async function upload(at: TestParticipant, synchronizerId: string, body: Uint8Array = dar): Promise<void> {
  const answer = await answerOf(
    await fetch(`${at.url}/v2/dars?synchronizerId=${encodeURIComponent(synchronizerId)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array(body),
    }),
  )
  assert.equal(answer.status, 200, answer.text)
}

const fine = { precondition: 'Fine', signatories: 'Fine', observers: 'Fine', view: 'Fine' }
const target = (reference: string, signatory: string, ...observers: string[]) => ({
  CreateCommand: {
    templateId: `${reference}:Effects:Target`,
    createArguments: { signatories: [signatory], observers, faults: fine, note: '' },
  },
})
const byName = '#effects-lf21'

let last = 0
const submission = (actAs: string, command: object, fields: object = {}) => ({
  commands: [command],
  commandId: `command-${++last}`,
  userId: 'u',
  actAs: [actAs],
  ...fields,
})
const submit = (at: TestParticipant, actAs: string, command: object, fields: object = {}) =>
  at.post('/v2/commands/submit-and-wait', submission(actAs, command, fields))

/** Without the ids of the request. */
function refusalOf({ status, json }: { status: number; json: Json }) {
  const { code, cause, context, traceId } = json
  const { tid: _, ...rest } = context
  return {
    status,
    code,
    cause: cause.replace(/\(9,[0-9a-f]{8}\)/, '(9,<corr>)'),
    context: rest,
    traced: traceId !== null,
  }
}

const failed = (name: string, party: string) =>
  `Failed to select package-id for package-name '${name}' appearing in a command root node due to: ` +
  `No package with package-name '${name}' is consistently vetted by all hosting participants of party ${party}.`

describe('a package that not every participant has vetted', () => {
  let network: TestNetwork
  let [alice, bob, carol] = ['', '', '']
  let [p1, p2, b, a] = ['', '', '', '']
  let [v1, v2, a1] = ['', '', '']

  before(async () => {
    network = await startTestNetwork()
    const { s1, s2 } = network
    alice = await network.v1.allocate('alice', s1, s2)
    bob = await network.v2.allocate('bob', s1, s2)
    carol = await network.v3.allocate('carol', s2)
    ;[p1, p2] = [`${shortIdentifier(s1)}::35-0`, `${shortIdentifier(s2)}::35-0`] as [string, string]
    ;[a, b] = [shortIdentifier(alice), shortIdentifier(bob)] as [string, string]
    ;[v1, v2] = [network.v1.participantId, network.v2.participantId].map(shortIdentifier) as [string, string]
    a1 = shortIdentifier(s1)
    await upload(network.v1, s1)
  })
  after(() => network[Symbol.asyncDispose]())

  const start = (text: string) => (text.length > 512 ? `${text.slice(0, 512)}...` : text)

  test('is refused by name, whoever lacks it first', async () => {
    const answer = refusalOf(await submit(network.v1, alice, target(byName, alice, bob)))
    const reasons = `\n\t${p1}: ${failed('effects-lf21', b)}\n\t${p2}: ${failed('effects-lf21', a)}`
    const text = `No synchronizers satisfy the topology requirements for the submitted command: Discarded synchronizers: ${reasons}`
    assert.equal(answer.status, 400)
    assert.equal(answer.code, 'PACKAGE_SELECTION_FAILED')
    assert.equal(answer.cause, `PACKAGE_SELECTION_FAILED(9,<corr>): ${start(text)}`)
    assert.deepEqual(answer.context, { participant: 'sandbox', category: '9', definite_answer: 'false' })
    assert.ok(answer.traced)
  })

  test('is refused by name on the synchronizer that the command names', async () => {
    const answer = refusalOf(
      await submit(network.v1, alice, target(byName, alice, bob), { synchronizerId: network.s1 }),
    )
    const reason = `Discarded synchronizers: \n\t${p1}: ${failed('effects-lf21', b)}`
    const text = `Cannot submit transaction to prescribed synchronizer \`${a1}\` because: ${reason}`
    assert.deepEqual(answer, {
      status: 400,
      code: 'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
      cause: `INVALID_PRESCRIBED_SYNCHRONIZER_ID(9,<corr>): ${text}`,
      context: { participant: 'sandbox', reason, synchronizerId: a1, category: '9', definite_answer: 'false' },
      traced: true,
    })
  })

  const unvetted = (place: string, ...participants: string[]) =>
    [
      `Some packages are not known to all informees on synchronizer ${place}`,
      ...participants.map((one) => `Participant PAR::${one} has not vetted ${effects.slice(0, 12)}...`),
    ].join('\n')

  test('is refused by id, with everybody who lacks it', async () => {
    const answer = refusalOf(await submit(network.v1, alice, target(effects, alice, bob)))
    const reasons = `${p1}: ${unvetted(p1, v2)}, ${p2}: ${unvetted(p2, v1, v2)}`
    const text = `No valid synchronizer for submission found. Discarded synchronizers: ${reasons}`
    assert.deepEqual(answer, {
      status: 400,
      code: 'NO_SYNCHRONIZER_FOR_SUBMISSION',
      cause: `NO_SYNCHRONIZER_FOR_SUBMISSION(9,0): ${start(text)}`,
      context: { category: '9', definite_answer: 'false' },
      traced: false,
    })
  })

  test('is refused by id on the synchronizer that the command names', async () => {
    const fields = { synchronizerId: network.s1 }
    const answer = refusalOf(await submit(network.v1, alice, target(effects, alice, bob), fields))
    const text = `Cannot submit transaction to prescribed synchronizer \`${a1}\` because: ${unvetted(p1, v2)}`
    assert.deepEqual(answer, {
      status: 400,
      code: 'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
      cause: `INVALID_PRESCRIBED_SYNCHRONIZER_ID(9,0): ${text}`,
      context: { category: '9', definite_answer: 'false' },
      traced: false,
    })
  })

  test('is refused where an observer is on a synchronizer on which the submitter lacks it', async () => {
    const answer = refusalOf(await submit(network.v1, alice, target(byName, alice, carol)))
    const reasons = `Discarded synchronizers: \n\t${p2}: ${failed('effects-lf21', a)}`
    assert.equal(answer.code, 'PACKAGE_SELECTION_FAILED')
    assert.equal(
      answer.cause,
      `PACKAGE_SELECTION_FAILED(9,<corr>): No synchronizers satisfy the topology requirements for the submitted command: ${reasons}`,
    )
    const prescribed = await submit(network.v1, alice, target(byName, alice, carol), { synchronizerId: network.s1 })
    assert.deepEqual(refusalOf(prescribed), {
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
      traced: true,
    })
  })

  test('has no preferred version for both parties, and is not listed where nobody knows its name', async () => {
    const query = `parties=${alice}&parties=${bob}&package-name=effects-lf21`
    const found = await network.v1.ask(`/v2/interactive-submission/preferred-package-version?${query}`)
    assert.deepEqual(found, { packagePreference: null })
    const list = { packageMetadataFilter: { packageIds: [], packageNamePrefixes: ['effects-lf21'] } }
    const listed = await network.v2.ask('/v2/package-vetting/list', list)
    assert.deepEqual(listed, { vettedPackages: [], nextPageToken: '' })
  })

  test('can be used by those who have it', async () => {
    const answer = await submit(network.v1, alice, target(byName, alice))
    assert.equal(answer.status, 200, answer.text)
  })
})

describe('a package that participants vet one after the other', () => {
  test("is used once all informees' participants have it, and then no longer without one of them", async () => {
    await using network = await startTestNetwork()
    const { v1, v2, s1, s2 } = network
    const [alice, bob] = [await v1.allocate('alice', s1, s2), await v2.allocate('bob', s1, s2)]
    await upload(v1, s1)
    await upload(v2, s2)
    const create = () => submit(v1, alice, target(byName, alice, bob))
    assert.equal((await create()).json.code, 'PACKAGE_SELECTION_FAILED')
    await upload(v2, s1)
    assert.equal((await create()).status, 200)
    const unvet = {
      changes: [{ operation: { Unvet: { value: { packages: [{ packageId: effects }] } } } }],
      synchronizerId: s1,
    }
    await v2.ask('/v2/package-vetting', unvet)
    assert.equal((await create()).json.code, 'PACKAGE_SELECTION_FAILED')
  })

  test('cannot be used by a participant that is away from where all have it', async () => {
    await using network = await startTestNetwork()
    const { v1, v2, s1, s2 } = network
    const [alice, bob] = [await v1.allocate('alice', s1, s2), await v2.allocate('bob', s1, s2)]
    await upload(v1, s1)
    for (const synchronizerId of [s1, s2]) await upload(v2, synchronizerId)
    const commands = submission(alice, target(byName, alice, bob))
    const { transaction } = await v1.ask('/v2/commands/submit-and-wait-for-transaction', { commands })
    const { contractId } = transaction.events[0].CreatedEvent
    await v2.ask('/v2/synchronizers/synchronizer-1/disconnect', {})
    const keep = exercise(`${byName}:Effects:Target`, contractId, 'Keep', doing([bob]))
    const reason = `${shortIdentifier(s2)}::35-0: ${failed('effects-lf21', shortIdentifier(alice))}`
    assert.deepEqual(refusalOf(await submit(v2, bob, keep)), {
      status: 400,
      code: 'PACKAGE_SELECTION_FAILED',
      cause:
        'PACKAGE_SELECTION_FAILED(9,<corr>): No synchronizers satisfy the topology requirements for the submitted command: ' +
        `Discarded synchronizers: \n\t${reason}`,
      context: { participant: 'pebblebox', category: '9', definite_answer: 'false' },
      traced: true,
    })
  })
})

describe('a package name', () => {
  test('is the highest version that the participants of all informees have vetted', async () => {
    await using network = await startTestNetwork()
    const { v1, v2, s1 } = network
    const [alice, bob] = [await v1.allocate('alice', s1), await v2.allocate('bob', s1)]
    const versions = ['1.0.0', '1.1.0'].map((version) => itemPackage({ version, observers: ['other'] }))
    const [first, second] = versions.map(({ bytes }) => darOf({ 'item.dalf': bytes, 'shown.dalf': shownPackage.bytes }))
    await upload(v1, s1, first!)
    await upload(v1, s1, second!)
    await upload(v2, s1, first!)
    const create = (other: string) => {
      const createArguments = { owner: alice, other, note: '', colour: 'Red' }
      return v1.ask('/v2/commands/submit-and-wait-for-transaction', {
        commands: submission(alice, { CreateCommand: { templateId: '#item:Main:Item', createArguments } }),
      })
    }
    const packageOf = ({ transaction }: Json) => transaction.events[0].CreatedEvent.templateId.split(':')[0]
    assert.equal(packageOf(await create(alice)), versions[1]!.id)
    assert.equal(packageOf(await create(bob)), versions[0]!.id)
    await upload(v2, s1, second!)
    assert.equal(packageOf(await create(bob)), versions[1]!.id)
    const query = `parties=${alice}&parties=${bob}&package-name=item`
    const { packagePreference } = await v1.ask(`/v2/interactive-submission/preferred-package-version?${query}`)
    assert.equal(packagePreference.packageReference.packageVersion, '1.1.0')
  })
})

describe('the list of vetted packages', () => {
  let network: TestNetwork

  before(async () => {
    network = await startTestNetwork()
    await upload(network.v2, network.s1)
    await upload(network.v2, network.s2)
    await upload(network.v3, network.s2)
  })
  after(() => network[Symbol.asyncDispose]())

  const list = async (at: TestParticipant, filters: object, topologyFilter: object = {}) => {
    const packageMetadataFilter = { packageIds: [], packageNamePrefixes: [], ...filters }
    const topologyStateFilter = { participantIds: [], synchronizerIds: [], ...topologyFilter }
    const { vettedPackages } = await at.ask('/v2/package-vetting/list', { packageMetadataFilter, topologyStateFilter })
    return vettedPackages.map(({ participantId, synchronizerId, packages }: Json) => {
      assert.equal(packages.length, 1)
      return [participantId, synchronizerId, packages[0].packageName]
    })
  }

  test('is that of all participants, on the synchronizers of the one that is asked', async () => {
    const { v1, v2, v3, s1, s2 } = network
    const name = 'quickstart'
    const all = [v1, v2, v3].map(({ participantId }) => participantId).sort()
    const onBoth = all.filter((id) => id !== v3.participantId)
    const quickstart = { packageNamePrefixes: [name] }
    const want = (ids: readonly string[], synchronizerId: string) => ids.map((id) => [id, synchronizerId, name])
    assert.deepEqual(await list(v1, quickstart), [...want(onBoth, s1), ...want(all, s2)])
    assert.deepEqual(await list(v3, quickstart), want(all, s2))
    const ofSecond = await list(v1, quickstart, { participantIds: [v2.participantId] })
    assert.deepEqual(ofSecond, [...want([v2.participantId], s1), ...want([v2.participantId], s2)])
    assert.deepEqual(await list(v1, quickstart, { synchronizerIds: [s1] }), want(onBoth, s1))
    const elsewhere = { participantIds: [v3.participantId], synchronizerIds: [s1] }
    assert.deepEqual(await list(v3, quickstart, elsewhere), [])
  })

  test('names packages as the participant that is asked knows them', async () => {
    const { v1, v2, v3, s1, s2 } = network
    assert.deepEqual(await list(v1, { packageNamePrefixes: ['effects-lf21'] }), [])
    const unnamed = [
      [v2.participantId, s1, ''],
      [v2.participantId, s2, ''],
      [v3.participantId, s2, ''],
    ]
    assert.deepEqual(await list(v1, { packageIds: [effects] }), unnamed)
    assert.deepEqual(
      await list(v3, { packageNamePrefixes: ['effects-lf21'] }),
      unnamed.slice(1).map(([participantId, synchronizerId]) => [participantId, synchronizerId, 'effects-lf21']),
    )
  })
})
