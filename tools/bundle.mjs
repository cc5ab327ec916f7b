// Builds the bundle that users start: src/cli/main.ts with its dependencies in one file, each thread
// (src/engine/pool/worker.ts, src/ledger/packages/*-thread.ts, src/codegen/description-thread.ts,
// src/cli/dar-check-thread.ts, src/store/sqlite/*-thread.ts) in another. Rarely used parts (PostgreSQL, the documentation
// pages, …) are chunks that load on demand.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const sources = join(root, 'src')
const output = join(root, 'dist')
const quickstart = join(root, 'packages', 'quickstart', 'quickstart.dar')

/** Also true in an installed package, which has no sources. */
export function isBundleFresh() {
  const bundle = join(output, 'main.mjs')
  if (!existsSync(sources)) return true
  if (!existsSync(bundle)) return false
  const built = statSync(bundle).mtimeMs
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(test|contract)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const tools = ['bundle.mjs', 'explorer-bundle.mjs'].map((name) => join(root, 'tools', name))
  return [...files, ...tools, quickstart, join(root, 'package-lock.json')].every(
    (file) => statSync(file).mtimeMs <= built,
  )
}

export async function buildBundle() {
  const { build } = await import('esbuild')
  const { thirdPartyLicenses } = await import('./licenses.mjs')
  const { runtimePackages } = await import('../bin/runtime.mjs')
  rmSync(output, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'src/cli/main.ts',
      index: 'src/kit/start-node.ts',
      testing: 'src/kit/testing.ts',
      worker: 'src/engine/pool/worker.ts',
      'dar-check-thread': 'src/cli/dar-check-thread.ts',
      'package-thread': 'src/ledger/packages/package-thread.ts',
      'description-thread': 'src/codegen/description-thread.ts',
      'checkpoint-thread': 'src/store/sqlite/checkpoint-thread.ts',
      'damaged-trees-thread': 'src/store/sqlite/damaged-trees-thread.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' }, // Saves Node the search for a package.json with the module type.
    bundle: true,
    splitting: true,
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
  })
  cpSync(join(sources, 'store', 'schema', 'migrations'), join(output, 'migrations'), { recursive: true })
  cpSync(quickstart, join(output, 'quickstart.dar'))
  declareKit()
  const { buildExplorer } = await import('./explorer-bundle.mjs')
  const inputs = [...Object.keys(metafile.inputs), ...(await buildExplorer(root, join(output, 'explorer')))]
  writeFileSync(join(output, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(root, inputs))
  writeFileSync(
    join(output, 'runtime.json'),
    `${JSON.stringify(runtimeHashes(Object.values(runtimePackages)), null, 2)}\n`,
  )
}

/** The declarations of the test kit: its types are in a file that imports nothing and is a declaration file as it is. */
function declareKit() {
  cpSync(join(sources, 'kit', 'api.ts'), join(output, 'api.d.ts'))
  const declare = (name, type) =>
    `import type { ${type} } from './api.js'\nexport type * from './api.js'\nexport declare const ${name}: ${type}\n`
  writeFileSync(join(output, 'index.d.ts'), declare('startNode', 'StartNode'))
  writeFileSync(join(output, 'testing.d.ts'), declare('useNode', 'UseNode'))
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
