// Power cuts, simulated below the last flush (test/fixtures/power-cut.ts): what a database or a node told is there
// afterwards, and the file is whole.
//
// TALLYSTICK_POWER_CUTS=100 asks for so many, TALLYSTICK_POWER_CUT_SEED=7 for the choices of an earlier run.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkLedger, resubmit } from '../fixtures/crash-checks.ts'
import { createWitness, untilAnswered, workUntilDeath } from '../fixtures/crash-load.ts'
import { createDice } from '../fixtures/dice.ts'
import { createLedgerClient, partyNamed } from '../fixtures/ledger-client.ts'
import { cutPower } from '../fixtures/power-cut.ts'
import { run, start, temporaryFolder } from '../fixtures/process.ts'
import { startRecordedNode } from '../fixtures/recorded-node.ts'

const cuts = Number(process.env.TALLYSTICK_POWER_CUTS ?? 6)
const firstSeed = Number(process.env.TALLYSTICK_POWER_CUT_SEED ?? Math.floor(Math.random() * 1_000_000))
/** Of what one kill leaves behind, as many disks are made. */
const cutsPerKill = 4

describe('a power cut', () => {
  for (let kill = 0; kill < Math.ceil(cuts / cutsPerKill); kill += 1) {
    const seed = firstSeed + kill * cutsPerKill
    test(`leaves every acknowledged commit of a database, seed ${seed}`, async (context) => {
      using folder = temporaryFolder()
      const place = (name: string) => join(folder.path, name)
      const acknowledged = await writeUntilKilled(place('data'), place('record'), createDice(seed))
      for (let cut = 0; cut < cutsPerKill; cut += 1) {
        const into = place(`cut-${cut}`)
        const report = cutPower({ folder: place('data'), record: place('record'), into, seed: seed + cut })
        context.diagnostic(`seed ${seed + cut}: ${acknowledged} commits, ${JSON.stringify(report)}`)
        checkRows(join(into, 'ledger.sqlite'), acknowledged)
      }
    })
  }

  test(`leaves what a node told its clients, seed ${firstSeed}`, async (context) => {
    using folder = temporaryFolder()
    const place = (name: string) => join(folder.path, name)
    const dice = createDice(firstSeed)
    const witness = createWitness()
    {
      await using node = await startRecordedNode(place('data'), place('record'))
      const client = createLedgerClient(node.url)
      const owner = await partyNamed(client, 'owner')
      const observer = await partyNamed(client, 'observer')
      const work = workUntilDeath({ client, witness, dice: createDice(~firstSeed), owner, observer })
      work.catch(() => undefined) // It is awaited below, once the node is gone.
      await untilAnswered(witness, 200, work)
      await setTimeout(dice(500))
      await node.kill()
      await work
      assert.doesNotMatch(node.errors(), /"level":(50|60)/, node.errors())
    }
    const report = cutPower({ folder: place('data'), record: place('record'), into: place('cut'), seed: firstSeed })
    context.diagnostic(JSON.stringify(report))
    await using node = await start(['--data', place('cut'), '--auth', 'off', '--log-level', 'warn'])
    const client = createLedgerClient(node.url)
    await checkLedger(client, witness)
    await resubmit(client, witness, createDice(firstSeed))
    assert.equal(await node.stop('SIGTERM'), 0)
    const checked = await run(['check', '--data', place('cut')])
    assert.equal(checked.code, 0, `${checked.output}${checked.errors}`)
  })
})

/** Answers how many commits were acknowledged. */
async function writeUntilKilled(folder: string, record: string, dice: (sides: number) => number): Promise<number> {
  const writer = fileURLToPath(new URL('../fixtures/recorded-writer.ts', import.meta.url))
  const child = spawn(process.execPath, [writer, folder, record], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  await once(child.stdout, 'data')
  await setTimeout(200 + dice(600))
  child.kill('SIGKILL')
  await closed
  return Number(readFileSync(join(record, 'acknowledged'), 'utf8'))
}

/** All that was acknowledged, perhaps the one that was under way, and nothing between is missing. */
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
  const answer = db.prepare('PRAGMA integrity_check').get()
  assert.deepEqual({ ...answer }, { integrity_check: 'ok' })
}
