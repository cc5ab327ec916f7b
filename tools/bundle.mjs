// Builds the bundle that users start: src/cli/main.ts with its dependencies in a few files, and each thread in one of its
// own, because a thread starts while something waits for it. Rarely used parts (PostgreSQL, the documentation pages, …) are
// chunks that load on demand. The test kit is built apart, for older versions of Node.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const sources = join(root, 'src')
const output = join(root, 'dist')
const dars = [
  join(root, 'packages', 'quickstart', 'quickstart.dar'),
  join(root, 'packages', 'token', 'tallystick-token.dar'),
  join(root, 'packages', 'ping', 'canton-builtin-admin-workflow-ping.dar'),
]

const threads = {
  worker: 'src/engine/pool/worker.ts',
  'dar-check-thread': 'src/cli/dar-check-thread.ts',
  'description-thread': 'src/codegen/description-thread.ts',
  'checkpoint-thread': 'src/store/sqlite/checkpoint-thread.ts',
  'damaged-trees-thread': 'src/store/sqlite/damaged-trees-thread.ts',
}

/** Commands wait for these: their code is kept compiled (src/base/thread-code.ts). */
const compiledThreads = {
  'package-thread': 'src/ledger/packages/package-thread.ts',
  'script-thread': 'src/script/script-thread.ts',
}

/** Also true in an installed package, which has no sources. */
export function isBundleFresh() {
  const bundle = join(output, 'main.mjs')
  if (!existsSync(sources)) return true
  if (!existsSync(bundle)) return false
  const built = statSync(bundle).mtimeMs
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(test|contract)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const tools = ['bundle.mjs', 'explorer-bundle.mjs', 'joined-chunks.mjs'].map((name) => join(root, 'tools', name))
  return [...files, ...tools, ...dars, join(root, 'package-lock.json')].every((file) => statSync(file).mtimeMs <= built)
}

export async function buildBundle() {
  const { build } = await import('esbuild')
  const { thirdPartyLicenses } = await import('./licenses.mjs')
  const { runtimePackages } = await import('../bin/runtime.mjs')
  rmSync(output, { recursive: true, force: true })
  const common = {
    absWorkingDir: root,
    outdir: 'dist',
    outExtension: { '.js': '.mjs' }, // Saves Node the search for a package.json with the module type.
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    legalComments: 'none', // All licences are collected in one file.
    metafile: true,
    external: ['pg-native'],
    // CommonJS dependencies call require for Node's own modules. Some import createRequire themselves.
    banner: {
      js: "import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);",
    },
    logLevel: 'warning',
  }
  const { metafile } = await build({
    ...common,
    entryPoints: { main: 'src/cli/main.ts', 'in-process': 'src/kit/in-process.ts', 'kit-child': 'src/kit/child.ts' },
    splitting: true,
  })
  const { metafile: ofThreads } = await build({ ...common, entryPoints: threads })
  const { metafile: ofCompiled } = await build({
    ...common,
    entryPoints: compiledThreads,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    banner: { js: '(function (require, exports, module) {' },
    footer: { js: '})' },
  })
  for (const name of Object.keys(compiledThreads)) writeFileSync(join(output, `${name}.mjs`), threadStarter(name))
  const { joinChunks } = await import('./joined-chunks.mjs')
  await joinChunks(build, output, metafile.outputs)
  cpSync(join(sources, 'store', 'schema', 'migrations'), join(output, 'migrations'), { recursive: true })
  for (const dar of dars) cpSync(dar, join(output, basename(dar)))
  await buildKit(build)
  declareKit()
  const { buildExplorer } = await import('./explorer-bundle.mjs')
  const inputs = [
    ...Object.keys({ ...metafile.inputs, ...ofThreads.inputs, ...ofCompiled.inputs }),
    ...(await buildExplorer(root, join(output, 'explorer'))),
  ]
  writeFileSync(join(output, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(root, inputs))
  writeFileSync(
    join(output, 'runtime.json'),
    `${JSON.stringify(runtimeHashes(Object.values(runtimePackages)), null, 2)}\n`,
  )
}

/** Runs the code of a thread, compiled before if the thread was given that. */
function threadStarter(name) {
  return `import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { workerData } from 'node:worker_threads'
const filename = fileURLToPath(new URL('./${name}.cjs', import.meta.url))
const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData: workerData?.compiled })
script.runInThisContext()(createRequire(import.meta.url), {}, {})
`
}

/** What the tests of an application import, on every Node from 20 on: modules, and one file for `require`. */
async function buildKit(build) {
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
  }
  await build({
    ...common,
    entryPoints: { index: 'src/kit/start-node.ts', testing: 'src/kit/testing.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    splitting: true,
    format: 'esm',
  })
  await build({
    ...common,
    // One file, so that both imports share the child process.
    stdin: {
      contents: "export * from './src/kit/start-node.ts'; export * from './src/kit/testing.ts'",
      resolveDir: root,
    },
    outfile: 'dist/kit.cjs',
    format: 'cjs',
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  })
}

/** The declarations of the test kit: its types are in a file that imports nothing and is a declaration file as it is. */
function declareKit() {
  for (const [kind, js] of [
    ['ts', 'js'],
    ['cts', 'cjs'],
  ]) {
    cpSync(join(sources, 'kit', 'api.ts'), join(output, `api.d.${kind}`))
    const declare = (types) => {
      const names = Object.entries(types).map(([name, type]) => `export declare const ${name}: ${type}\n`)
      const all = Object.values(types).join(', ')
      return `import type { ${all} } from './api.${js}'\nexport type * from './api.${js}'\n${names.join('')}`
    }
    writeFileSync(
      join(output, `index.d.${kind}`),
      declare({ startNode: 'StartNode', startNetwork: 'StartNetwork', transactionText: 'TransactionText' }),
    )
    writeFileSync(join(output, `testing.d.${kind}`), declare({ useNode: 'UseNode' }))
  }
}

/** The hashes of the runtime that an installed package may fetch: the same bytes that a clone is tested with. */
function runtimeHashes(names) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.fromEntries(
    names.map((name) => {
      const { version, integrity } = packages[`node_modules/${name}`]
      return [name, { version, integrity }]
    }),
  )
}
