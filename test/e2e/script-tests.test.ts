// tallystick test: scripts on fresh ledgers in memory, and what is reported about them.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { UsageError } from '../../src/cli/command.ts'
import { startInProcess } from '../../src/kit/in-process.ts'
import { createTestNode } from '../../src/kit/test-node.ts'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import { call } from '../fixtures/command.ts'
import { startTestNode } from '../fixtures/node.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { scriptsDar } from '../fixtures/script-runner.ts'
import { darOf } from '../support/lf/package-writer.ts'

const quickstart = new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname
const run = (...words: string[]) => call(['test', scriptsDar, ...words])

test('each script has a ledger of its own, and one line', async () => {
  const { output, code } = await run('--name', 'coinIsThere|Scripts:now')
  assert.match(output, /^✔ Scripts:coinIsThere \(\d+ ms\)\n✔ Scripts:now \(\d+ ms\)\n\n2 passed, 0 failed \(\S+ s\)$/)
  assert.equal(code, 0)
})

test('a failure shows the refusal, the place, and the transactions with the parties that see them', async () => {
  const { output, code } = await run('--name', 'coinIsThere|coinTooMany')
  assert.match(output, /^✔ Scripts:coinIsThere/m)
  const lines = output.slice(output.indexOf('✖')).split('\n')
  assert.match(lines[0]!, /^✖ Scripts:coinTooMany \(\d+ ms\)$/)
  assert.deepEqual(lines.slice(1, 4), [
    '  Submit: Expected submit to fail but it succeeded',
    '  at ask at Scripts:41:3',
    '  on the ledger by then:',
  ])
  const coin = /^ {2}└─ create Scripts:Coin 00\w+… \{issuer: ann, owner: ann, number: 1\} \(seen by ann\)$/
  for (const line of lines.slice(4, 6)) assert.match(line, coin)
  assert.equal(code, 1)
})

test('parties are called by their hints, and time may go back, as on the ledger of Daml itself', async () => {
  const { output } = await run('--name', 'timeTravel|coinOfAnn|coinFromTheFuture')
  assert.match(output, /3 passed, 0 failed/)
})

test('only a ledger in memory behaves so', async () => {
  const started = startTestNode({ store: 'sqlite', settings: { scriptLedger: true } })
  await assert.rejects(started, /scriptLedger is for ledgers in memory/)
})

test('messages of debug and trace are shown with their script', async () => {
  assert.match((await run('--name', 'debugging')).output, /^✔ Scripts:debugging .*\n {2}» before\n {2}» after$/m)
})

test('fail-fast begins no other script', async () => {
  const { output } = await run('--fail-fast', '--name', 'failing|throwing')
  assert.match(output, /0 passed, 1 failed, 1 not run/)
})

test('a script that does not end is ended, and the next one runs', async () => {
  const { output } = await run('--time-out', '5s', '--name', 'askForever|debugging')
  const why = 'the script has not ended after 5 s; its last question was GetTime'
  assert.match(output, new RegExp(`^✖ Scripts:askForever .*\\n {2}${why}$`, 'm'))
  assert.match(output, /1 passed, 1 failed/)
})

test('files that hold no scripts, or are no DARs, are a line each, and the others go on', async () => {
  const { output, code } = await call(['test', quickstart, 'missing.dar', scriptsDar, '--name', 'Scripts:now'])
  assert.match(output, /^✖ \S*quickstart.dar\n {2}it has no scripts/m)
  assert.match(output, /^✖ missing.dar\n {2}cannot read the DAR/m)
  assert.match(output, /^✔ Scripts:now/m)
  assert.equal(code, 1)
})

test('a DAR that the ledger refuses is a line, and the others go on', async () => {
  using folder = temporaryFolder()
  const { main } = decodeDar(readFileSync(scriptsDar))
  const incomplete = join(folder.path, 'incomplete.dar')
  writeFileSync(incomplete, darOf({ 'main.dalf': main.bytes }))
  const { output, code } = await call(['test', incomplete, scriptsDar, '--name', 'Scripts:now'])
  assert.match(output, /^✖ \S+incomplete.dar\n {2}\S.*\n✔ Scripts:now/)
  assert.equal(code, 1)
})

test('a pattern that no script matches is a failure', async () => {
  const { output, code } = await run('--name', 'nothing like it')
  assert.match(output, /no script matches nothing like it/)
  assert.equal(code, 1)
})

test('other reporters are for programs', async () => {
  const scripts = ['--name', 'Scripts:(now|failing)$'] as const
  const tap = (await run(...scripts, '--reporter', 'tap')).output
  assert.match(tap, /^TAP version 14\n(not )?ok 1 - /)
  assert.match(tap, /^not ok \d - Scripts:failing\n {2}---\n {2}message: \|\n {4}User failure: CHOSEN/m)
  assert.match(tap, /\n1\.\.2$/)
  const json = JSON.parse((await run(...scripts, '--reporter', 'json')).output)
  assert.deepEqual([json.passed, json.failed, json.notRun], [1, 1, 0])
  const failing = json.results.find(({ name }: { name: string }) => name === 'Scripts:failing')
  assert.deepEqual(
    [failing.passed, failing.failure.message],
    [false, 'User failure: CHOSEN (error category 9): by a script'],
  )
  const junit = (await run(...scripts, '--reporter', 'junit')).output
  assert.match(junit, /<testsuite name="scripts" tests="2" failures="1" time="[\d.]+">/)
  assert.match(junit, /<testcase classname="scripts-lf23-1\.0\.0\.Scripts" name="now" time="[\d.]+"\/>/)
  assert.match(
    junit,
    /name="failing" time="[\d.]+"><failure message="User failure: CHOSEN \(error category 9\): by a script">/,
  )
})

test('mistakes in the command line are named', async () => {
  await assert.rejects(
    run('--reporter', 'x'),
    new UsageError('--reporter: there is no x; choose text, tap, json, junit'),
  )
  await assert.rejects(run('--time-out', 'soon'), UsageError)
  await assert.rejects(run('--name', '('), UsageError)
})

test('the ledger of a failed script is kept on request, and a node opens it', async () => {
  using folder = temporaryFolder()
  const keep = join(folder.path, 'kept')
  const { output } = await run('--name', 'coinIsThere|coinTooMany', '--keep', keep)
  const place = join(keep, 'Scripts.coinTooMany')
  assert.match(output, new RegExp(`^  its ledger: tallystick start --data ${RegExp.escape(place)}$`, 'm'))
  assert.match((await run('--name', 'coinTooMany', '--keep', keep)).output, /Scripts\.coinTooMany-2$/m)
  await using node = createTestNode(await startInProcess({ data: place }))
  const coins = await node.contracts('#scripts-lf23:Scripts:Coin')
  assert.deepEqual(
    coins.map(({ payload }) => payload),
    [1, 1].map((number) => ({ issuer: 'ann', owner: 'ann', number: String(number) })),
  )
  const ann = node.as('ann')
  await ann.create('#scripts-lf23:Scripts:Coin', { issuer: 'ann', owner: 'ann', number: '2' })
  assert.equal((await ann.contracts('#scripts-lf23:Scripts:Coin')).length, 3)
})

test('a line says how far the scripts are, and is gone before others are printed', async () => {
  const lines: string[] = []
  const options = {
    onStatus: (text: string) => lines.push(`status ${text}`),
    onPrint: (text: string) => lines.push(text),
  }
  await call(['test', scriptsDar, '--name', 'Scripts:(now|failing)$'], options)
  assert.ok(lines.includes('status 0 of 2 scripts: Scripts:failing'), lines.join('\n'))
  assert.ok(lines.includes('status 1 of 2 scripts, 1 failed: Scripts:now'), lines.join('\n'))
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('status')) assert.equal(lines[index - 1], 'status ')
  }
})

test('with --watch they run again when a DAR has changed, until they are stopped', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'my.dar')
  copyFileSync(scriptsDar, file)
  const bytes = readFileSync(scriptsDar)
  const summaries: string[] = []
  const { promise: stopped, resolve: stop } = Promise.withResolvers<string>()
  const next: Record<string, () => void> = {
    '1 passed, 0 failed': () => writeFileSync(file, bytes.subarray(0, bytes.length / 2)),
    '0 passed, 1 failed': () => {
      writeFileSync(`${file}.new`, bytes)
      renameSync(`${file}.new`, file)
    },
  }
  const { output, code } = await call(['test', file, '--watch', '--name', 'Scripts:now$'], {
    stopped,
    onPrint(text) {
      const summary = /\d+ passed, \d+ failed/.exec(text)?.[0]
      if (summary === undefined) return
      summaries.push(summary)
      if (summaries.length === 3) stop('SIGINT')
      else next[summary]!()
    },
  })
  assert.deepEqual(summaries, ['1 passed, 0 failed', '0 passed, 1 failed', '1 passed, 0 failed'])
  assert.match(output, /my\.dar changed\n✖ \S+my\.dar\n {2}\S+ is not a DAR that runs here/)
  assert.equal(code, 0)
})
