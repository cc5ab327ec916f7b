// The declarations of the test kit, as the compilers of its users read them: with the oldest library that Node 20 has,
// without types of Node, and with every declaration checked; from modules and from CommonJS.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '../fixtures/process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const timeout = 120_000

const program = `
import { startNode, transactionText, type TestNode } from 'tallystick'
import { useNode } from 'tallystick/testing'

declare const Iou: {
  readonly templateId: string
  readonly describes?: {
    payload: { owner: string; amount: string }
    choices: { Split: { argument: { amount: string }; result: { split: string } } }
  }
}
declare const hooks: { beforeAll(run: () => void): void; afterAll(run: () => void): void; beforeEach(run: () => void): void }

export const node: () => TestNode = useNode(hooks, { time: 'static', grpcPort: 0, world: 'world.yaml', dars: ['my.dar'] })
export async function main(): Promise<string[]> {
  const other = await startNode({ time: '2030-01-01T00:00:00Z' })
  const alice = other.as(await other.party('alice'))
  const { payload } = await alice.create(Iou, { owner: 'alice', amount: '1' })
  const { split } = await alice.exercise(Iou, '00', 'Split', { amount: payload.amount })
  const found = await other.contract(Iou, ({ owner }) => owner === 'alice', { timeout: 100 })
  // @ts-expect-error There is no such choice.
  await alice.exercise(Iou, '00', 'Splt', {})
  // @ts-expect-error Nor such a field.
  await alice.create(Iou, { ownr: 'alice', amount: '1' })
  // @ts-expect-error Somebody has to act.
  await other.create(Iou, { owner: 'alice', amount: '1' })
  const texts: string[] = [split, found.payload.owner, transactionText(await alice.dryRun({}))]
  for await (const transaction of alice.updates({ after: 1 })) texts.push(transactionText(transaction))
  await other[Symbol.asyncDispose]()
  return texts
}
`

before(() => promisify(execFile)(process.execPath, [join(root, 'tools', 'ready.mjs'), '--bundle'], { timeout }))

for (const lib of ['es2022', 'esnext']) {
  test(`compile with the library ${lib}`, async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'node_modules'))
    symlinkSync(root, join(folder.path, 'node_modules', 'tallystick'), 'junction')
    for (const file of ['modules.mts', 'common.cts']) writeFileSync(join(folder.path, file), program)
    const compilerOptions = {
      ...{ target: 'es2022', lib: [lib], module: 'nodenext', types: [], strict: true, noEmit: true },
      ...{ skipLibCheck: false, exactOptionalPropertyTypes: true, preserveSymlinks: true },
    }
    await compiles(folder.path, { compilerOptions, files: ['modules.mts', 'common.cts'] })
  })
}

test('fit the examples of runners', async () => {
  using folder = temporaryFolder()
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2022', 'dom'], module: 'nodenext', types: ['node'], strict: true, noEmit: true },
    ...{ skipLibCheck: true, typeRoots: [join(root, 'node_modules', '@types')] },
  }
  const files = ['vitest/iou.test.ts', 'playwright/page.spec.ts'].map((file) => join(root, 'examples', 'runners', file))
  await compiles(folder.path, { compilerOptions, files })
})

async function compiles(folder: string, project: object): Promise<void> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const output = await promisify(execFile)(process.execPath, [compiler, '--project', folder], { timeout }).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  )
  assert.equal(output, '')
}
