// The examples in examples/runners: the test kit with each test runner, on the oldest Node that it supports; one on ours, too.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { browserOptions } from '../fixtures/browser.ts'
import { findOldestNode } from '../fixtures/older-node.ts'
import { temporaryFolder } from '../fixtures/process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const modules = join(root, 'node_modules')

/** Generous: a run takes a few seconds, and many more on a busy machine. */
const timeoutMs = 240_000
const patience = 120_000

type Runner = {
  readonly name: string
  readonly args: (scratch: string) => Promise<string[]>
  readonly passed: RegExp
}

const runners: Runner[] = [
  {
    name: 'vitest',
    args: async () => [
      join(modules, 'vitest', 'vitest.mjs'),
      ...['run', `--testTimeout=${patience}`, `--hookTimeout=${patience}`],
    ],
    passed: /Tests +2 passed \(2\)/,
  },
  {
    name: 'jest',
    args: async () => [
      join(root, 'tools', 'jest', 'node_modules', 'jest', 'bin', 'jest.js'),
      `--testTimeout=${patience}`,
      '--no-cache',
    ],
    passed: /Tests: +2 passed, 2 total/,
  },
  { name: 'node-test', args: async () => ['--test', '--test-reporter=tap'], passed: /# pass 2\n# fail 0/ },
  {
    name: 'playwright',
    args: async (scratch) => {
      const config = join(scratch, 'playwright.config.mjs')
      const testDir = join(root, 'examples', 'runners', 'playwright')
      browser ??= browserOptions()
      const use = { launchOptions: await browser }
      // As in a project, where the package is in node_modules; here Playwright would compile all of it with Babel.
      const build = { external: [join(root, 'dist', '**')] }
      const patient = { timeout: patience, expect: { timeout: patience } }
      const settings = { testDir, outputDir: join(scratch, 'results'), reporter: 'list', ...patient, use, build }
      writeFileSync(config, `export default ${JSON.stringify(settings)}`)
      return [join(modules, '@playwright', 'test', 'cli.js'), 'test', '--config', config]
    },
    passed: /2 passed/,
  },
]

const nodes: [name: string, file: () => string, runners: readonly Runner[]][] = [
  ['Node 20', findOldestNode, runners],
  // The runners are others' work; whether the kit runs on it need not be asked with each.
  ['the Node of the project', () => process.execPath, runners.filter(({ name }) => name === 'node-test')],
]

let browser: ReturnType<typeof browserOptions> | undefined

describe('the example for', () => {
  before(() => run(process.execPath, [join(root, 'tools', 'ready.mjs'), '--bundle'], root))

  for (const [version, file, tried] of nodes) {
    for (const { name, args, passed } of tried) {
      test(`${name} passes its tests on ${version}`, async () => {
        using scratch = temporaryFolder()
        const folder = join(root, 'examples', 'runners', name)
        const output = await run(file(), await args(scratch.path), folder)
        assert.match(output, passed)
      })
    }
  }
})

/** What it prints. Throws, with that, if it fails. */
function run(program: string, args: string[], cwd: string): Promise<string> {
  const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  const env = { ...inherited, NO_COLOR: '1', CI: '1' }
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env, timeout: timeoutMs }, (error, output, errors) => {
      if (error === null) resolve(output + errors)
      else reject(new Error(`${error.message}\n${output}${errors}`))
    })
  })
}
