// A node that is killed while it applies a world file: the next start leaves nothing half done.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import pg from 'pg'
import { startHere } from '../fixtures/command.ts'
import { createLedgerClient } from '../fixtures/ledger-client.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { launch, start, temporaryFolder } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'
import { coining, withScripts } from '../support/lf/script-package.ts'

const submissions = 100
/** The node is killed when the ledger has so many updates, at the earliest. */
const updatesMin = 6
/** Those of the parties and of the submissions. */
const partyUpdates = 4

const iou =
  "{templateId: '#quickstart:Iou:Iou', createArguments: {issuer: $bank, owner: $alice, amount: '1', currency: EUR, observers: []}}"
const world = `
parties: {bank: {}, alice: {}}
submissions:
${`  - {actAs: [$bank, $alice], commands: [{CreateCommand: ${iou}}]}\n`.repeat(submissions)}`

function worldIn(folder: string): string {
  const file = join(folder, 'world.yaml')
  writeFileSync(file, world)
  return file
}

/** Starts a node that applies the world, and kills it in the middle. */
async function killAtWork(
  args: string[],
  updatesSoFar: () => Promise<number>,
  environment: Record<string, string> = {},
): Promise<void> {
  const child = launch(['start', '--port', '0', '--auth', 'off', ...args], environment)
  const closed = once(child.process, 'close')
  await until(async () => child.process.exitCode !== null || (await updatesSoFar()) >= updatesMin)
  child.process.kill('SIGKILL')
  await closed
  assert.equal(child.process.signalCode, 'SIGKILL', child.errors())
  assert.doesNotMatch(child.output(), /ready in/)
}

const endQuery = 'SELECT ledger_end FROM ledger'

async function updatesIn(folder: string, before = 0): Promise<number> {
  const file = join(folder, 'ledger.sqlite')
  if (!existsSync(file)) return 0
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    return Number(db.prepare(endQuery).get()!.ledger_end) - before
  } catch {
    return 0 // It has no tables yet.
  }
}

async function endOf(url: string): Promise<number> {
  return (await createLedgerClient(url).get('/v2/state/ledger-end'))!.json.offset
}

/** What the node has left in its folder, besides its own files. */
function leftIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /part|before-world|restored/.test(name))
}

describe('a world that was cut short by a kill', () => {
  test('is applied anew, and a reset returns to it', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'data')
    const args = ['--data', data, '--world', worldIn(folder.path)]
    await killAtWork(args, () => updatesIn(data))
    await using node = await startHere([...args, '--auth', 'off'])
    assert.equal(await endOf(node.url), submissions + partyUpdates)
    const client = createLedgerClient(node.url)
    await client.post('/v2/parties', { partyIdHint: 'late' })
    assert.equal((await client.post('/dev/reset', {}))?.status, 200)
    assert.equal(await endOf(node.url), submissions + partyUpdates)
    assert.deepEqual(leftIn(data), [])
  })

  test('leaves an empty ledger if the next start has no world', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'data')
    await killAtWork(['--data', data, '--world', worldIn(folder.path)], () => updatesIn(data))
    await using node = await startHere(['--data', data, '--auth', 'off'])
    assert.equal(await endOf(node.url), 0)
    assert.equal((await createLedgerClient(node.url).post('/dev/reset', {}))?.status, 200)
  })

  test('leaves an older ledger as it was', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'data')
    const older = await startHere(['--data', data, '--auth', 'off'])
    await createLedgerClient(older.url).post('/v2/parties', { partyIdHint: 'early' })
    const end = await endOf(older.url)
    await older.stop()
    await killAtWork(['--data', data, '--world', worldIn(folder.path)], () => updatesIn(data, end))
    await using node = await startHere(['--data', data, '--auth', 'off'])
    assert.equal(await endOf(node.url), end)
    assert.deepEqual(leftIn(data), [])
  })

  test('begins anew, too, if its init script was cut short', async () => {
    using folder = temporaryFolder()
    const [data, dar] = [join(folder.path, 'data'), join(folder.path, 'scripts.dar')]
    const scripts = [coining('many', 500), coining('few', 2)]
    writeFileSync(
      dar,
      withScripts((syntax) => scripts.map((each) => each(syntax))),
    )
    const args = ['--data', data, '--dar', dar, '--init-script']
    await killAtWork([...args, 'Scripts:many'], () => updatesIn(data))
    await using node = await start([...args, 'Scripts:few', '--auth', 'off'])
    assert.equal(await endOf(node.url), partyUpdates / 2 + 2)
    assert.match(node.errors, /the ledger begins anew/)
    assert.deepEqual(leftIn(data), [])
  })

  test('is applied anew in PostgreSQL', async () => {
    using folder = temporaryFolder()
    await using database = await createTestDatabase()
    const args = ['--postgres', database.url, '--world', worldIn(folder.path)]
    const development = { TALLYSTICK_DEVELOPMENT: 'true' }
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const updates = async () => {
      const { rows } = await client.query(endQuery).catch(() => ({ rows: [] })) // It has no tables yet.
      return Number(rows[0]?.ledger_end ?? 0)
    }
    await killAtWork(args, updates, development)
    await client.end()
    await using node = await startHere([...args, '--auth', 'off'], development)
    assert.equal(await endOf(node.url), submissions + partyUpdates)
  })
})
