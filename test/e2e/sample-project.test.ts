// The sample project in examples/, as its user would check it: its tests pass with Vitest, it compiles, and the types in it
// are those that codegen writes for the package today.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readDar } from '../../src/cli/dar-file.ts'
import { generateTypeScript } from '../../src/codegen/typescript.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const project = join(root, 'examples', 'iou-desk')
const modules = join(root, 'node_modules')

/** Generous: it takes two seconds, and many more on a busy machine. */
const timeout = 120_000
const patience = ['--testTimeout=60000', '--hookTimeout=60000']

describe('the sample project', () => {
  before(() => run(join(root, 'tools', 'ready.mjs'), '--bundle')) // It uses the package as users install it.

  test('passes its tests', async () => {
    const { code, output } = await run(join(modules, 'vitest', 'vitest.mjs'), 'run', ...patience)
    assert.equal(code, 0, output)
    assert.match(output, /Tests +7 passed \(7\)/)
  })

  test('compiles against the declarations of the package', async () => {
    const { code, output } = await run(join(modules, 'typescript', 'bin', 'tsc'), '--project', project)
    assert.equal(code, 0, output)
  })

  test('has the types that codegen writes (npm run generate --workspace iou-desk)', async () => {
    const { main, packages } = await readDar(join(root, 'packages', 'quickstart', 'quickstart.dar'))
    const known = new Map(packages.map((one) => [one.package.id, one.package]))
    const written = generateTypeScript({ main: main.package, get: (id) => known.get(id) })
    const folder = join(project, 'src', 'generated')
    const files = globSync('**/*.ts', { cwd: folder }).map((file) => file.replaceAll('\\', '/'))
    assert.deepEqual(files.sort(), [...written.keys()].sort())
    for (const file of files) assert.equal(readFileSync(join(folder, file), 'utf8'), written.get(file), file)
  })
})

function run(script: string, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    execFile(process.execPath, [script, ...args], { cwd: project, env, timeout }, (error, output, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: error === null ? output : output + errors })
    })
  })
}
