// World files: what a ledger begins with, each mistake with its message, and what happens when they are applied again.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { worldSchemaDocument } from '../../tools/world-schema.ts'
import { call } from '../fixtures/command.ts'
import { effectsDar, type Json, keysDar } from '../fixtures/ledger.ts'
import { refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { createTestDatabase, needsPostgres } from '../fixtures/postgres.ts'

const kinds = ['memory', ...stores] as const

/** A folder with world files. */
function worldFolder() {
  const path = mkdtempSync(join(tmpdir(), 'tallystick-world-'))
  return {
    path,
    write(text: string, name = 'world.yaml'): string {
      writeFileSync(join(path, name), text)
      return join(path, name)
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

const iou = (amount: string, owner = '$alice') =>
  `{templateId: '#quickstart:Iou:Iou', createArguments: {issuer: $bank, owner: ${owner}, amount: ${amount}, currency: EUR, observers: []}}`

const complete = `
# What everybody begins with.
dars: [${effectsDar}]
synchronizers:
  - alias: main
    priority: 5
  - alias: side
identityProviders:
  corporate: {issuer: https://corporate.example, jwksUrl: https://corporate.example/keys}
parties:
  bank: {hint: first-bank}
  alice: {annotations: {tier: gold}}
  guest: {synchronizers: [side], identityProvider: corporate}
users:
  app:
    primaryParty: $alice
    actAs: [$alice, $bank]
    readAs: [$guest]
    rights: [CanReadAsAnyParty]
  clerk: {identityProvider: corporate}
  participant_admin: {actAs: [$bank]}
submissions:
  - actAs: [$bank, $alice]
    userId: app
    workflowId: setup
    commands:
      - CreateCommand: ${iou("'1234567890123456789.0000000001'")}
        labels: [big]
      - CreateCommand: ${iou('10')}
  - actAs: [$alice]
    commands:
      - ExerciseCommand: {templateId: '#quickstart:Iou:Iou', contractId: $big, choice: Iou_Split, choiceArgument: {amount: '1'}}
        labels: [small, rest]
  - actAs: [$alice, $bank]
    commands:
      - ExerciseCommand: {templateId: '#quickstart:Iou:Iou', contractId: $small, choice: Archive}
`

async function stateOf(node: TestNode): Promise<Json> {
  const { offset } = (await node.call('GET', '/v2/state/ledger-end')).json
  const body = { eventFormat: { filtersForAnyParty: {}, verbose: false }, activeAtOffset: offset }
  const reader = await node.token('app')
  const active = (await node.call('POST', '/v2/state/active-contracts', { body, token: reader })).json
  const amounts = active.map(
    ({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent.createArgument.amount,
  )
  const parties = (await node.call('GET', '/v2/parties')).json.partyDetails
  const rights = (id: string, provider = '') =>
    node.call('GET', `/v2/users/${id}/rights?identity-provider-id=${provider}`).then(({ json }) => json.rights)
  return {
    offset,
    amounts: amounts.sort(),
    parties: parties
      .map(({ party }: Json) => party.split('::')[0])
      .filter((name: string) => name !== 'participant')
      .sort(),
    rights: (await rights('app')).map(({ kind }: Json) => Object.keys(kind)[0]).sort(),
    admin: (await rights('participant_admin')).length,
    synchronizers: (await node.call('GET', '/v2/state/connected-synchronizers')).json.connectedSynchronizers.map(
      ({ synchronizerAlias }: Json) => synchronizerAlias,
    ),
    providers: (await node.call('GET', '/v2/idps')).json.identityProviderConfigs.length,
    packages: (await node.call('GET', '/v2/packages')).json.packageIds.length,
  }
}

for (const store of kinds) {
  describe(`a world on ${store}`, () => {
    test('is there before the first request, and applied again it changes nothing', async () => {
      using folder = worldFolder()
      await using node = await startTestNode({ store, settings: { world: folder.write(complete) } })
      const first = await stateOf(node)
      assert.deepEqual(first.amounts, ['10.0000000000', '1234567890123456788.0000000001'])
      assert.deepEqual(first.parties, ['alice', 'first-bank', 'guest'])
      assert.deepEqual(first.rights, ['CanActAs', 'CanActAs', 'CanReadAs', 'CanReadAsAnyParty'])
      assert.equal(first.admin, 2)
      assert.deepEqual(first.synchronizers, ['main', 'side'])
      assert.equal(first.providers, 1)
      if (store !== 'memory') {
        await node.restart()
        assert.deepEqual(await stateOf(node), first)
      }
      await node.call('POST', '/v2/parties', { body: { partyIdHint: 'late' } })
      const reset = await node.call('POST', '/dev/reset')
      if (store === 'postgres') return assert.equal(refusalOf(reset)[1], 'SNAPSHOTS_UNAVAILABLE')
      assert.equal(reset.status, 200)
      assert.deepEqual(await stateOf(node), first)
    })
  })
}

describe('a world file that grew', () => {
  const parties = (...names: string[]) => names.map((name) => `  ${name}: {}\n`).join('')
  const begin = (names: string) => `parties:\n${names}users:\n  app: {actAs: [$alice], rights: [CanReadAsAnyParty]}\n`
  const submission = (amount: string) => `  - {actAs: [$bank, $alice], commands: [{CreateCommand: ${iou(amount)}}]}\n`
  const small = `${begin(parties('bank', 'alice'))}submissions:\n${submission('1')}`
  const grown = `${begin(parties('bank', 'alice', 'bob'))}submissions:\n${submission('7')}${submission('1')}${submission('1')}`

  test('adds what is new, also after a reset', async () => {
    using folder = worldFolder()
    const world = folder.write(small)
    await using node = await startTestNode({ store: 'sqlite', settings: { world } })
    assert.deepEqual((await stateOf(node)).amounts, ['1.0000000000'])
    await node.restart(() => folder.write(grown))
    const { amounts, parties: found } = await stateOf(node)
    assert.deepEqual(amounts, ['1.0000000000', '1.0000000000', '7.0000000000'])
    assert.deepEqual(found, ['alice', 'bank', 'bob'])
    assert.equal((await node.call('POST', '/dev/reset')).status, 200)
    assert.deepEqual((await stateOf(node)).amounts, amounts)
  })

  test('leaves the ledger as it was if it has a mistake', async () => {
    using folder = worldFolder()
    const world = folder.write(small)
    await using node = await startTestNode({ store: 'sqlite', settings: { world } })
    const before = await stateOf(node)
    await assert.rejects(
      node.restart(() => folder.write(`${grown}${submission('-1')}`)),
      /world\.yaml:11: submissions\[3\]: DAML_FAILURE/,
    )
    folder.write(small)
    await node.restart()
    assert.deepEqual(await stateOf(node), before)
    assert.deepEqual(
      readdirSync(node.folder).filter((name) => name.endsWith('.part')),
      [],
    )
  })
})

describe('a first start with a mistake in its world', () => {
  const mistaken = `parties: {bank: {}, alice: {}}
submissions:
  - actAs: [$bank]
    commands: [{CreateCommand: ${iou('1')}}]
`
  const message = /world\.yaml:3: submissions\[0\]: DAML_AUTHORIZATION_ERROR/

  test('leaves no ledger in its folder', async () => {
    using folder = worldFolder()
    const data = mkdtempSync(join(tmpdir(), 'tallystick-world-data-'))
    const settings = { world: folder.write(mistaken), store: { data } }
    const { startNode } = await import('../../src/node/node.ts')
    const { testSettings } = await import('../fixtures/node.ts')
    const start = () => startNode(testSettings({ ...settings, http: { port: 0 }, log: { level: 'silent' } }))
    await assert.rejects(start(), message)
    assert.ok(!existsSync(join(data, 'ledger.sqlite')))
    folder.write('parties: {bank: {}}')
    await (await start())[Symbol.asyncDispose]()
    assert.ok(existsSync(join(data, 'ledger.sqlite')))
    rmSync(data, { recursive: true })
  })

  test('leaves an empty database in PostgreSQL', needsPostgres, async () => {
    using folder = worldFolder()
    await using database = await createTestDatabase()
    const options = { store: 'postgres', postgresUrl: database.url } as const
    const world = folder.write(mistaken)
    await assert.rejects(startTestNode({ ...options, settings: { world } }), message)
    folder.write('parties: {bank: {}}\nusers: {app: {rights: [CanReadAsAnyParty]}}')
    await using node = await startTestNode({ ...options, settings: { world } })
    assert.deepEqual((await stateOf(node)).parties, ['bank'])
    await assert.rejects(
      node.restart(() => folder.write('parties: {alice: {}}')),
      /takes a world file only at its first start/,
    )
    folder.write('parties: {bank: {}}\nusers: {app: {rights: [CanReadAsAnyParty]}}')
    await node.restart()
  })
})

describe('a mistake in a world file', () => {
  const oneOf = 'CreateCommand, ExerciseCommand, ExerciseByKeyCommand, CreateAndExerciseCommand'
  const people = 'parties: {bank: {}, alice: {}}\n'
  const run = (command: string, actAs = '[$bank, $alice]') =>
    `${people}submissions:\n  - actAs: ${actAs}\n    commands:\n      - ${command}\n`
  const rows: [title: string, text: string, message: string][] = [
    [
      'broken YAML',
      'parties: {bank: {}\nusers: {}',
      ':2: Flow map in block collection must be sufficiently indented and end with a }',
    ],
    ['a key twice', 'parties:\n  bank: {}\n  bank: {}', ':3: Map keys must be unique'],
    ['no object', '- bank', ':1: expected an object, found a list'],
    ['an empty file', '', ':1: expected an object, found nothing (in YAML a text that begins with # needs quotes)'],
    ['an unknown section', 'parties: {}\nuser: {}', ':2: user: there is no such field; did you mean users?'],
    [
      'an unknown field',
      'users:\n  app:\n    actsAs: []',
      ':3: users.app.actsAs: there is no such field; did you mean actAs?',
    ],
    ['a field of the wrong kind', 'parties:\n  bank: {hint: 7}', ':2: parties.bank.hint: expected a text, found 7'],
    ['a missing field', 'identityProviders:\n  one: {issuer: a}', ':2: identityProviders.one: jwksUrl is missing'],
    [
      'a name that no alias can have',
      'parties:\n  "a b": {}',
      ':2: parties.a b: the name must be letters, digits, dashes and underscores',
    ],
    ['no user id', 'users:\n  "a b": {}', ':2: users.a b: the name must be a user id'],
    [
      'an unknown right',
      'users:\n  app:\n    rights: [Admin]',
      ':3: users.app.rights[0]: expected one of ParticipantAdmin, IdentityProviderAdmin, CanReadAsAnyParty, CanExecuteAsAnyParty, found "Admin"',
    ],
    [
      'a party without $',
      'users:\n  app:\n    actAs: [alice]',
      ':3: users.app.actAs[0]: expected $alias, or the id of a party, found "alice"',
    ],
    [
      'an unknown party',
      `${people}users:\n  app:\n    actAs: [$bob]`,
      ':4: users.app.actAs[0]: there is no party called bob',
    ],
    [
      'an unknown primary party',
      'users:\n  app: {primaryParty: $bob}',
      ':2: users.app.primaryParty: there is no party called bob',
    ],
    [
      'two parties with one id',
      'parties:\n  a: {hint: x}\n  b: {hint: x}',
      ':3: parties.b: another party has the hint x, too',
    ],
    [
      'an issuer twice',
      'identityProviders:\n  a: {issuer: x, jwksUrl: "http://a"}\n  b: {issuer: x, jwksUrl: "http://b"}',
      ':3: identityProviders.b.issuer: another identity provider has it, too',
    ],
    [
      'an unknown identity provider',
      'parties:\n  a: {identityProvider: x}',
      ':2: parties.a.identityProvider: there is no identity provider x in this file',
    ],
    [
      'an unknown synchronizer',
      'parties:\n  a: {synchronizers: [x]}',
      ':2: parties.a.synchronizers[0]: there is no synchronizer x, only global, private',
    ],
    [
      'a synchronizer twice',
      'synchronizers:\n  - alias: x\n  - alias: x',
      ':3: synchronizers[1].alias: two synchronizers are called x',
    ],
    ['a DAR that is not there', 'dars: [nowhere.dar]', ':1: dars[0]: cannot read the DAR: ENOENT'],
    ['a submission without parties', run('{}', '[]'), ':3: submissions[0].actAs: it is empty'],
    ['no command', run('{}'), `:5: submissions[0].commands[0]: expected exactly one of ${oneOf}`],
    [
      'a template without quotes',
      run('CreateCommand:\n          createArguments: {}\n          templateId: #q:Iou:Iou'),
      ':7: submissions[0].commands[0].CreateCommand.templateId: expected a text, found nothing (in YAML a text that begins with # needs quotes)',
    ],
    [
      'an unknown reference in a value',
      run(`CreateCommand: ${iou('1', '$bob')}`),
      ':5: submissions[0].commands[0].CreateCommand.createArguments.owner: there is no party and no contract before it called bob; write $$bob for a text that begins with a $',
    ],
    [
      'a party as contract',
      run("ExerciseCommand: {templateId: 'a:b:c', contractId: $bank, choice: Archive}"),
      ':5: submissions[0].commands[0].ExerciseCommand.contractId: $bank is a party, no contract',
    ],
    [
      'an unknown contract',
      run("ExerciseCommand: {templateId: 'a:b:c', contractId: $x, choice: Archive}"),
      ':5: submissions[0].commands[0].ExerciseCommand.contractId: there is no contract before it called x',
    ],
    [
      'a label twice',
      run(`CreateCommand: ${iou('1')}\n        labels: [a, a]`),
      ':6: submissions[0].commands[0].labels[1]: another contract has the label a',
    ],
    [
      'a label that is an alias',
      run(`CreateCommand: ${iou('1')}\n        labels: [bank]`),
      ':6: submissions[0].commands[0].labels[0]: a party has the alias bank',
    ],
    [
      'more labels than contracts',
      run(`CreateCommand: ${iou('1')}\n        labels: [a, b]`),
      ':6: submissions[0].commands[0].labels: the command creates one contract, and there are 2 labels',
    ],
    ['an argument that does not fit', run(`CreateCommand: ${iou('much')}`), ':3: submissions[0]: INVALID_ARGUMENT: '],
    [
      'a template that does not exist',
      run("CreateCommand: {templateId: '#quickstart:Iou:None', createArguments: {}}"),
      ':3: submissions[0]: TEMPLATES_OR_INTERFACES_NOT_FOUND: ',
    ],
    ['a hint that no party can have', 'parties:\n  a: {hint: "a/b"}', ':2: parties.a: INVALID_FIELD: '],
    ['a bad URL', 'identityProviders:\n  a: {issuer: x, jwksUrl: y}', ':2: identityProviders.a: INVALID_FIELD: '],
  ]
  for (const [title, text, message] of rows) {
    test(`is named with its line: ${title}`, async () => {
      using folder = worldFolder()
      const file = folder.write(text)
      const problem = await startTestNode({ settings: { world: file } }).then(
        async (node) => {
          await node[Symbol.asyncDispose]()
          return 'it started'
        },
        (error: Error) => error.message,
      )
      assert.equal(problem.slice(0, file.length + message.length), `${file}${message}`)
    })
  }

  test('is named in JSON as well', async () => {
    using folder = worldFolder()
    const world = folder.write('{\n\t"parties": {\n\t\t"bank": {"hint": 7}\n\t}\n}', 'world.json')
    await assert.rejects(startTestNode({ settings: { world } }), {
      message: `${world}:3: parties.bank.hint: expected a text, found 7`,
    })
  })

  test('can also be the file itself, or the node', async () => {
    using folder = worldFolder()
    await assert.rejects(startTestNode({ settings: { world: '/nowhere.yaml' } }), /cannot read the world file: ENOENT/)
    const world = folder.write('synchronizers: [{alias: a}]')
    await assert.rejects(
      startTestNode({ settings: { world, development: false } }),
      /a world file is for development nodes/,
    )
    const settings = { world, synchronizers: [{ alias: 'b', priority: 0 }] }
    await assert.rejects(
      startTestNode({ settings }),
      /world\.yaml:1: synchronizers: the settings name synchronizers as well/,
    )
    const noDar = { world: folder.write(`dars: [${fileURLToPath(import.meta.url)}]`) }
    await assert.rejects(startTestNode({ settings: noDar }), /world\.yaml:1: dars\[0\]: /)
  })
})

test('an export makes another ledger with the same packages, parties, users and rights', async () => {
  using folder = worldFolder()
  const file = join(folder.path, 'exported.yaml')
  await using node = await startTestNode({ settings: { world: folder.write(complete), dars: [keysDar] } })
  const words = ['world', 'export', file, '--url', node.url, '--token', node.adminToken]
  await assert.rejects(call(words), /lacks a right; --without-contracts leaves the contracts out$/)
  await call([...words, '--without-contracts'])
  const text = readFileSync(file, 'utf8')
  assert.match(text, /first-bank: \{\}\n {2}guest:\n {4}identityProvider: corporate\n/)
  assert.match(text, /primaryParty: \$alice\n {4}actAs:\n {6}- \$alice\n {6}- \$first-bank\n/)
  const paths = ['/v2/packages', '/v2/users', '/v2/users/app/rights', '/v2/parties', '/v2/idps']
  const all = async (from: TestNode) => {
    const answers = await Promise.all(paths.map(async (path) => (await from.call('GET', path)).text))
    return answers.map((text) => JSON.parse(text.replaceAll(/::1220[0-9a-f]{64}/g, '')))
  }
  await using other = await startTestNode({ settings: { world: file } })
  assert.deepEqual(await all(other), await all(node))
})

test('docs/world-schema.json is the schema (tools/world-schema.ts writes it)', () => {
  assert.deepEqual(JSON.parse(readFileSync('docs/world-schema.json', 'utf8')), JSON.parse(worldSchemaDocument()))
})
