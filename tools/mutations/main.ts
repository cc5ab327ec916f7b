// Breaks the engine and the checkers on purpose, one place at a time, and sees whether a test notices.
//   node_modules/.bin/node tools/mutations/main.ts [TEXT]     only mutations whose file contains TEXT
// Works on a copy of the source tree. Prints one line per mutation; exits with 1 if one survives its tests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mutations } from './list.ts'
import type { Mutation } from './mutation.ts'

const root = join(import.meta.dirname, '../..')
const copied = ['src', 'test', 'packages', 'bin', 'package.json', 'tsconfig.json']
const testTimeoutMs = 300_000

using folder = mkdtempDisposableSync(join(tmpdir(), 'tallystick-mutations-'))
for (const name of copied) cpSync(join(root, name), join(folder.path, name), { recursive: true })
for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(folder.path, name))

const chosen = mutations.filter(({ file }) => file.includes(process.argv[2] ?? ''))
const broken: string[] = []
for (const test of new Set(chosen.flatMap(({ tests }) => tests))) if (await fails(test)) broken.push(test)
if (broken.length > 0) throw new Error(`without any mutation these fail: ${broken.join(', ')}`)
let survivors = 0
for (const [index, mutation] of chosen.entries()) {
  const found = await mutated(mutation, () => firstThatFails(mutation.tests))
  if (found === undefined) survivors += 1
  const verdict = found === undefined ? 'SURVIVES' : `found by ${found}`
  console.info(`${index + 1}/${chosen.length} ${mutation.file}: ${shown(mutation)}: ${verdict}`)
}
console.info(`${chosen.length - survivors} of ${chosen.length} found`)
process.exitCode = survivors === 0 ? 0 : 1

async function mutated<T>({ file, from, to }: Mutation, run: () => Promise<T>): Promise<T> {
  const place = join(folder.path, file)
  const original = readFileSync(place, 'utf8')
  writeFileSync(
    place,
    original.replace(from, () => to),
  )
  try {
    return await run()
  } finally {
    writeFileSync(place, original)
  }
}

async function firstThatFails(tests: readonly string[]): Promise<string | undefined> {
  for (const test of tests) if (await fails(test)) return test
  return undefined
}

/** Ends the tests with the first that fails. */
async function fails(test: string): Promise<boolean> {
  const args = ['--test', '--test-reporter=tap', '--test-global-setup=test/global-setup.ts', test]
  const child = spawn(process.execPath, args, {
    cwd: folder.path,
    timeout: testTimeoutMs,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close') as Promise<[code: number | null]>
  let text = ''
  for await (const part of child.stdout) {
    text = text.slice(text.lastIndexOf('\n') + 1) + String(part)
    if (/^ *not ok /m.test(text)) child.kill()
  }
  const [code] = await ended
  return code !== 0
}

function shown({ from, to }: Mutation): string {
  return to === '' ? `without ${from}` : `${from} → ${to}`
}
