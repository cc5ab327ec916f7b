// Power cuts while a node or a database writes: flushed data survives; of the rest any sector may be lost, stale or
// garbage (test/fixtures/power-cut.ts). Each folder that a kill leaves behind is cut several times.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { checkLedger, resubmit } from '../../test/fixtures/crash-checks.ts'
import { createWitness, untilAnswered, type Witness, workUntilDeath } from '../../test/fixtures/crash-load.ts'
import { createDice, type Dice } from '../../test/fixtures/dice.ts'
import { createLedgerClient, partyNamed } from '../../test/fixtures/ledger-client.ts'
import { cutPower } from '../../test/fixtures/power-cut.ts'
import { start, temporaryFolder } from '../../test/fixtures/process.ts'
import { startRecordedNode } from '../../test/fixtures/recorded-node.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'
import { pause } from '../target/besieged.ts'

const rounds = { timesPerRound: 4, sideBySide: 2, failureKind: 'lost' } as const
const warmAnswers = 100

export const powerCuts: Campaign[] = [
  {
    name: 'power cuts, node',
    attack: 'a node at work is killed; of what it wrote since its last flush, sectors are lost, old or torn',
    invariant: 'Every update, completion and answer that a client saw is there afterwards; the file is whole',
    unit: 'cuts',
    full: 120,
    short: 1,
    run: (plan) => runRounds(plan, cutNode, rounds),
  },
  {
    name: 'power cuts, database',
    attack: 'a writer of rows of all sizes is killed in the middle of commits and of writing its log back',
    invariant: 'Every acknowledged row is there, at most the one under way besides, and no page is damaged',
    unit: 'cuts',
    full: 200,
    short: 4,
    run: (plan) => runRounds(plan, cutDatabase, rounds),
  },
]

async function cutNode(seed: number, count: number): Promise<number> {
  using folder = temporaryFolder()
  const place = (name: string) => join(folder.path, name)
  const dice = createDice(seed)
  const witness = createWitness()
  {
    await using node = await startRecordedNode(place('data'), place('record'))
    const client = createLedgerClient(node.url)
    const owner = await partyNamed(client, 'owner')
    const observer = await partyNamed(client, 'observer')
    const work = workUntilDeath({ client, witness, dice: createDice(~seed), owner, observer })
    work.catch(() => undefined) // Awaited below, after the kill.
    await untilAnswered(witness, warmAnswers, work)
    await pause(dice(400))
    await node.kill()
    await work
    assert.doesNotMatch(node.errors(), /"level":(50|60)/, node.errors())
  }
  for (let cut = 0; cut < count; cut += 1) {
    const into = place(`cut-${cut}`)
    cutPower({ folder: place('data'), record: place('record'), into, seed: seed * 101 + cut })
    await checkNode(into, copyOf(witness), createDice(seed + cut))
  }
  return count
}

/** Each possible disk needs its own copy, because checking it adds to what is known. */
function copyOf(witness: Witness): Witness {
  return structuredClone(witness)
}

async function checkNode(folder: string, witness: Witness, dice: Dice): Promise<void> {
  await using node = await start(['--data', folder, '--auth', 'off', '--log-level', 'warn'])
  const client = createLedgerClient(node.url)
  await checkLedger(client, witness)
  await resubmit(client, witness, dice)
  assert.equal(await node.stop('SIGTERM'), 0)
  checkFile(join(folder, 'ledger.sqlite'))
}

async function cutDatabase(seed: number, count: number): Promise<number> {
  using folder = temporaryFolder()
  const place = (name: string) => join(folder.path, name)
  const acknowledged = await writeUntilKilled(place('data'), place('record'), createDice(seed))
  for (let cut = 0; cut < count; cut += 1) {
    const into = place(`cut-${cut}`)
    cutPower({ folder: place('data'), record: place('record'), into, seed: seed * 101 + cut })
    checkRows(join(into, 'ledger.sqlite'), acknowledged)
  }
  return count
}

/** Returns the number of acknowledged commits. */
async function writeUntilKilled(folder: string, record: string, dice: Dice): Promise<number> {
  const writer = fileURLToPath(new URL('../../test/fixtures/recorded-writer.ts', import.meta.url))
  const child = spawn(process.execPath, [writer, folder, record], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  await once(child.stdout, 'data')
  await pause(100 + dice(500))
  child.kill('SIGKILL')
  await closed
  return Number(readFileSync(join(record, 'acknowledged'), 'utf8'))
}

function checkRows(path: string, acknowledged: number): void {
  checkFile(path)
  using db = new DatabaseSync(path)
  const { count, last } = db.prepare('SELECT count(*) AS count, max(n) AS last FROM things').get() as {
    count: number
    last: number
  }
  assert.equal(count, last)
  assert.ok([acknowledged, acknowledged + 1].includes(last), `${acknowledged} were acknowledged, ${last} are there`)
}

function checkFile(path: string): void {
  using db = new DatabaseSync(path)
  assert.deepEqual({ ...db.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
}
