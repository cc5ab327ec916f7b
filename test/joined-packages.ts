// Packages of very many small modules. Half of what a process of tests loads was theirs, and finding, reading and linking
// a module takes longer than compiling most of them. So the run joins each entry into a file (run.ts), and what loads this
// module takes that instead.
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Entries of one package have to be joined together, because they share modules. */
const entries = ['typebox', 'typebox/schema', 'typebox/value', 'jose']

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules', '.cache', 'joined-packages')
const nameOf = (entry: string) => entry.replace('/', '-')
const fileOf = (entry: string) => join(folder, `${nameOf(entry)}.mjs`)

const joined = new Map(
  entries.filter((entry) => existsSync(fileOf(entry))).map((entry) => [entry, pathToFileURL(fileOf(entry)).href]),
)

registerHooks({
  resolve(specifier, context, next) {
    const url = joined.get(specifier)
    return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true }
  },
})

/** Builds the files, unless they are newer than what they depend on. */
export async function joinPackages(): Promise<void> {
  if (areFresh()) return
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((entry) => [nameOf(entry), entry])),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    write: false,
    logLevel: 'warning',
  })
  mkdirSync(folder, { recursive: true })
  const names = new Set(entries.map(nameOf))
  const { true: entryFiles = [], false: sharedFiles = [] } = Object.groupBy(outputFiles, ({ path }) =>
    String(names.has(basename(path, '.mjs'))),
  )
  // Another run may look for them at any moment: each appears whole, and after what it imports.
  for (const { path, text } of [...sharedFiles, ...entryFiles]) {
    writeFileSync(`${path}.${process.pid}`, text)
    renameSync(`${path}.${process.pid}`, path)
  }
}

function areFresh(): boolean {
  const changedMs = Math.max(
    ...[import.meta.filename, join(root, 'package-lock.json')].map((file) => statSync(file).mtimeMs),
  )
  return entries.every((entry) => (statSync(fileOf(entry), { throwIfNoEntry: false })?.mtimeMs ?? 0) > changedMs)
}
