import assert from 'node:assert/strict'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { until } from '../../../test/fixtures/until.ts'
import { lookThroughTrees, type TreeReport, type Trees } from './damaged-trees.ts'

const pageBytes = 4096

describe('the trees of a large file', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tallystick-trees-'))
  const [whole, damaged] = [join(folder, 'whole.sqlite'), join(folder, 'damaged.sqlite')]

  before(() => {
    using db = new DatabaseSync(whole)
    db.exec('CREATE TABLE contracts (body); CREATE TABLE parties (party PRIMARY KEY, note) WITHOUT ROWID')
    db.exec('INSERT INTO contracts VALUES (zeroblob(17 * 1024 * 1024))') // No start waits for so much.
    const insert = db.prepare('INSERT INTO parties VALUES (?, zeroblob(500))')
    for (let n = 0; n < 100; n += 1) insert.run(n)
    const { page } = db.prepare("SELECT max(pageno) AS page FROM dbstat WHERE name = 'parties'").get()!
    fs.copyFileSync(whole, damaged)
    const file = fs.openSync(damaged, 'r+')
    fs.writeSync(file, new Uint8Array(pageBytes), 0, pageBytes, (Number(page) - 1) * pageBytes)
    fs.closeSync(file)
  })
  after(() => fs.rmSync(folder, { recursive: true }))

  test('are checked in the background, and one that seems damaged is not read until the file is trusted', async () => {
    const problems: string[] = []
    const trees = lookThroughTrees(damaged, reportTo(problems))
    await trees.looked
    await until(() => problems.length > 0)
    assert.match(problems.join(), /^the table parties: /)
    assert.throws(() => trees.check('SELECT * FROM parties'), { message: 'suspected' })
    trees.check('SELECT * FROM contracts')
    trees.trust()
    trees.check('SELECT * FROM parties')
    await trees.close()
    await trees.close()
  })

  test('keep nobody waiting: a check ends with the ledger', async () => {
    const problems: string[] = []
    const open = () => lookThroughTrees(whole, reportTo(problems))
    for (const trees of [open(), open()] satisfies Trees[]) await trees.close()
    assert.deepEqual(problems, [])
  })
})

function reportTo(problems: string[]): TreeReport {
  return {
    damaged: (problem) => void problems.push(problem),
    suspected(problem) {
      problems.push(problem)
      return new Error('suspected')
    },
  }
}
