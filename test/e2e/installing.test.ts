// The package as npm packs and installs it: its content, what it adds to a project, and how it runs there. Everything
// but npm itself is local, so no registry is contacted.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join, normalize, sep } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ignoredNames } from '../../src/cli/commands/init.ts'
import { olderNodeOnPath } from '../../tools/older-node/on-path.mjs'
import { temporaryFolder } from '../fixtures/process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const manifest = readJson(join(root, 'package.json'))
const version: string = manifest.version
const olderNode = olderNodeOnPath()
const runtimeName = `node-${process.platform}-${process.arch}`

/** Generous: npm takes a second, and many more on a busy machine. */
const timeoutMs = 240_000

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

const workshop = temporaryFolder()
/** Those that npm packed. */
let packedFiles: readonly string[]
/** A project that npm has installed the package into, from its tarball and without a network, which a package without
 * dependencies does not need. */
const installed = join(workshop.path, 'a project')
let standIn: StandIn
before(async () => {
  await run(process.execPath, [join(root, 'tools', 'ready.mjs'), '--bundle'])
  const { stdout } = await npm(root, ['pack', '--json', '--ignore-scripts', '--pack-destination', workshop.path])
  const told: { files: { path: string }[] }[] = Object.values(JSON.parse(stdout))
  packedFiles = told[0]!.files.map(({ path }) => path)
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"name":"somebody","version":"1.0.0"}')
  const { code, stderr } = await npm(installed, [
    'install',
    '--offline',
    join(workshop.path, `tallystick-${version}.tgz`),
  ])
  assert.equal(code, 0, stderr)
  standIn = await packStandIn(workshop.path)
})
after(() => workshop[Symbol.dispose]())

describe('the packed package', () => {
  test('contains the files that users need, and no others', () => {
    const migrations = readdirSync(join(root, 'src', 'store', 'schema', 'migrations')).map(
      (file) => `dist/migrations/${file}`,
    )
    const fixed = [
      ...[
        'package.json',
        'README.md',
        'ARCHITECTURE.md',
        'CHANGELOG.md',
        'COMPAT.md',
        'CONTRIBUTING.md',
        'SECURITY.md',
      ],
      ...['compile-cache.mjs', 'hand-over.mjs', 'handed-over.mjs', 'npm-parent.mjs', 'runtime.mjs', 'tallystick'].map(
        (file) => `bin/${file}`,
      ),
      ...['dist/main.mjs', 'dist/worker.mjs', 'dist/package-thread.mjs', 'dist/description-thread.mjs'],
      ...['dist/dar-check-thread.mjs', 'dist/index.mjs', 'dist/testing.mjs', 'dist/kit.cjs'],
      ...['dist/in-process.mjs', 'dist/kit-child.mjs', 'dist/script-thread.mjs', 'dist/first.mjs', 'dist/start.mjs'],
      ...['dist/checkpoint-thread.mjs', 'dist/damaged-trees-thread.mjs'],
      ...['dist/package-thread.cjs', 'dist/script-thread.cjs'],
      ...['api', 'index', 'testing'].flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.d.cts`]),
      'dist/canton-builtin-admin-workflow-ping.dar',
      ...['dist/THIRD-PARTY-LICENSES.txt', 'dist/quickstart.dar', 'dist/runtime.json', 'dist/tallystick-token.dar'],
      ...['files.json', 'index.html', 'index.html.br', 'index.html.gz'].map((file) => `dist/explorer/${file}`),
      ...migrations,
      ...globSync('docs/**/*.{md,json,png,yml}', { cwd: root }).map((file) => file.replaceAll(sep, '/')),
      ...globSync(['examples/**/*.{daml,dar,html,js,json,md,ts,yaml}', 'examples/*/.github/**/*.yml'], {
        cwd: root,
        exclude: (file) => ignoredNames.includes(basename(file)),
      }).map((file) => file.replaceAll(sep, '/')),
    ]
    // Chunks of the bundler, named by their hash.
    const onDemand = /^dist\/([a-z0-9-]+-[A-Z0-9]{8}\.mjs|explorer\/[a-z0-9-]+-[A-Z0-9]{8}\.(js|css|svg)(\.(br|gz))?)$/
    assert.deepEqual(packedFiles.filter((file) => !onDemand.test(file)).sort(), fixed.sort())
  })

  test('has no link to a missing file', () => {
    const files = new Set(packedFiles)
    for (const file of [...files].filter((name) => name.endsWith('.md'))) {
      const text = readFileSync(join(root, file), 'utf8')
      for (const [, link] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (/^[a-z]+:/.test(link!)) continue
        const target = normalize(join(dirname(file), link!)).replaceAll(sep, '/')
        assert.ok(files.has(target), `${file} links to ${link}`)
      }
    }
  })

  test('has no dependencies and no install scripts', () => {
    for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) {
      assert.equal(manifest[field], undefined, field)
    }
    for (const script of ['preinstall', 'install', 'postinstall']) assert.equal(manifest.scripts[script], undefined)
    assert.deepEqual(manifest.bin, { tallystick: 'bin/tallystick' })
  })

  test('has scripts that work in every shell', () => {
    for (const [name, script] of Object.entries<string>(manifest.scripts)) assert.doesNotMatch(script, /['*$;|]/, name)
  })

  test('names the runtime that a clone is tested with, and its hashes', async () => {
    const { runtimePackages } = await import(new URL('../../bin/runtime.mjs', import.meta.url).href)
    const wanted = readJson(join(root, 'runtime', 'package.json')).optionalDependencies
    const pinned: Record<string, { version: string; integrity: string }> = readJson(join(root, 'dist', 'runtime.json'))
    assert.deepEqual(Object.values(runtimePackages).sort(), Object.keys(wanted).sort())
    assert.deepEqual(Object.keys(pinned).sort(), Object.keys(wanted).sort())
    for (const [name, { version, integrity }] of Object.entries(pinned)) {
      assert.equal(version, wanted[name])
      assert.match(integrity, /^sha512-/)
    }
  })

  test('describes the runtime that it uses', () => {
    const [wanted] = Object.values<string>(readJson(join(root, 'runtime', 'package.json')).optionalDependencies)
    const guide = readFileSync(join(root, 'docs', 'installing.md'), 'utf8')
    const image = readFileSync(join(root, 'Dockerfile'), 'utf8')
    assert.deepEqual([...new Set(guide.match(/\b26\.\d+\.\d+\b/g))], [wanted])
    for (const [, major] of image.matchAll(/^FROM node:(\d+)/gm)) assert.equal(major, wanted!.split('.')[0])
  })

  test('contains the licence of every bundled package', () => {
    const text = readFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['pg', 'jose', 'pino', 'ws', 'typebox', '@noble/curves', 'prom-client']) {
      assert.match(text, new RegExp(`^${name} \\S+ \\(\\S+\\)$`, 'm'))
    }
  })
})

describe('the package in a project', () => {
  test('starts nodes in the process of its tests', async () => {
    using folder = temporaryFolder()
    const project = projectIn(folder.path)
    const script = join(project, 'example.test.mjs')
    const text = `
      import assert from 'node:assert/strict'
      import * as runner from 'node:test'
      import { startNode } from 'tallystick'
      import { useNode } from 'tallystick/testing'
      const node = useNode(runner, { seed: 'the same' })
      runner.test('a party', async () => {
        await using other = await startNode({ seed: 'the same' })
        assert.equal(await node().party('alice'), await other.party('alice'))
      })`
    writeFileSync(script, text)
    const { code, stdout } = await run(process.execPath, ['--test', script])
    assert.equal(code, 0, stdout)
  })

  test('adds only its own command, and runs', async () => {
    using folder = temporaryFolder()
    const project = projectIn(folder.path)
    assert.deepEqual(commandsOf(project), ['tallystick'])
    assert.deepEqual(readdirSync(join(project, 'node_modules')).sort(), ['.bin', '.package-lock.json', 'tallystick'])
    const { code, stdout } = await run(process.execPath, [executableIn(project), '--version'])
    assert.deepEqual([code, stdout], [0, `${version}\n`])
  })

  test('fetches the runtime once under an older Node', { ...withOlderNode() }, async () => {
    using folder = temporaryFolder()
    const project = projectIn(folder.path)
    const cache = join(folder.path, 'a cache')
    const { tarball, integrity } = standIn
    pin(project, integrity)
    {
      await using registry = await startRegistry(tarball, integrity)
      const first = await runOlder([executableIn(project), '--version'], cache, registry.url)
      assert.match(first.stderr, /^tallystick: fetching Node 26\.99\.0 \(once, into .*a cache.tallystick.node-26/)
      assert.deepEqual([first.code, first.stdout], [0, `${version}\n`])
    }
    const second = await runOlder([executableIn(project), '--version'], cache, 'http://127.0.0.1:9')
    assert.deepEqual(second, { code: 0, stdout: `${version}\n`, stderr: '' })
    assert.deepEqual(commandsOf(project), ['tallystick'])
  })

  test('starts nodes for tests under an older Node, on the runtime that it fetches', {
    ...withOlderNode(),
  }, async () => {
    using folder = temporaryFolder()
    const project = projectIn(folder.path)
    const { tarball, integrity } = standIn
    pin(project, integrity)
    await using registry = await startRegistry(tarball, integrity)
    const script = join(project, 'example.cjs')
    const text = `
      const { startNode } = require('tallystick')
      startNode().then(async (node) => {
        console.log((await node.party('alice')).slice(0, 5))
        await node.close()
      })`
    writeFileSync(script, text)
    const { code, stdout, stderr } = await runOlder([script], join(folder.path, 'a cache'), registry.url)
    assert.deepEqual([code, stdout], [0, 'alice\n'], stderr)
  })

  test('refuses a runtime with another hash', { ...withOlderNode() }, async () => {
    using folder = temporaryFolder()
    const project = projectIn(folder.path)
    const cache = join(folder.path, 'cache')
    const { tarball, integrity } = standIn
    pin(project, `sha512-${Buffer.alloc(64).toString('base64')}`)
    await using registry = await startRegistry(tarball, integrity)
    const { code, stdout, stderr } = await runOlder([executableIn(project), '--version'], cache, registry.url)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /EINTEGRITY/)
    assert.match(stderr, /Install Node 26 or newer from https:\/\/nodejs\.org and start Tallystick with it\n$/)
    assert.deepEqual(readdirSync(join(cache, 'tallystick')), [])
  })

  test('says what to do if no runtime can be fetched', { ...withOlderNode() }, async () => {
    using folder = temporaryFolder()
    const project = projectIn(folder.path)
    const { code, stderr } = await runOlder(
      [executableIn(project), '--version'],
      join(folder.path, 'cache'),
      'http://127.0.0.1:9',
    )
    assert.equal(code, 1)
    assert.match(stderr, /^tallystick: needs Node 26 or newer; this is \d+\.\S+, and fetching a newer one failed: npm/m)
    assert.match(stderr, /Install Node 26 or newer from/)
    assert.doesNotMatch(stderr, /^npm error +at /m)
  })
})

/** A copy that a test may change. */
function projectIn(folder: string): string {
  const project = join(folder, 'a project')
  cpSync(installed, project, { recursive: true, verbatimSymlinks: true })
  return project
}

type StandIn = { readonly tarball: Buffer; readonly integrity: string }

/** Replaces the package with Node, which has 150 MB: it links to the Node that runs the tests. */
async function packStandIn(folder: string): Promise<StandIn> {
  const source = join(folder, 'stand-in')
  mkdirSync(join(source, 'bin'), { recursive: true })
  const { os, cpu } = { os: process.platform, cpu: process.arch }
  const bin = { node: 'bin/node' }
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name: runtimeName, version: '26.99.0', bin, os, cpu }))
  writeFileSync(join(source, 'bin', 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  await npm(source, ['pack'])
  const tarball = readFileSync(join(source, `${runtimeName}-26.99.0.tgz`))
  return { tarball, integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}` }
}

function pin(project: string, integrity: string): void {
  const file = join(project, 'node_modules', 'tallystick', 'dist', 'runtime.json')
  assert.ok(existsSync(file))
  writeFileSync(file, JSON.stringify({ [runtimeName]: { version: '26.99.0', integrity } }))
}

/** A registry with one version of one package. */
async function startRegistry(tarball: Buffer, integrity: string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => {
    if (request.url!.endsWith('.tgz')) return response.end(tarball)
    const dist = { integrity, tarball: `http://${request.headers.host}/${runtimeName}/-/${runtimeName}-26.99.0.tgz` }
    const only = { name: runtimeName, version: '26.99.0', dist }
    const all = { name: runtimeName, 'dist-tags': { latest: '26.99.0' }, versions: { '26.99.0': only } }
    return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(all))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function runOlder(args: string[], cache: string, registry: string): Promise<Ended> {
  return run(olderNode!, args, {
    XDG_CACHE_HOME: cache,
    npm_config_registry: registry,
    npm_config_cache: join(cache, 'npm'),
    npm_config_fetch_retries: '0',
  })
}

function withOlderNode(): { skip?: string } {
  if (process.platform !== 'linux') return { skip: 'the cache folder and the stand-in are those of Linux' }
  return olderNode === undefined ? { skip: 'there is no Node older than 26 on the PATH' } : {}
}

function executableIn(project: string): string {
  return join(project, 'node_modules', 'tallystick', 'bin', 'tallystick')
}

/** On Windows each command has three files. */
function commandsOf(project: string): string[] {
  const names = readdirSync(join(project, 'node_modules', '.bin')).map((name) => name.replace(/\.(cmd|ps1)$/, ''))
  return [...new Set(names)]
}

function npm(folder: string, args: string[]): Promise<Ended> {
  return run('npm', [...args, '--loglevel=error'], {}, folder)
}

/** Without the settings that npm passes to scripts such as `npm test`; users do not have them. */
async function run(program: string, args: string[], environment = {}, cwd = root): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_TEST_CONTEXT$)/.test(name))
  const options = {
    cwd,
    env: { ...Object.fromEntries(inherited), ...environment },
    timeout: timeoutMs,
    shell: process.platform === 'win32' && program === 'npm',
  }
  try {
    return { code: 0, ...(await promisify(execFile)(program, args, options)) }
  } catch (error) {
    return error as Ended
  }
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
