// Joins the chunks that every start of a node loads, because each file that Node loads costs half a millisecond, whatever
// is in it. esbuild makes a chunk for each set of entries that share code, so there is one more for nearly every part that
// loads on demand. A joined chunk stays as a file that exports the same from the joined one, for those that load it later.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What a start loads: these, and all that they import. */
const starting = ['src/cli/main.ts', 'src/engine/pool/pool.ts', 'src/node/process-registry.ts']
/** Loads much of the same, in another thread: that is joined apart. */
const sharing = 'src/engine/pool/worker.ts'
/** Other threads load little of it, and must not load the rest. */
const small = ['src/store/sqlite/checkpoint-thread.ts', 'src/store/sqlite/damaged-trees-thread.ts']
const later = ['src/ledger/packages/package-thread.ts', 'src/script/script-thread.ts']

/** `folder` has what esbuild wrote, and `outputs` is its description of that. */
export async function joinChunks(build, folder, outputs) {
  const chunks = new Map(Object.entries(outputs).map(([path, chunk]) => [basename(path), chunk]))
  const started = loadedBy(starting, chunks)
  const shared = loadedBy([sharing], chunks)
  const apart = [...loadedBy(later, chunks)].filter((name) => !shared.has(name))
  const kept = new Set([...loadedBy(small, chunks), ...apart])
  const entries = new Set([...chunks].filter(([, { entryPoint }]) => entryPoint !== undefined).map(([name]) => name))
  const candidates = [...started].filter((name) => !kept.has(name) && !entries.has(name))
  const joined = new Set()
  for (const [name, members] of [
    ['shared.mjs', candidates.filter((chunk) => shared.has(chunk))],
    ['start.mjs', candidates.filter((chunk) => !shared.has(chunk))],
  ]) {
    for (const chunk of members) joined.add(chunk)
    writeFileSync(join(folder, name), members.map((chunk) => exporting(chunk, chunks, chunk, toJoined)).join(''))
    await rewrite(build, folder, name, joined)
    for (const chunk of members) writeFileSync(join(folder, chunk), exporting(chunk, chunks, name, fromJoined))
  }
  for (const entry of entries) if (started.has(entry) || shared.has(entry)) await rewrite(build, folder, entry, joined)
}

/** The files that these sources are in, and all that they import at once. */
function loadedBy(sources, chunks) {
  const loaded = new Set()
  const load = (name) => {
    if (loaded.has(name) || !chunks.has(name)) return
    loaded.add(name)
    for (const { path, kind } of chunks.get(name).imports) if (kind === 'import-statement') load(basename(path))
  }
  for (const [name, { entryPoint }] of chunks) if (sources.includes(entryPoint)) load(name)
  return loaded
}

/** Chunks export short names, so in a joined file these begin with the name of their chunk. */
const toJoined = (name, prefix) => `${name} as ${prefix}_${name}`
const fromJoined = (name, prefix) => `${prefix}_${name} as ${name}`

function exporting(chunk, chunks, from, rename) {
  const prefix = chunk.replaceAll(/\W/g, '_')
  const names = chunks.get(chunk).exports.map((name) => rename(name, prefix))
  return names.length === 0 ? `import './${from}'\n` : `export { ${names.join(', ')} } from './${from}'\n`
}

/** Puts what a file imports of these chunks into it. */
async function rewrite(build, folder, name, inlined) {
  const source = `source-${name}`
  renameSync(join(folder, name), join(folder, source))
  const isInside = ({ path, kind }) =>
    kind === 'entry-point' || (kind === 'import-statement' && inlined.has(basename(path)))
  const outside = {
    name: 'outside',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\// }, (args) => (isInside(args) ? undefined : { path: args.path, external: true }))
    },
  }
  await build({
    absWorkingDir: folder,
    entryPoints: [`./${source}`],
    outfile: join(folder, name),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [outside],
  })
  rmSync(join(folder, source))
}
