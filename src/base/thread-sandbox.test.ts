// A thread that handles packages has no access to anything outside itself, whatever it tries.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { confinedThread } from './thread-sandbox.ts'

const attempting = new URL('../../test/support/base/confined-thread.ts', import.meta.url)

async function attemptAll(folder: string, options: object): Promise<[name: string, outcome: string][]> {
  const workerData = { file: fileURLToPath(import.meta.url), folder }
  const worker = new Worker(attempting, { ...options, workerData })
  const [outcomes] = await once(worker, 'message')
  await worker.terminate()
  return outcomes
}

test('a confined thread has no access to files, processes, sockets, environment, add-ons or modules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'confined-'))
  try {
    const outcomes = await attemptAll(folder, confinedThread)
    assert.ok(outcomes.length > 45)
    assert.deepEqual(
      outcomes.filter(([, outcome]) => !outcome.startsWith('refused: ')),
      [],
    )
    assert.deepEqual(readdirSync(folder), [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a thread started without the permission model cannot be confined', async () => {
  await assert.rejects(attemptAll('', { env: {} }), /not started with the permission model/)
})

const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** Expressions to evaluate in a confined thread. */
const attempts = [
  `Function('return 1')()`,
  `new Function('return 1')()`,
  `(0, eval)('1')`,
  `(() => {}).constructor('return 1')()`,
  `(async () => {}).constructor('return 1')()`,
  `(function* () {}).constructor('yield 1')()`,
  `(async function* () {}).constructor('yield 1')()`,
  `Reflect.construct(Object.getPrototypeOf(class {}).constructor, ['return 1'])()`,
  `''.constructor.constructor('return 1')()`,
  `compileFunction([], 'return (() => {}).constructor("return 1")')()`,
  `compileFunction(['f'], 'return f.constructor("return 1")')(() => {})`,
  `new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`,
  `Object.assign(Object.getPrototypeOf(() => {}), { constructor: class {} })`,
  `process.exit()`,
  `globalThis.process.exit()`,
  `fetch('http://127.0.0.1')`,
]

const program = `
  const { parentPort } = await import('node:worker_threads')
  const { createInterpreter } = await import(${url('../engine/interpreter.ts')})
  const { compileFunction } = await import(${url('generated-code.ts')})
  const { confineThread } = await import(${url('thread-sandbox.ts')})
  const { hostilePackage } = await import(${url('../../test/support/engine/hostile-package.ts')})
  const { ledgerOf } = await import(${url('../../test/support/engine/ledger.ts')})
  const { requestOf } = await import(${url('../../test/support/engine/requests.ts')})
  const { dalf, command } = hostilePackage()
  const interpreter = createInterpreter(ledgerOf({ dalfs: [{ bytes: dalf }] }))
  confineThread()
  const attempts = [${attempts.map((attempt) => `() => ${attempt}`).join(', ')}]
  const outcomes = attempts.map((attempt) => { try { return String(attempt()) } catch (error) { return error.name } })
  const request = requestOf({ commands: [command('Quick', 7)], actAs: ['Alice'] })
  const { transaction } = interpreter.interpret(request, { stepsMax: 1e6 })
  parentPort.postMessage({ outcomes, result: transaction.nodes[1].exerciseResult })
`

test('a confined thread turns no text into code, and still runs packages', async () => {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), confinedThread)
  try {
    const [{ outcomes, result }] = await once(worker, 'message')
    assert.equal(result, '"7"')
    for (const [index, attempt] of attempts.entries()) {
      assert.match(outcomes[index], /^(EvalError|TypeError|ReferenceError)$/, attempt)
    }
  } finally {
    await worker.terminate()
  }
})
