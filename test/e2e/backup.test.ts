// A copy of a SQLite ledger that is made by SQLite itself while the node commits: what docs/production.md recommends.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempDisposableSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { checkLedger } from '../fixtures/crash-checks.ts'
import { createWitness, untilAnswered, workUntilDeath } from '../fixtures/crash-load.ts'
import { createDice } from '../fixtures/dice.ts'
import { createLedgerClient, partyNamed } from '../fixtures/ledger-client.ts'
import { startTestNode } from '../fixtures/node.ts'

const allPages = 2 ** 30
const files = ['ledger.sqlite', 'ledger.sqlite-wal', 'ledger.sqlite-shm']

test('an online copy of a SQLite ledger has everything that was acknowledged before it began', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'tallystick-backup-'))
  await using node = await startTestNode({ store: 'sqlite', settings: { auth: { mode: 'off' } } })
  const [original, copy] = [join(node.folder, 'ledger.sqlite'), join(folder.path, 'ledger.sqlite')]
  const client = createLedgerClient(node.url)
  const [owner, observer] = [await partyNamed(client, 'owner'), await partyNamed(client, 'observer')]
  const witness = createWitness()
  let isOver = false
  const outages = { isOver: () => isOver }
  const work = workUntilDeath({ client, witness, dice: createDice(1), owner, observer, outages })
  await untilAnswered(witness, 100, work)
  const { outcomes, parties, end } = structuredClone({ ...witness, sent: undefined })
  const source = new DatabaseSync(original, { readOnly: true })
  await backup(source, copy, { rate: allPages }) // In one step: SQLite begins again when somebody writes in between.
  source.close()
  await untilAnswered(witness, 20, work)
  isOver = true
  await work
  await node.restart(() => {
    for (const file of files) rmSync(join(node.folder, file), { force: true })
    copyFileSync(copy, original)
  })
  const told = { ...createWitness(), outcomes, parties, end }
  const history = await checkLedger(createLedgerClient(node.url), told)
  assert.ok(history.end < witness.end, 'commits went on meanwhile')
  assert.equal((await node.call('GET', '/readyz')).status, 200)
})
