// tallystick test with coverage: what is counted is what test/lf/coverage.lf has when it is counted by hand.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { wallClock } from '../../src/base/clock.ts'
import { StartError } from '../../src/base/errors.ts'
import { UsageError } from '../../src/cli/command.ts'
import { coveredPackages, sourceFile } from '../../src/cli/covered-dars.ts'
import { openDar } from '../../src/lf/dar/dar.ts'
import { readZipDirectory, readZipEntry } from '../../src/lf/dar/zip.ts'
import { writeZip } from '../../src/lf/dar/zip-writing.ts'
import type { ScriptOrder } from '../../src/script/messages.ts'
import { openScriptThread } from '../../src/script/open-script-thread.ts'
import { call } from '../fixtures/command.ts'
import { assertOneLine, run, temporaryFolder } from '../fixtures/process.ts'
import { scriptsDar } from '../fixtures/script-runner.ts'

/** What a compiler would have made the package from, as far as its locations tell. */
const source = `module Covered where

template Coin with owner : Party; number : Int where
  signatory owner
  choice Double : ContractId Coin
    controller owner
    do
      assertMsg "not <positive>" (number > 0)
      create this with number = doubled number
  choice Never : ()
    controller owner
    do pure ()

template Other with owner : Party where
  signatory owner

doubled n = if n > 10 then n else n * 2

size None = 0
size (Some n) = n

unpacked (Some n) = n

unused n = n + 1

double number = script do
  owner <- allocateParty "owner"
  trySubmit owner (createAndExerciseCmd (Coin owner (size (Some (unpacked …)))) Double)

lone [n] = n
lone _ = 0
`

const plainDar = new URL('../lf/coverage-lf23.dar', import.meta.url).pathname
const folder = temporaryFolder()
after(() => folder[Symbol.dispose]())
const dar = join(folder.path, 'covered.dar')
writeFileSync(dar, withSource(readFileSync(plainDar)))
const mainId = openDar(readFileSync(plainDar)).packages[0]!.id
const page = join(`coverage-lf23-1.0.0-${mainId.slice(0, 8)}`, 'Covered.html')

function withSource(bytes: Uint8Array): Uint8Array {
  const zip = readZipDirectory(bytes)
  const files = [...zip.entries.values()].map((each): [string, Uint8Array] => [
    each.name,
    readZipEntry(zip, each, each.size),
  ])
  return writeZip([...files, ['coverage-lf23-1.0.0-0/Covered.daml', Buffer.from(source)]])
}

/** The reports of two runs: each takes a node and several threads. */
const [one, several] = [join(folder.path, 'one'), join(folder.path, 'several')]
const results = join(folder.path, 'results')
const read = (to: string, file: string) => readFileSync(join(to, file), 'utf8')

const covering = ['--coverage', one, '--show-coverage', '--save-coverage', results]
const ofOne = call(['test', dar, '--name', '^Covered:three$', ...covering])
const ofSeveral = ofOne.then(() => {
  const copy = join(folder.path, 'copy.dar')
  copyFileSync(dar, copy)
  const reporting = ['--reporter', 'json', '--coverage', several, '--load-coverage', results, '--show-coverage']
  return call(['test', dar, copy, '--name', '^Covered:(three|four|zero)$', ...reporting])
})

test('lines and branches are those that ran, on the ledger and in the script', async () => {
  const { output, code } = await ofOne
  assert.equal(code, 0, output)
  const record = `TN:
SF:Covered.daml
BRDA:17,0,0,0
BRDA:17,0,1,1
BRDA:19,1,0,0
BRDA:19,1,1,1
BRDA:30,2,0,1
BRDA:30,2,1,0
BRDA:30,3,0,1
BRDA:30,3,1,0
BRF:8
BRH:4
DA:4,2
DA:8,1
DA:9,1
DA:12,0
DA:17,1
DA:19,1
DA:20,1
DA:22,1
DA:24,0
DA:27,1
DA:28,1
DA:30,1
DA:31,0
LF:13
LH:10
end_of_record
`
  assert.equal(read(one, 'lcov.info'), record)
  assert.match(output, /^coverage-lf23-1\.0\.0 +Covered +10 of 13 \(76\.9%\) +4 of 8 \(50\.0%\)$/m)
})

test('counts of several scripts and several DARs add up', async () => {
  await ofSeveral
  const lines = [...read(several, 'lcov.info').matchAll(/^DA:(\d+),(\d+)$/gm)]
  // The script of zero is refused before it creates a second coin.
  const [all, accepted] = [2 * 3, 2 * 2]
  assert.deepEqual(Object.fromEntries(lines.map(([, line, count]) => [line, Number(count)])), {
    4: all + accepted,
    8: all,
    9: accepted,
    12: 0,
    17: accepted,
    19: all,
    20: all,
    22: all,
    24: 0,
    27: all,
    28: all,
    30: all,
    31: 0,
  })
})

test('a page shows the source, escaped, and marks what did not run', async () => {
  await ofOne
  const html = read(one, page)
  assert.match(html, /assertMsg &quot;not &lt;positive&gt;&quot; \(number &gt; 0\)/)
  assert.doesNotMatch(html, /<positive>/)
  assert.match(html, /<tr class="no"><td class="number" id="L12">12<\/td>.*do <mark>pure \(\)<\/mark>/)
  assert.match(html, /<tr class="some">.*id="L17".*then <mark>n<\/mark> else.*<mark>True 0<\/mark>, False 1/)
  assert.match(html, /<tr class="yes">.*id="L9"/)
  assert.match(read(one, 'index.html'), new RegExp(`<a href="${page}">Covered</a>`))
})

test('what never went wrong is told', async () => {
  const { output } = await ofOne
  assert.ok(output.includes('1 choices that were only ever exercised with success:\n  Covered:Coin:Double'), output)
  assert.ok(output.includes('1 assertions that never failed:\n  Covered:8:7'), output)
  assert.match(read(one, 'index.html'), /<li>Covered:Coin:Double \(once\)<\/li>/)
  assert.match(read(one, 'index.html'), /<li>Covered:8:7 \(made once\)<\/li>/)
  const { told } = await ofSeveral
  assert.match(told, /10 of 13/)
  assert.doesNotMatch(told, /only ever|never failed/)
})

test('packages without locations or sources are told, and others than the main ones are covered on request', async () => {
  const to = join(folder.path, 'more')
  const more = ['--coverage', to, '--coverage-dar', plainDar, '--coverage-package', '^daml-prim-DA-Types']
  const { output } = await call(['test', scriptsDar, '--name', 'Scripts:now', ...more])
  const withoutLocations = /^(\S+) was compiled without locations: its lines cannot be counted$/gm
  const names = [...output.matchAll(withoutLocations)].map(([, name]) => name)
  assert.deepEqual(names.toSorted(), ['daml-prim-DA-Types-1.0.0', 'scripts-lf23-1.0.0'])
  assert.match(output, /^coverage-lf23-1\.0\.0 +Covered +0 of 13 \(0\.0%\) +0 of 8 \(0\.0%\)$/m)
  const html = read(to, page)
  assert.match(html, /The source is not in the DAR/)
  assert.match(html, /<tr class="no"><td>12:8 – 12:15<\/td><td class="number count">0<\/td>/)
})

test('what a script has counted is known while it waits for an answer', async () => {
  const dalfs = new Map(openDar(readFileSync(plainDar)).packages.map(({ id, bytes }) => [id, bytes]))
  const limits = { stackMb: 16, heapMb: 128, stepsMax: 20_000_000 }
  await using thread = openScriptThread(dalfs, limits, wallClock, { covered: [mainId] })
  const order: ScriptOrder = {
    module: 'Covered',
    name: 'three',
    input: undefined,
    hasStaticTime: true,
    seesAll: true,
    userId: undefined,
    participants: { hasDefault: true, names: [], participantsOfParties: {} },
    seed: 'three',
  }
  const counts = await new Promise<ReadonlyMap<string, number>>((resolve) => {
    const call = () => new Promise<never>(() => undefined)
    void thread.run(order, { call, onTrace: () => undefined, timeOutMs: 60_000, onCounts: resolve })
  })
  assert.deepEqual([...counts], [[`place ${mainId} Covered 26 2 26 32`, 1]])
})

test('sources are found in the project of the DAR', async () => {
  const project = join(folder.path, 'project')
  mkdirSync(join(project, '.daml', 'dist'), { recursive: true })
  mkdirSync(join(project, 'daml'))
  writeFileSync(join(project, 'daml.yaml'), 'name: covered\nsource: daml # here\n')
  writeFileSync(join(project, 'daml', 'Covered.daml'), source)
  const built = join(project, '.daml', 'dist', 'covered.dar')
  copyFileSync(plainDar, built)
  const wish = { files: [built], further: [], pattern: undefined, sources: undefined }
  const [found] = await coveredPackages(wish)
  const { path, text } = sourceFile(found!, 'Covered')
  assert.match(path, /project\/daml\/Covered\.daml$/)
  assert.equal(text, source)
  assert.deepEqual(sourceFile(found!, 'A.B'), { path: 'A/B.daml', text: undefined })
  const [elsewhere] = await coveredPackages({ ...wish, files: [plainDar], sources: join(project, 'daml') })
  assert.equal(sourceFile(elsewhere!, 'Covered').path, path)
})

const shown = `Modules internal to this package:
- Internal templates
  2 defined
  1 ( 50.0%) created
  internal templates never created: 1
    Covered:Other
- Internal template choices
  4 defined
  1 ( 25.0%) exercised
  internal template choices never exercised: 3
    Covered:Coin:Archive
    Covered:Other:Archive
    Covered:Coin:Never
- Internal interface implementations
  1 defined
    1 internal interfaces
    0 external interfaces
- Internal interface choices
  1 defined
  0 (  0.0%) exercised
  internal interface choices never exercised: 1
    Covered:Coin:Count
Modules external to this package:
- External templates
  0 defined
  0 (100.0%) created in any tests
  0 (100.0%) created in internal tests
  0 (100.0%) created in external tests
  external templates never created: 0
- External template choices
  0 defined
  0 (100.0%) exercised in any tests
  0 (100.0%) exercised in internal tests
  0 (100.0%) exercised in external tests
  external template choices never exercised: 0
- External interface implementations
  0 defined
- External interface choices
  0 defined
  0 (100.0%) exercised in any tests
  0 (100.0%) exercised in internal tests
  0 (100.0%) exercised in external tests
  external interface choices never exercised: 0`

test('templates and choices are told as dpm test tells them, also from a file', async () => {
  const saving = await ofOne
  assert.ok(saving.output.includes(`\n${shown}\n`), saving.output)
  const loading = ['test', '--load-coverage-only', '--load-coverage', results, '--show-coverage']
  assert.equal((await call(loading)).output.trim(), shown)
  const { told } = await ofSeveral
  assert.ok(told.includes(shown), told)
  const ignoring = ['--coverage-ignore-choice', 'Archive$', '--coverage-ignore-choice', 'Never']
  const ignored = await call([...loading, ...ignoring])
  assert.match(ignored.output, /choices\n {2}1 defined\n {2}1 \(100\.0%\) exercised\n.* never exercised: 0$/m)
})

test('reporters for programs are followed by nothing', async () => {
  assert.equal(JSON.parse((await ofSeveral).output).passed, 6)
})

test('mistakes are told in a line, before any script runs', async () => {
  const file = join(folder.path, 'a-file')
  writeFileSync(file, 'no results')
  const mistakes: [words: string[], error: RegExp, kind: typeof StartError | typeof UsageError][] = [
    [['--coverage', join(file, 'below')], /^--coverage: cannot write to \S+: ENOTDIR/, StartError],
    [['--coverage', folder.path, '--coverage-package', '('], /^--coverage-package: Invalid regular/, UsageError],
    [
      ['--coverage', folder.path, '--coverage-sources', 'nowhere'],
      /^--coverage-sources: there is no folder nowhere$/,
      StartError,
    ],
    [
      ['--coverage', folder.path, '--coverage-dar', 'missing.dar'],
      /^--coverage-dar: cannot read missing.dar: ENOENT/,
      StartError,
    ],
    [['--coverage-dar', dar], /^--coverage-dar needs --coverage$/, UsageError],
    [['--show-coverage', '--coverage-ignore-choice', '['], /^--coverage-ignore-choice: Invalid regular/, UsageError],
    [['--coverage-ignore-choice', 'x'], /^--coverage-ignore-choice needs --show-coverage$/, UsageError],
    [['--show-coverage', '--load-coverage', 'missing'], /^--load-coverage: ENOENT/, StartError],
    [['--show-coverage', '--load-coverage', file], /^--load-coverage: \S+ holds no results of tests$/, StartError],
    [['--save-coverage', join(file, 'below')], /^--save-coverage: ENOTDIR/, StartError],
    [['--load-coverage-only', '--show-coverage'], /^--load-coverage-only runs no scripts: leave out FILE$/, UsageError],
    [['--all'], /--all/, UsageError],
  ]
  for (const [words, error, kind] of mistakes) {
    await assert.rejects(call(['test', dar, ...words]), (thrown: Error) => {
      assert.match(thrown.message, error)
      assert.ok(!thrown.message.includes('\n'))
      return thrown instanceof kind
    })
  }
  await assert.rejects(
    call(['test', '--load-coverage-only']),
    /^UsageError: --load-coverage-only needs --load-coverage$|needs/,
  )
  await assert.rejects(call(['test']), /FILE is missing/)
})

test('a mistake ends a process with one line, though a thread still reads the DAR', async () => {
  const file = join(folder.path, 'no-folder')
  writeFileSync(file, '')
  const ended = await run(['test', scriptsDar, '--coverage', join(file, 'below')])
  assertOneLine(ended, 1, /^--coverage: cannot write to /)
})
