// The test runner ends whatever the tests do, fails if they misbehave, and runs the tests that the command line names.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './fixtures/process.ts'
import { until } from './fixtures/until.ts'
import { selectTests, slowUnits } from './selection.ts'

const root = join(import.meta.dirname, '..')
const runner = fileURLToPath(new URL('./run.ts', import.meta.url))
const fixtures = new URL('./fixtures/', import.meta.url)
const opening = `import { test, after } from 'node:test'`
const forever = 'new Promise(() => setInterval(() => undefined, 1000))'
const program = `['--eval', 'console.log(process.pid); setInterval(() => undefined, 1000)']`

/** Short if a case waits for the bound to pass; otherwise longer than a busy machine needs. */
type Bounds = { readonly testMs?: number; readonly fileMs?: number }
type Files = Readonly<Record<string, string>>

/** `seen` must appear in the output of the failing run. */
const cases: (Bounds & { readonly name: string; readonly code: string; readonly seen: RegExp })[] = [
  {
    name: 'fails and leaves a server',
    code: `import { createServer } from 'node:net'
      test('x', () => { createServer().listen(0, '127.0.0.1'); throw new Error('failed on purpose') })`,
    seen: /failed on purpose/,
  },
  {
    name: 'fails and leaves a process that holds its output',
    code: `import { spawn } from 'node:child_process'
      import { once } from 'node:events'
      import '${new URL('left-processes.ts', fixtures)}'
      test('x', async () => {
        const child = spawn(process.execPath, ${program}, { stdio: ['ignore', 'pipe', 'inherit'] })
        const [pid] = await once(child.stdout, 'data')
        throw new Error('left ' + pid)
      })`,
    seen: /left \d+/,
  },
  { name: 'waits for ever', code: `test('x', () => ${forever})`, testMs: 1000, seen: /timed out after 1000ms/ },
  {
    name: 'waits for ever when it cleans up',
    code: `after(() => ${forever}); test('x', () => {})`,
    testMs: 1000,
    seen: /timed out after 1000ms/,
  },
  {
    name: 'never lets go of its thread',
    code: `test('x', () => { for (;;); })`,
    fileMs: 5000,
    seen: /did not end within 5000 ms/,
  },
]

describe('the runner', { concurrency: true }, () => {
  for (const { name, code, seen, ...bounds } of cases) {
    test(`ends a file that ${name}`, async () => {
      const { status, output } = await runTests({ 'x.test.ts': code }, ['.'], bounds)
      assert.match(output, seen)
      assert.equal(status, 1)
      const left = /left (\d+)/.exec(output)
      if (left) await isGone(Number(left[1]))
    })
  }

  test('succeeds when all tests do', async () => {
    const { status, output } = await runTests({ 'x.test.ts': `test('x', () => {})` })
    assert.match(output, /pass 1\n/)
    assert.equal(status, 0)
  })

  test('fails when there is no test', async () => {
    const { status, output } = await runTests({ 'x.test.ts': '' })
    assert.match(output, /^no test ran$/m)
    assert.equal(status, 1)
  })

  test('prints what the costliest files took, if asked', async () => {
    const { status, output } = await runTests({ 'x.test.ts': `test('x', () => {})` }, ['.', '--costliest', '1'])
    assert.match(output, /^ +CPU s +wall s\n +\d+\.\d +\d+\.\d {2}\S.*\n +\d+\.\d +\d+\.\d {2}all\n$/m)
    assert.equal(status, 0)
  })

  test('lists the tests that failed, each as a sentence with its suites', async () => {
    const code = `import { describe } from 'node:test'
      const fails = () => { throw new Error('no') }
      test('a stone sinks', fails)
      describe('birds', () => {
        test('fly', fails)
        test('sing', () => {})
        describe('in a cage', () => test('are sad', fails))
      })`
    const { status, output } = await runTests({ 'x.test.ts': code })
    const failed = [...output.matchAll(/^failed: .*x\.test\.ts: (.*)$/gm)].map(([, sentence]) => sentence!)
    assert.deepEqual(failed.toSorted(), ['a stone sinks', 'birds fly', 'birds in a cage are sad'])
    assert.equal(status, 1)
  })

  test('names the files of a process that ends early', async () => {
    const files = { 'a.test.ts': `test('x', () => {})`, 'b.test.ts': `test('y', () => process.kill(process.pid))` }
    const { status, output } = await runTests(files)
    assert.match(output, /^failed: .*a\.test\.ts and 1 more$/m)
    assert.equal(status, 1)
  })

  test('starts no test before all files of its process are loaded', async () => {
    const late = `await new Promise((resolve) => setTimeout(resolve, 500))`
    const files = {
      'a.test.ts': `test('x', { skip: 'it only has to load' }, () => {})`,
      'b.test.ts': `${late}\ntest('y', () => {})`,
    }
    const { status, output } = await runTests(files)
    assert.match(output, /pass 1\n/)
    assert.equal(status, 0)
  })

  test('reports every test of a file that it ends', async () => {
    const code = `setInterval(() => undefined, 1000)
      for (let number = 0; number < 3000; number += 1) test('with a name of many letters, as tests have: ' + number, () => {})`
    const { status, output } = await runTests({ 'x.test.ts': code })
    assert.match(output, /pass 3000\n/)
    assert.equal(status, 0)
  })

  test('skips a test that needs PostgreSQL when it runs without', async () => {
    const code = `import { needsPostgres } from '${new URL('postgres.ts', fixtures)}'
      test('x', needsPostgres, () => { throw new Error('ran') })
      test('y', () => {})`
    const { status, output } = await runTests({ 'x.test.ts': code })
    assert.match(output, /x .*# needs PostgreSQL/)
    assert.match(output, /pass 1\n/)
    assert.equal(status, 0)
  })
})

describe('the runner takes', { concurrency: true }, () => {
  const files: Files = {
    'birds.test.ts': `test('sing', () => {}); test('fly', () => {})`,
    'stones.test.ts': `import { describe } from 'node:test'
      describe('stones', () => { test('fall', () => {}); test('roll', () => {}) })`,
    'deep/in/fish.test.ts': `test('swim', () => {})`,
    'deep/no-tests.ts': `test('are not run', () => {})`,
  }
  const rows: [what: string, args: string[], titles: string[]][] = [
    ['the tests of a folder and of the folders in it', ['.'], ['fall', 'fly', 'roll', 'sing', 'stones', 'swim']],
    ['the tests of an inner folder', ['deep'], ['swim']],
    ['each file once, however often it is named', ['deep', 'deep/in/fish.test.ts'], ['swim']],
    ['tests by their names', ['.', '-t', '^sing|swim$'], ['sing', 'swim']],
    ['tests by several names', ['.', '-t', 'sing', '-t', 'swim'], ['sing', 'swim']],
    ['tests by the name of their suite', ['.', '-t', 'stones'], ['fall', 'roll', 'stones']],
    ['tests of a folder by name', ['deep', '-t', 's'], ['swim']],
  ]
  for (const [what, args, titles] of rows) {
    test(what, async () => {
      const { status, output } = await runTests(files, args)
      const found = [...output.matchAll(/^ *✔ (\S+) \(/gm)].map(([, title]) => title!)
      assert.deepEqual(found.toSorted(), titles)
      assert.equal(status, 0)
    })
  }

  const mistakes: [what: string, args: string[], status: number, seen: RegExp][] = [
    ['a name that no test has', ['.', '-t', 'crawl'], 1, /^no test matches crawl$/m],
    ['a folder that does not exist', ['nests'], 2, /^there is no file or folder \S+nests$/m],
    ['a folder without tests', ['deep/empty'], 2, /^there are no tests in \S+empty$/m],
    ['--unit and a folder outside of src', ['deep', '--unit'], 2, /^npm run unit does not run deep: use npm test$/m],
  ]
  for (const [what, args, status, seen] of mistakes) {
    test(`nothing, and fails, if the arguments have ${what}`, async () => {
      const run = await runTests({ ...files, 'deep/empty/x.ts': '' }, args)
      assert.match(run.output, seen)
      assert.equal(run.status, status)
    })
  }
})

describe('npm run unit', () => {
  const units = selectTests({ root, places: [], isUnit: true })

  test('takes the tests beside the sources but the slow ones, which exist', () => {
    assert.deepEqual(
      [...units, ...slowUnits.map((file) => join(root, file))].toSorted(),
      selectTests({ root, places: [join(root, 'src')], isUnit: false }).toSorted(),
    )
  })

  test('takes those of a folder', () => {
    const folder = join(root, 'src', 'engine')
    assert.deepEqual(
      selectTests({ root, places: [folder], isUnit: true }).toSorted(),
      units.filter((file) => file.startsWith(join(folder, '/'))).toSorted(),
    )
  })
})

/** A killed process exists until its new parent reaps it. */
async function isGone(pid: number): Promise<void> {
  await until(() => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })
}

/** Runs the runner in a folder with these files. */
async function runTests(
  files: Files,
  args: readonly string[] = ['.'],
  { testMs = 60_000, fileMs = 120_000 }: Bounds = {},
): Promise<{ status: number | null; output: string }> {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }')
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true })
    writeFileSync(join(folder.path, name), `${opening}\n${code}\n`)
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // Otherwise the runner would consider itself a test file.
  const bounds = ['--test-ms', String(testMs), '--file-ms', String(fileMs)]
  const child = spawn(process.execPath, [runner, '--without-postgres', ...bounds, ...args], {
    cwd: folder.path,
    env,
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  await once(child, 'close')
  return { status: child.exitCode, output: Buffer.concat(chunks).toString() }
}
