// `tallystick check`: reports nothing for an intact ledger and every kind of damage, on both databases.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { decentralizedNamespaceOf } from '../../src/ledger/topology/mappings.ts'
import { checkLedger } from '../../src/node/maintenance.ts'
import { runHere } from '../fixtures/command.ts'
import { archiveIou, iouType, keys, keysDar, move, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { stores, testSettings } from '../fixtures/node.ts'
import { createOnboardingClient } from '../fixtures/onboarding.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { createSigner } from '../fixtures/signer.ts'
import { decentralizedNamespace, namespaceDelegation, transaction } from '../fixtures/topology.ts'

type Place = AsyncDisposable & {
  readonly contractId: string
  /** The offset before the first command: until there, parties were allocated. */
  readonly begin: number
  alter(sql: string): Promise<void>
  /** The findings, without the counts. */
  check(): Promise<string[]>
}

/** A ledger with some of everything, not in use by a node. */
async function openPlace(kind: (typeof stores)[number]): Promise<Place> {
  await using parts = new AsyncDisposableStack()
  const folder = parts.use(temporaryFolder())
  const database = kind === 'postgres' ? parts.use(await createTestDatabase()) : undefined
  let contractId: string
  let begin: number
  {
    const given = { store: kind, settings: { dars: [keysDar] }, ...(database && { postgresUrl: database.url }) }
    await using ledger = await startTestLedger(given)
    begin = await ledger.end()
    contractId = await fill(ledger)
    await move(ledger, (await ledger.submit([ledger.createIou()])).contractId, true)
    await move(ledger, (await ledger.submit([ledger.createIou()])).contractId, false)
    await propose(ledger)
    await contend(ledger)
    if (kind === 'sqlite') {
      await ledger.node.restart() // Moves everything into one file.
      fs.cpSync(ledger.node.folder, folder.path, { recursive: true })
    }
  }
  const settings = testSettings({
    store: { kind, data: folder.path, ...(database && { postgresUrl: database.url }) },
  })
  const owned = parts.move()
  return {
    contractId,
    begin,
    async alter(sql) {
      if (database === undefined) {
        using db = new DatabaseSync(join(folder.path, 'ledger.sqlite'))
        db.exec(sql)
        return
      }
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query(sql)
      await client.end()
    },
    async check() {
      const problems: string[] = []
      await checkLedger(settings, { problem: (text) => void problems.push(text), progress: () => undefined })
      return problems
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Returns an active contract; its update is the second. */
async function fill(ledger: TestLedger): Promise<string> {
  const archived = await ledger.submit([ledger.createIou()])
  const active = await ledger.submit([ledger.createIou()])
  await ledger.submit([archiveIou(archived.contractId)])
  const key = { maintainers: [ledger.alice], name: 'one', maintainersFault: 'Fine' }
  const createArguments = { signatories: [ledger.alice], observers: [], key, keyFault: 'Fine', note: '' }
  await ledger.submit([{ CreateCommand: { templateId: `${keys}:Keys:Keyed`, createArguments } }])
  const refused = ledger.commandsOf([{ CreateCommand: { templateId: iouType, createArguments: {} } }])
  assert.equal((await ledger.post('/v2/commands/submit-and-wait', refused)).status, 400)
  const consumed = ledger.commandsOf([archiveIou(archived.contractId)])
  assert.equal((await ledger.post('/v2/commands/submit-and-wait', consumed)).status, 404)
  return active.contractId
}

/** Leaves certificates of a namespace and a proposal, and takes no offset. */
async function propose(ledger: TestLedger): Promise<void> {
  const client = await createOnboardingClient(ledger.node)
  const owners = [createSigner(), createSigner()]
  const names = owners.map(({ fingerprint }) => fingerprint)
  const namespace = decentralizedNamespaceOf(names)
  const certificates = owners.map((signer) => {
    return { bytes: transaction(namespaceDelegation(signer.fingerprint, { signer })), signers: [signer] }
  })
  const definition = { bytes: transaction(decentralizedNamespace(namespace, 1, names)), signers: owners }
  const hosting = { bytes: client.hosting({ party: `proposed::${namespace}`, keys: [{ signer: createSigner() }] }) }
  assert.equal((await client.send([...certificates, definition, hosting])).status, 200)
}

/** Commands of which all but one are rejected when they are committed. */
async function contend(ledger: TestLedger): Promise<void> {
  const { contractId } = await ledger.submit([ledger.createIou()])
  const archives = Array.from({ length: 4 }, () => ledger.commandsOf([archiveIou(contractId)]))
  const answers = await Promise.all(archives.map((body) => ledger.post('/v2/commands/submit-and-wait', body)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
}

const whole = 'is not what was written'

/** Columns of tables about rights and the locations of contracts. */
const administrative = (begin: number): [table: string, column: string, problem: RegExp][] => [
  ['users', 'is_deactivated', /^the user \S+ is not what was written$/],
  ['parties', 'resource_version', /^the party \S+ is not what was written$/],
  ['vetted_packages', 'synchronizer', /^the vetting of the package \w+ is not what was written$/],
  ['packages', 'is_upgradable', /^the package \w+ is not what was written$/],
  ['dars', 'is_vetted', /^the DAR file \w+ is not what was written$/],
  ['vetting', 'serial', /^the vetting of the synchronizer with number 1 is not what was written$/],
  ['party_synchronizers', 'synchronizer', /^a host of the party \S+ is not what was written$/],
  ['namespace_certificates', 'synchronizer', /^a certificate of the namespace \w+ is not what was written$/],
  ['party_proposals', 'requests', /^a proposal to host the party \S+ is not what was written$/],
  ['synchronizers', 'record_time', /^the synchronizer \S+ \(number 1\) is not what was written$/],
  ['synchronizers', 'is_connected', /^the synchronizer \S+ \(number 1\) is not what was written$/],
  ['reassignments', 'source', reassignmentProblem(begin + 6)],
  ['reassignments', 'target', reassignmentProblem(begin + 9)],
  ['reassignments', 'exclusive_until', reassignmentProblem(begin + 6)],
  ['reassignments', 'assigned_offset', reassignmentProblem(begin + 6)],
  ['contract_moves', 'node_id', /^a move of the contract with number \d+ is not what was written$/],
  ['contract_moves', 'contract', /^a move of the contract with number 8\d is not what was written$/],
  ['contract_moves', 'contract', /^the last move of the contract with number 4 is missing$/],
]

const reassignmentProblem = (offset: number) =>
  new RegExp(`^the reassignment \\w+ at offset ${offset} is not what was written$`)

for (const kind of stores) {
  // One ledger for all, so the order is fixed: rows that are missing stay missing.
  test(`a check of a ledger on ${kind}`, async (t) => {
    await using place = await openPlace(kind)
    const { contractId, begin } = place

    await t.test('finds nothing in an intact one, also where commands were rejected', async () => {
      assert.deepEqual(await place.check(), [])
    })

    await t.test('finds all damage', async () => {
      const [first, second, third, fourth] = [begin + 1, begin + 2, begin + 3, begin + 4]
      const cases: [sql: string, undo: string, problems: (string | RegExp)[]][] = [
        [
          `UPDATE updates SET meta = meta || ' ' WHERE update_offset = ${second}`,
          `UPDATE updates SET meta = substr(meta, 1, length(meta) - 1) WHERE update_offset = ${second}`,
          [`the update at offset ${second} ${whole}`],
        ],
        [
          `UPDATE updates SET meta = meta || ' ' WHERE update_offset = 2`,
          `UPDATE updates SET meta = substr(meta, 1, length(meta) - 1) WHERE update_offset = 2`,
          [`the update at offset 2 ${whole}`], // A party that was allocated.
        ],
        [
          `UPDATE completions SET tail = tail || ' ' WHERE completion_offset = ${first}`,
          `UPDATE completions SET tail = substr(tail, 1, length(tail) - 1) WHERE completion_offset = ${first}`,
          [`the completion at offset ${first} ${whole}`],
        ],
        [
          `UPDATE contracts SET workflow_id = 'other' WHERE contract_id = '${contractId}'`,
          `UPDATE contracts SET workflow_id = '' WHERE contract_id = '${contractId}'`,
          [`the contract ${contractId} (number 2) ${whole}`],
        ],
        [
          `UPDATE contracts SET counter = 1 WHERE contract_id = '${contractId}'`,
          `UPDATE contracts SET counter = 0 WHERE contract_id = '${contractId}'`,
          [`the contract ${contractId} (number 2) ${whole}`],
        ],
        [
          `UPDATE contracts SET id_key = id_key + 1 WHERE contract_id = '${contractId}'`,
          `UPDATE contracts SET id_key = id_key - 1 WHERE contract_id = '${contractId}'`,
          [`the contract ${contractId} (number 2) is not found by its id`],
        ],
        [
          `UPDATE archives SET archived_offset = ${second} WHERE archived_offset = ${third}`,
          `UPDATE archives SET archived_offset = ${third} WHERE archived_offset = ${second}`,
          [/^the contract \w+ \(number 1\) is not what was written$/],
        ],
        [
          `UPDATE names SET name = name || 'x' WHERE number = 1`,
          `UPDATE names SET name = substr(name, 1, length(name) - 1) WHERE number = 1`,
          [`the name with number 1 ${whole}`, /missing in the updates of party|update_parties has|^the update at/],
        ],
        [
          `UPDATE ledger SET last_contract = last_contract + 7`,
          `UPDATE ledger SET last_contract = last_contract - 7`,
          [`the ledger's state ${whole}`],
        ],
        [
          `UPDATE accepted_changes SET published_at = published_at + 1 WHERE completion_offset = ${second}`,
          `UPDATE accepted_changes SET published_at = published_at - 1 WHERE completion_offset = ${second}`,
          [`the accepted change of the completion at offset ${second} is not what was written`],
        ],
        ...administrative(begin).map(([table, column, problem]): [string, string, RegExp[]] => [
          `UPDATE ${table} SET ${column} = ${column} + 77`,
          `UPDATE ${table} SET ${column} = ${column} - 77`,
          [problem],
        ]),
        [
          "UPDATE synchronizers SET alias = alias || 'x' WHERE number = 2",
          'UPDATE synchronizers SET alias = substr(alias, 1, length(alias) - 1) WHERE number = 2',
          [/^the synchronizer \S+ \(number 2\) is not what was written$/],
        ],
        [
          "UPDATE node SET name = name || 'x' WHERE name = 'first-admin'",
          "UPDATE node SET name = 'first-admin' WHERE name = 'first-adminx'",
          [`what the node knows as first-adminx ${whole}`],
        ],
        [
          'UPDATE reassignments SET assigned_offset = 77 WHERE assigned_offset IS NULL',
          'UPDATE reassignments SET assigned_offset = NULL WHERE assigned_offset = 77',
          [reassignmentProblem(begin + 9)],
        ],
        [
          `UPDATE active_contracts SET contract = 77 WHERE contract = 2 AND party = 0`,
          `UPDATE active_contracts SET contract = 2 WHERE contract = 77 AND party = 0`,
          ['the contract with number 2 is missing in the active contracts of party number 0'],
        ],
        [
          `INSERT INTO active_contracts (party, template, contract) VALUES (0, 77, 77)`,
          `DELETE FROM active_contracts WHERE contract = 77`,
          [/^active_contracts has \d+ rows instead of \d+$/],
        ],
        [
          `UPDATE contract_keys SET contract = 77`,
          `UPDATE contract_keys SET contract = 3`,
          ['the contract with number 3 is not found by its key'],
        ],
        [
          `UPDATE update_parties SET update_offset = 77 WHERE update_offset = ${fourth}`,
          `UPDATE update_parties SET update_offset = ${fourth} WHERE update_offset = 77`,
          [new RegExp(`^the update at offset ${fourth} is missing in the updates of party number \\d+$`)],
        ],
      ]
      for (const [sql, undo, wanted] of cases) {
        await place.alter(sql)
        const found = await place.check()
        for (const want of wanted) {
          const isFound = found.some((text) => (typeof want === 'string' ? text === want : want.test(text)))
          assert.ok(isFound, `${sql}: ${JSON.stringify(found)} lacks ${want}`)
        }
        await place.alter(undo)
      }
      assert.deepEqual(await place.check(), [], 'nothing is found once all of it is undone')
    })

    await t.test('finds a contract that was changed together with its checksums', async () => {
      const bytes = kind === 'sqlite' ? "CAST('other' AS BLOB)" : "convert_to('other', 'UTF8')"
      await place.alter(
        `UPDATE contracts SET blob = ${bytes}, blob_checksum = NULL WHERE contract_id = '${contractId}'`,
      )
      assert.deepEqual(await place.check(), [`the contract ${contractId} (number 2) is not what its id commits to`])
    })

    await t.test('finds missing rows', async () => {
      await place.alter(`DELETE FROM updates WHERE update_offset = ${begin + 2}`)
      await place.alter(`DELETE FROM completions WHERE completion_offset = ${begin + 1}`)
      for (const party of [1, 3, begin - 1]) await place.alter(`DELETE FROM updates WHERE update_offset = ${party}`)
      await place.alter(`UPDATE updates SET update_offset = 77 WHERE update_offset = 5`)
      const found = await place.check()
      const gone = (offset: number) => `the completion at offset ${offset} is missing, or the allocation of a party`
      for (const want of [
        ...[1, 3, 5, begin - 1, begin + 1].map(gone),
        'the update at offset 77 is after the end of the ledger',
        `the update at offset ${begin + 1} has no completion`,
        `the update at offset ${begin + 2} is missing, and a completion says that it was accepted`,
        'the contract with number 2 was created at an offset that has no update',
      ]) {
        assert.ok(found.includes(want), `${want}: ${JSON.stringify(found)}`)
      }
    })
  })
}

test('finds nothing in a pruned ledger with reassigned contracts', async () => {
  await using ledger = await startTestLedger({ store: 'sqlite', settings: { dars: [keysDar] } })
  const pruneUpTo = (await ledger.end()) + 3
  await fill(ledger)
  const moving = (await ledger.submit([ledger.createIou()])).contractId
  const moved = (await ledger.submit([ledger.createIou()])).contractId
  await move(ledger, moving, false)
  await move(ledger, moved, true)
  const pruned = await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo } })
  assert.equal(pruned.status, 200, pruned.text)
  const problems: string[] = []
  const settings = testSettings({ store: { kind: 'sqlite', data: ledger.node.folder } })
  await checkLedger(settings, { problem: (text) => void problems.push(text), progress: () => undefined })
  assert.deepEqual(problems, [])
})

test('tallystick check exits with 0 or 1, beside a running node or without one', async () => {
  using folder = temporaryFolder()
  await using ledger = await startTestLedger({ store: 'sqlite' })
  const parties = await ledger.end() // Offsets that parties took.
  await fillWithoutKeys(ledger)
  const fine = await runHere(['check', '--data', ledger.node.folder])
  assert.deepEqual([fine.code, fine.errors], [0, ''])
  assert.match(fine.output, new RegExp(`^updates: ${parties + 2} rows$`, 'm'))
  assert.match(fine.output, /^completions: 2 rows$/m)
  assert.match(fine.output, /\nnothing is damaged\n$/)
  await ledger.node.restart()
  fs.cpSync(ledger.node.folder, folder.path, { recursive: true })
  const file = join(folder.path, 'ledger.sqlite')
  using db = new DatabaseSync(file)
  db.exec(`UPDATE updates SET templates = templates, body = CAST('x' AS BLOB) WHERE update_offset = ${parties + 1}`)
  const damaged = await runHere(['check', '--data', folder.path])
  assert.deepEqual([damaged.code, damaged.errors], [1, 'tallystick: 2 things are damaged\n'])
  assert.match(
    damaged.output,
    new RegExp(`^damaged: the update at offset ${parties + 1} is not what was written$`, 'm'),
  )
  assert.match(damaged.output, /^damaged: the contract 00\w+ \(number 1\) is not what was written$/m) // Its event is there.
  const nothing = await runHere(['check', '--data', join(folder.path, 'nowhere')])
  assert.equal(nothing.code, 1)
  assert.match(nothing.errors, /^tallystick: there is no ledger in .*nowhere/)
})

async function fillWithoutKeys(ledger: TestLedger): Promise<void> {
  const { contractId } = await ledger.submit([ledger.createIou()])
  await ledger.submit([archiveIou(contractId)])
}
