// Joins the chunks that every start of a node loads, because each file that Node loads costs half a millisecond, whatever
// is in it. esbuild makes a chunk for each set of entries that share code, so there is one more for nearly every part that
// loads on demand.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What every command line loads, and what tests need before they load a node. */
const first = ['src/cli/main.ts', 'src/cli/commands/test.ts', 'src/ledger/packages/reading-aside.ts']
/** What a start loads: these, and all that they import. */
const starting = ['src/cli/commands/start.ts', 'src/engine/pool/pool.ts', 'src/node/process-registry.ts']

/** `folder` has what esbuild wrote, and `outputs` is its description of that. */
export async function joinChunks(build, folder, outputs) {
  const chunks = new Map(Object.entries(outputs).map(([path, chunk]) => [basename(path), chunk]))
  const entries = new Set([...chunks].filter(([, { entryPoint }]) => entryPoint !== undefined).map(([name]) => name))
  const joined = new Set()
  for (const [name, sources] of [
    ['first.mjs', first],
    ['start.mjs', starting],
  ]) {
    const members = [...loadedBy(sources, chunks)].filter((chunk) => !entries.has(chunk) && !joined.has(chunk))
    for (const chunk of members) joined.add(chunk)
    writeFileSync(join(folder, name), members.map((chunk) => exporting(chunk, chunks, chunk, toJoined)).join(''))
    await rewrite(build, folder, [name], joined)
    for (const chunk of members) writeFileSync(join(folder, chunk), exporting(chunk, chunks, name, fromJoined))
  }
  await rewrite(
    build,
    folder,
    [...chunks.keys()].filter((chunk) => !joined.has(chunk)),
    joined,
  )
  for (const chunk of joined) rmSync(join(folder, chunk))
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

/** Puts what files import of these chunks into them. */
async function rewrite(build, folder, names, inlined) {
  for (const name of names) renameSync(join(folder, name), join(folder, `source-${name}`))
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
    entryPoints: names.map((name) => ({ in: `./source-${name}`, out: basename(name, '.mjs') })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [outside],
  })
  for (const name of names) rmSync(join(folder, `source-${name}`))
}
