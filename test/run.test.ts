// The test runner ends whatever the tests do, and fails if they misbehave.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from './fixtures/until.ts'

const runner = fileURLToPath(new URL('./run.ts', import.meta.url))
const fixtures = new URL('./fixtures/', import.meta.url)
const opening = `import { test, after } from 'node:test'`
const forever = 'new Promise(() => setInterval(() => undefined, 1000))'
const program = `['--eval', 'console.log(process.pid); setInterval(() => undefined, 1000)']`

/** Short if a case waits for the bound to pass; otherwise longer than a busy machine needs. */
type Bounds = { readonly testMs?: number; readonly fileMs?: number }

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
    test(`ends a file that ${name}`, { timeout: 180_000 }, async () => {
      const { status, output } = await runTests(code, bounds)
      assert.match(output, seen)
      assert.equal(status, 1)
      const left = /left (\d+)/.exec(output)
      if (left) await isGone(Number(left[1]))
    })
  }

  test('succeeds when all tests do', async () => {
    const { status, output } = await runTests(`test('x', () => {})`)
    assert.match(output, /pass 1\n/)
    assert.equal(status, 0)
  })

  test('prints what the costliest files took, if asked', async () => {
    const { status, output } = await runTests(`test('x', () => {})`, {}, ['--costliest', '1'])
    assert.match(output, /^ +CPU s +wall s\n +\d+\.\d +\d+\.\d {2}\S.*\n +\d+\.\d +\d+\.\d {2}all\n$/m)
    assert.equal(status, 0)
  })

  test('reports every test of a file that it ends', async () => {
    const { status, output } = await runTests(`
      setInterval(() => undefined, 1000)
      for (let number = 0; number < 3000; number += 1) test('with a name of many letters, as tests have: ' + number, () => {})`)
    assert.match(output, /pass 3000\n/)
    assert.equal(status, 0)
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

async function runTests(
  code: string,
  { testMs = 60_000, fileMs = 120_000 }: Bounds = {},
  options: readonly string[] = [],
): Promise<{ status: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-run-'))
  try {
    const file = join(folder, 'x.mjs')
    writeFileSync(file, `${opening}\n${code}\n`)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env // Otherwise the runner would consider itself a test file.
    const bounds = ['--test-ms', String(testMs), '--file-ms', String(fileMs)]
    const child = spawn(process.execPath, [runner, '--without-postgres', ...bounds, ...options, file], { env })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
    await once(child, 'close')
    return { status: child.exitCode, output: Buffer.concat(chunks).toString() }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
