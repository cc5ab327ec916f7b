// The sample project as a user gets it: written by `tallystick init` of the packed package into a folder far from this
// repository. Every script of its package.json does what its README says. Only its other dependencies are linked rather
// than installed, so no registry is contacted.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ownVersion } from '../../src/base/version.ts'
import { ignoredNames } from '../../src/cli/commands/init.ts'
import { findOldestNode } from '../fixtures/older-node.ts'
import { assertOneLine, run as runTallystick, temporaryFolder } from '../fixtures/process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sample = join(root, 'examples', 'iou-desk')

/** Generous: it takes seconds, and many more on a busy machine. */
const timeout = 240_000
const patience = ['--', '--testTimeout=60000', '--hookTimeout=60000']

const workshop = temporaryFolder()
const project = join(workshop.path, 'desk')
before(async () => {
  await run(process.execPath, [join(root, 'tools', 'ready.mjs'), '--bundle'], root)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', workshop.path], root)
  await run('tar', ['xzf', `tallystick-${ownVersion}.tgz`], workshop.path)
  await run(process.execPath, ['package/bin/tallystick', 'init', 'desk'], workshop.path)
  installWithoutRegistry()
})
after(() => workshop[Symbol.dispose]())

/** What each script does, by its output and its files. */
const scripts: Record<string, () => Promise<void>> = {
  async generate() {
    const before = generatedFiles()
    assert.match(await script('generate'), /^wrote 6 files to src.generated$/m)
    assert.deepEqual(generatedFiles(), before)
  },
  async check() {
    assert.equal(await script('check'), '')
  },
  async test() {
    for (const node of [process.execPath, findOldestNode()]) {
      assert.match(await script('test', patience, node), /Tests +7 passed \(7\)/)
    }
  },
  async build() {
    await script('build')
    assert.ok(readdirSync(join(project, 'build')).includes('main.js'))
  },
  async demo() {
    assert.match(await script('demo'), /^the bank owes alice 100 EUR\nafter a payment: alice 70 EUR, bob 30 EUR$/m)
  },
  async start() {
    const environment = { ...ownEnvironment(), TALLYSTICK_HTTP_PORT: '0', TALLYSTICK_GRPC_PORT: '0' }
    const child = spawn('npm', ['start', '--silent'], { cwd: project, env: environment, detached: true, timeout })
    try {
      for await (const line of createInterface(child.stdout)) if (/^ {2}ready in/.test(line)) return
      assert.fail('npm start ended')
    } finally {
      process.kill(-child.pid!, 'SIGTERM')
      child.stdout.destroy()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  },
}

describe('a project of tallystick init', () => {
  for (const [name, check] of Object.entries(scripts)) test(`runs npm run ${name}`, check)

  test('has no other scripts', () => {
    assert.deepEqual(Object.keys(manifest().scripts).sort(), Object.keys(scripts).sort())
  })

  test('is the sample, and names the version that wrote it', () => {
    const sampleManifest = readJson(join(sample, 'package.json'))
    const devDependencies = { ...sampleManifest.devDependencies, tallystick: ownVersion }
    assert.deepEqual(manifest(), { ...sampleManifest, name: 'desk', devDependencies })
    const files = filesIn(sample)
    assert.deepEqual(filesIn(project), files)
    for (const file of files.filter((file) => file !== 'package.json')) {
      assert.ok(readFileSync(join(project, file)).equals(readFileSync(join(sample, file))), file)
    }
  })

  test('depends on the clone that wrote it, which no registry has', async () => {
    using folder = temporaryFolder()
    const written = join(folder.path, 'From a Clone')
    const { code, output } = await runTallystick(['init', written])
    assert.equal(code, 0)
    assert.match(output, /^ {2}cd ".*From a Clone"\n {2}npm install$/m)
    const { name, devDependencies } = readJson(join(written, 'package.json'))
    assert.deepEqual([name, devDependencies.tallystick], ['iou-desk', `file:${root.replace(/\/$/, '')}`])
  })
})

describe('tallystick init', () => {
  test('refuses a folder that has something in it, and leaves it alone', async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'mine'))
    const refused = await runTallystick(['init', folder.path])
    assertOneLine(refused, 1, /^\/.* is not empty; name a new one: tallystick init \[FOLDER\]$/)
    assert.deepEqual(readdirSync(folder.path), ['mine'])
  })

  test('refuses a name that is not a folder', async () => {
    assertOneLine(await runTallystick(['init', join(root, 'README.md')]), 1, /README\.md is not a folder$/)
  })

  test('ignores what the sample ignores', () => {
    assert.equal(readFileSync(join(sample, '.gitignore'), 'utf8'), `${ignoredNames.join('\n')}\n`)
  })
})

/** As npm would install it: the packed package itself, and links to the other packages of this repository. */
function installWithoutRegistry(): void {
  const [from, to] = [join(root, 'node_modules'), join(project, 'node_modules')]
  mkdirSync(join(to, '.bin'), { recursive: true })
  for (const name of ['@types', 'typescript', 'vitest']) symlinkSync(join(from, name), join(to, name))
  for (const name of ['tsc', 'vitest']) symlinkSync(join(from, '.bin', name), join(to, '.bin', name))
  symlinkSync(join(workshop.path, 'package'), join(to, 'tallystick'))
  symlinkSync(join(to, 'tallystick', 'bin', 'tallystick'), join(to, '.bin', 'tallystick'))
}

const script = (name: string, args: string[] = [], node?: string) =>
  run('npm', ['run', '--silent', name, ...args], project, node)

/** Standard output; fails unless the program succeeds. */
function run(program: string, args: string[], cwd: string, node?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env: ownEnvironment(node), timeout }, (error, output, errors) => {
      if (error === null) resolve(output)
      else reject(new Error(`${program} ${args.join(' ')}: ${output}${errors}`, { cause: error }))
    })
  })
}

/** With this program as `node`, Node 26 by default, and without what npm and the tests of this repository pass on. */
function ownEnvironment(node = process.execPath): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|TALLYSTICK_|NODE_TEST_CONTEXT$)/.test(name))
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`
  return { ...Object.fromEntries(inherited), PATH: path, NO_COLOR: '1' }
}

function generatedFiles(): [string, string][] {
  const folder = join(project, 'src', 'generated')
  return filesIn(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')])
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !file.split('/').some((name) => ignoredNames.includes(name)))
    .sort()
}

const manifest = () => readJson(join(project, 'package.json'))
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
