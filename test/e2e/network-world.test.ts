// World files of networks: what each participant begins with, mistakes in them, and networks as world files.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startNetwork } from '../../src/kit/start-node.ts'
import { startNode } from '../../src/node/node.ts'
import { call } from '../fixtures/command.ts'
import { effectsDar, type Json } from '../fixtures/ledger.ts'
import { participantOf, type TestParticipant } from '../fixtures/network.ts'
import { startTestNode, type TestNode, testSettings } from '../fixtures/node.ts'
import { run, start, temporaryFolder } from '../fixtures/process.ts'

const [iou, proposal] = ['#quickstart:Iou:Iou', '#quickstart:Iou:IouProposal']

const complete = `
synchronizers: [{alias: main}, {alias: side}]
network:
  participants:
    - name: customer
      synchronizers: [main]
      parties: {alice: {}}
      users:
        app: {actAs: [$alice], readAs: [$dealer]}
    - name: bank
      dars: [${effectsDar}]
      identityProviders:
        corporate: {issuer: https://corporate.example, jwksUrl: https://corporate.example/keys}
      parties: {dealer: {}, alice2: {hint: alice}}
      users:
        app: {actAs: [$dealer]}
        clerk: {identityProvider: corporate}
parties: {carol: {}}
submissions:
  - actAs: [$dealer]
    commands:
      - CreateCommand:
          templateId: '${proposal}'
          createArguments: {iou: {issuer: $dealer, owner: $alice, amount: 5, currency: EUR, observers: []}}
        labels: [offer]
      - CreateCommand:
          templateId: '${iou}'
          createArguments: {issuer: $dealer, owner: $dealer, amount: 7, currency: EUR, observers: []}
  - actAs: [$alice]
    commands:
      - ExerciseCommand: {templateId: '${proposal}', contractId: $offer, choice: IouProposal_Accept}
`

const off = { auth: { mode: 'off' as const } }
const hintOf = (party: string) => party.split('::')[0]!

/** Parties, users, packages and contracts, as the participant itself shows them. */
async function stateOf(at: TestParticipant): Promise<Json> {
  const { partyDetails } = await at.ask('/v2/parties')
  const offset = await at.end()
  const eventFormat = { filtersForAnyParty: {}, verbose: false }
  const active = await at.ask('/v2/state/active-contracts', { eventFormat, activeAtOffset: offset })
  const { users } = await at.ask('/v2/users')
  const { packageIds } = await at.ask('/v2/packages')
  return {
    parties: partyDetails
      .filter(({ isLocal, party }: Json) => isLocal && party !== at.participantId)
      .map(({ party }: Json) => hintOf(party))
      .sort(),
    users: users.map(({ id }: Json) => id).filter((id: string) => id !== 'participant_admin'),
    amounts: active
      .map(({ contractEntry }: Json) => Number(contractEntry.JsActiveContract.createdEvent.createArgument.amount))
      .sort(),
    packages: packageIds.length,
  }
}

const participantsOf = ({ node }: TestNode) =>
  node.participants.map((_, index) => participantOf(() => node.participants[index]!))

describe('a world file with a network', () => {
  const folder = temporaryFolder()
  let node: TestNode
  before(async () => {
    const world = join(folder.path, 'world.yaml')
    writeFileSync(world, complete)
    node = await startTestNode({ store: 'sqlite', settings: { ...off, world } })
  })
  after(async () => {
    await node[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  async function check(): Promise<void> {
    const [customer, bank] = participantsOf(node).map((one) => one)
    const [first, second] = [await stateOf(customer!), await stateOf(bank!)]
    assert.deepEqual(
      [first.parties, second.parties],
      [
        ['alice', 'carol'],
        ['alice', 'dealer'],
      ],
    )
    assert.deepEqual([first.users, second.users], [['app'], ['app']])
    assert.deepEqual([first.amounts, second.amounts], [[5], [5, 7]])
    assert.ok(second.packages > first.packages)
    const { rights } = await customer!.ask('/v2/users/app/rights')
    assert.deepEqual(
      rights
        .map(
          ({ kind }: Json) =>
            Object.entries<Json>(kind).map(([name, { value }]) => `${name} ${hintOf(value.party)}`)[0],
        )
        .sort(),
      ['CanActAs alice', 'CanReadAs dealer'],
    )
    const { identityProviderConfigs } = await bank!.ask('/v2/idps')
    assert.equal(identityProviderConfigs.length, 1)
    const { connectedSynchronizers } = await customer!.ask('/v2/state/connected-synchronizers')
    assert.deepEqual(
      connectedSynchronizers.map(({ synchronizerAlias }: Json) => synchronizerAlias),
      ['main'],
    )
  }

  test('gives each participant what is its own', check)

  test('is there again after a restart and after a reset', async () => {
    await node.restart()
    await check()
    const [, bank] = participantsOf(node)
    await bank!.ask('/v2/parties', {
      partyIdHint: 'late',
      synchronizerId: (await bank!.ask('/v2/state/connected-synchronizers')).connectedSynchronizers[0].synchronizerId,
    })
    assert.equal((await bank!.post('/dev/reset', {})).status, 200)
    await check()
  })
})

describe('a mistake in a world file with a network', () => {
  const two = 'network: {participants: [{name: a}, {name: b}]}\n'
  const rows: [title: string, text: string, message: string, settings?: object][] = [
    [
      'two participants of one name',
      'network:\n  participants:\n    - name: a\n    - name: a',
      ':4: network.participants[1].name: two participants are called a',
    ],
    ['no participants', 'network: {participants: []}', ':1: network.participants: it is empty'],
    [
      'a participant without a name',
      'network: {participants: [{parties: {}}]}',
      ':1: network.participants[0]: name is missing',
    ],
    [
      'a name that no participant can have',
      'network: {participants: [{name: a b}]}',
      ':1: network.participants[0].name: expected up to 100 letters, digits, dashes and underscores, found "a b"',
    ],
    [
      'a synchronizer that nobody defines',
      'network: {participants: [{name: a, synchronizers: [x]}]}',
      ':1: network.participants[0].synchronizers[0]: there is no synchronizer x, only global, private',
    ],
    [
      'a participant that is connected to nothing',
      'network: {participants: [{name: a, synchronizers: []}]}',
      ':1: network.participants[0].synchronizers: the participant a is connected to no synchronizer',
    ],
    [
      'a participant that the settings do not name',
      'network:\n  participants:\n    - name: a\n      parties: {alice: {}}\n    - name: c\n      parties: {bob: {}}',
      ':5: network.participants[1].name: there is no participant c, only a, b',
      { network: { participants: [{ name: 'a' }, { name: 'b' }] } },
    ],
    [
      'a place that the settings name',
      'network: {participants: [{name: a, port: 4000}]}',
      ':1: network.participants[0].port: the settings name the participants; say this there',
      { network: { participants: [{ name: 'a' }, { name: 'b' }] } },
    ],
    [
      'a submission of an unknown participant',
      `${two}parties: {alice: {}}\nsubmissions:\n  - {participant: c, actAs: [$alice], commands: [{CreateCommand: {templateId: x, createArguments: {}}}]}`,
      ':4: submissions[0].participant: there is no participant c, only a, b',
    ],
    [
      'a submission for parties of two participants',
      'network: {participants: [{name: a, parties: {alice: {}}}, {name: b, parties: {bob: {}}}]}\nsubmissions:\n  - {actAs: [$alice, $bob], commands: [{CreateCommand: {templateId: x, createArguments: {}}}]}',
      ':3: submissions[0].actAs[1]: $bob is a party of b, and the participant that submits is a',
    ],
    [
      'an alias twice',
      'network: {participants: [{name: a, parties: {alice: {}}}, {name: b, parties: {alice: {}}}]}',
      ':1: network.participants[1].parties.alice: a party of another participant has this alias; rename one, and give it a hint',
    ],
    [
      'a hint twice on the first participant',
      'network: {participants: [{name: a, parties: {alice: {}}}, {name: b}]}\nparties: {other: {hint: alice}}',
      ':1: network.participants[0].parties.alice: another party has the hint alice, too',
    ],
    [
      'a party where its participant is not',
      'network: {participants: [{name: a, synchronizers: [global], parties: {alice: {synchronizers: [private]}}}, {name: b}]}',
      ':1: network.participants[0].parties.alice.synchronizers[0]: the participant a is not connected to private',
    ],
    [
      'an identity provider of another participant',
      'network:\n  participants:\n    - {name: a, identityProviders: {x: {issuer: i, jwksUrl: j}}}\n    - {name: b, users: {app: {identityProvider: x}}}',
      ':4: network.participants[1].users.app.identityProvider: there is no identity provider x of this participant',
    ],
    [
      'an unknown party',
      'network: {participants: [{name: a}, {name: b, users: {app: {actAs: [$nobody]}}}]}',
      ':1: network.participants[1].users.app.actAs[0]: there is no party called nobody',
    ],
    [
      'a DAR that is not there',
      'network: {participants: [{name: a}, {name: b, dars: [missing.dar]}]}',
      ':1: network.participants[1].dars[0]: cannot read the DAR: ENOENT',
    ],
    [
      'a port twice',
      'network: {participants: [{name: a, port: 4000}, {name: b, port: 4000}]}',
      'the participants a and b have the port 4000 twice; give each service its own',
    ],
  ]
  for (const [title, text, message, settings = {}] of rows) {
    test(`${title} is named before anything is written`, async () => {
      using folder = temporaryFolder()
      const world = join(folder.path, 'world.yaml')
      writeFileSync(world, text)
      const data = join(folder.path, 'data')
      const all = testSettings({
        ...off,
        ...settings,
        world,
        store: { data },
        http: { port: 0 },
        log: { level: 'silent' },
      })
      await assert.rejects(startNode(all), ({ message: found }: Error) => {
        assert.ok(found.includes(message), `${found}\nlacks ${message}`)
        return true
      })
      assert.ok(!existsSync(data))
    })
  }
})

describe('a world for a ledger that is there already', () => {
  const participants = (...names: string[]) => ({ network: { participants: names.map((name) => ({ name })) } })
  const submission = (amount: string) =>
    `submissions: [{actAs: [$bob], commands: [{CreateCommand: {templateId: '${iou}', createArguments: {issuer: $bob, owner: $bob, amount: ${amount}, currency: EUR, observers: []}}}]}]`
  const world = (amount: string) =>
    `network: {participants: [{name: a, users: {reader: {rights: [CanReadAsAnyParty]}}}, {name: b, parties: {bob: {}}}]}\n${submission(amount)}`

  /** The active contracts of each participant. */
  async function openAt(data: string, settings: object): Promise<number[]> {
    const store = { kind: 'sqlite' as const, data }
    const all = testSettings({ ...off, ...settings, store, http: { port: 0 }, log: { level: 'silent' } })
    await using node = await startNode(all)
    const counts = node.participants.map(async (one) => (await stateOf(participantOf(() => one))).amounts.length)
    return await Promise.all(counts)
  }

  test('is applied once, whichever participant is named first', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'world.yaml')
    writeFileSync(file, world('1'))
    const data = join(folder.path, 'data')
    assert.deepEqual(await openAt(data, { ...participants('a', 'b'), world: file }), [0, 1])
    assert.deepEqual(await openAt(data, { ...participants('b', 'a'), world: file }), [1, 0])
  })

  test('leaves its contracts as they were if it is refused, also where a new participant is named first', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'world.yaml')
    const data = join(folder.path, 'data')
    writeFileSync(file, `parties: {bob: {}}\n${submission('1')}`)
    assert.deepEqual(await openAt(data, { participant: { name: 'b' }, world: file }), [1])
    writeFileSync(file, world('-1'))
    await assert.rejects(openAt(data, { ...participants('a', 'b'), world: file }), /DAML_FAILURE/)
    assert.deepEqual(await openAt(data, participants('a', 'b')), [0, 1])
  })
})

test('a network begins with the world of the command line, and is exported as one', async () => {
  using folder = temporaryFolder()
  const world = join(folder.path, 'world.yaml')
  writeFileSync(world, complete)
  const where = { TALLYSTICK_STORE_DATA: join(folder.path, 'data') }
  await using _node = await start(
    ['--world', world, '--memory', '--auth', 'off', '--grpc-port', 'off'],
    where,
    'network',
  )
  const here = (...words: string[]) => call(words, { environment: where })
  const parties = JSON.parse((await here('party', 'list', '--participant', 'bank', '--json')).output)
  assert.ok(parties.some(({ party, isLocal }: Json) => isLocal && hintOf(party) === 'dealer'))
  const exported = join(folder.path, 'exported.yaml')
  const { output, told } = await here('world', 'export', exported)
  assert.match(output, /participants: 2, parties: 4, users: 4, packages: \d+, contracts: 1/)
  assert.match(told, /left out: .*its signatories are parties of several participants/)
  assert.ok(readdirSync(folder.path).some((name) => name.startsWith('effects')))
  await using network = await startNetwork({ world: exported })
  const { customer, bank } = network.participants
  assert.deepEqual([(await customer!.contracts(iou)).length, (await bank!.contracts(iou)).length], [0, 1])
  const text = readFileSync(exported, 'utf8')
  assert.match(text, /- name: customer\n\s+synchronizers:\n\s+- main\n/)
  assert.match(text, /alice-2:\n\s+hint: alice/)
  await here('world', 'export', exported, '--participant', 'bank')
  assert.doesNotMatch(readFileSync(exported, 'utf8'), /network|carol/)
})

test('a command beside a network has the parties and users of all its participants', async () => {
  using folder = temporaryFolder()
  const world = join(folder.path, 'world.yaml')
  writeFileSync(world, complete)
  const script = `
    const e = process.env
    const get = async (url, token) => (await fetch(url + '/v2/authenticated-user', { headers: { authorization: 'Bearer ' + token } })).status
    Promise.all([
      get(e.TALLYSTICK_URL_CUSTOMER, e.TALLYSTICK_TOKEN_CUSTOMER_APP), get(e.TALLYSTICK_URL_BANK, e.TALLYSTICK_TOKEN_BANK_APP),
      get(e.TALLYSTICK_URL_BANK, e.TALLYSTICK_TOKEN_DEALER), get(e.TALLYSTICK_URL_BANK, e.TALLYSTICK_TOKEN_CUSTOMER_APP),
    ]).then((all) => console.log(all.join(), e.TALLYSTICK_PARTY_DEALER.split('::')[0]))`
  const { code, output, errors } = await run(['exec', '--world', world, '--', process.execPath, '-e', script])
  assert.deepEqual([code, output.trim()], [0, '200,200,200,403 dealer'], errors)
})

test('the test kit starts the network of a world, or gives its own participants what the world says', async () => {
  using folder = temporaryFolder()
  const world = join(folder.path, 'world.yaml')
  writeFileSync(world, 'network: {participants: [{name: bank, parties: {dealer: {}}}]}\nparties: {alice: {}}')
  await using network = await startNetwork({ world, participants: ['customer', 'bank'], synchronizers: ['global'] })
  const { customer, bank } = network.participants
  const isLocal = async (node: typeof bank, party: string) =>
    (await node.call('GET', `/v2/parties/${party}`)).partyDetails.map((one: Json) => one.isLocal)
  const dealer = await bank.party('dealer')
  assert.deepEqual([await isLocal(bank, dealer), await isLocal(customer, dealer)], [[true], [false]])
  assert.deepEqual(await isLocal(customer, await customer.party('alice')), [true])
  await assert.rejects(startNetwork({}), /startNetwork needs participants, or a world/)
})
