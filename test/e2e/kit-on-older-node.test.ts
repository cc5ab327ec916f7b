// The test kit on the oldest Node that it supports: nodes run in a child process, which ends with the process of the
// tests, whatever ends that.
import assert from 'node:assert/strict'
import { execFile, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findOldestNode } from '../fixtures/older-node.ts'
import { launchProgram, type Result, temporaryFolder } from '../fixtures/process.ts'
import { scriptsDar } from '../fixtures/script-runner.ts'
import { until } from '../fixtures/until.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const ready = join(root, 'tools', 'ready.mjs')

describe('on Node 20', () => {
  before(() => promisify(execFile)(process.execPath, [ready, '--bundle'], { timeout: 240_000 }))

  test('nodes share one child process, which is gone when the process has ended', async () => {
    const { output, errors, code } = await ended(`
      const nodes = await Promise.all([startNode(), startNode()])
      const ids = await Promise.all(nodes.map((node) => node.party('alice')))
      console.log(process.version, new Set(ids).size, children().join())
      for (const node of nodes) await node.close()`)
    assert.equal(code, 0, errors)
    const [, child] = /^v20\.\S+ 2 (\d+)\n$/.exec(output) ?? []
    assert.ok(child, output)
    await until(() => !isRunning(Number(child)))
  })

  const endings: [title: string, script: string, signal: NodeJS.Signals | undefined][] = [
    ['is killed', '', 'SIGKILL'],
    ['is told to stop', '', 'SIGTERM'],
    ['exits without closing its node', 'process.exit(3)', undefined],
    ['fails', "throw new Error('oh')", undefined],
  ]
  for (const [title, script, signal] of endings) {
    test(`the child process ends when the process of the tests ${title}`, async () => {
      using folder = temporaryFolder()
      const program = launch(`
        const node = await startNode({ data: ${JSON.stringify(join(folder.path, 'ledger'))} })
        await node.party('alice')
        console.log(children().join())
        ${script}`)
      const child = await until(() => /^(\d+)\n/.exec(program.output())?.[1])
      if (signal !== undefined) program.process.kill(signal)
      if (program.process.exitCode === null && program.process.signalCode === null) await once(program.process, 'exit')
      await until(() => !isRunning(Number(child)))
    })
  }

  test('a child process that is killed is named in errors, and the next node gets another', async () => {
    const { output, errors } = await ended(`
      const node = await startNode()
      process.kill(children()[0], 'SIGKILL')
      try {
        for (;;) await node.time()
      } catch (error) {
        console.log(error.message)
      }
      await node.close()
      const next = await startNode()
      console.log((await next.party('alice')).slice(0, 5))
      await next.close()`)
    assert.equal(output, 'the process of the node has ended (SIGKILL)\nalice\n', errors)
  })

  test('a script runs there, too', async () => {
    const { output, errors } = await ended(`
      const node = await startNode({ dars: [${JSON.stringify(scriptsDar)}] })
      console.log(await node.runScript('Scripts:doubled', { input: '21' }))
      await node.runScript('Scripts:failing').catch((error) => console.log(error.message.split('\\n')[1]))
      await node.close()`)
    assert.equal(output, '42\n  User failure: CHOSEN (error category 9): by a script\n', errors)
  })

  test('options of Node that are meant for the tests do not reach the nodes', async () => {
    const NODE_OPTIONS = '--import data:text/javascript,console.error(7) --experimental-vm-modules'
    const { output, errors, code } = await ended(
      `const node = await startNode(); await node.close(); console.log('closed')`,
      { NODE_OPTIONS },
    )
    assert.deepEqual({ output, errors, code }, { output: 'closed\n', errors: '7\n', code: 0 })
  })

  test('a child process without nodes ends after a while, although its parent goes on', async () => {
    const child = fork(join(root, 'dist', 'kit-child.mjs'))
    const answers = () => once(child, 'message').then(([answer]) => answer)
    child.send({ id: 1, start: {} })
    const { node, started } = await answers()
    assert.match(started.participants[0].url, /^http/)
    child.send({ id: 2, close: node })
    assert.deepEqual(await answers(), { id: 2, closed: true })
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
  })
})

const kit = new URL('../../dist/index.mjs', import.meta.url).href

/** `children` are the processes in which nodes run. */
const prelude = `
  import { execFileSync } from 'node:child_process'
  import { startNode } from ${JSON.stringify(kit)}
  function children() {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    const rows = table.split('\\n').filter((line) => line.includes('kit-child.mjs')).map((line) => line.trim().split(/\\s+/))
    return rows.filter(([, parent]) => parent === String(process.pid)).map(([pid]) => Number(pid))
  }`

function launch(script: string, environment: Record<string, string> = {}) {
  return launchProgram([findOldestNode(), '--input-type=module', '--eval', `${prelude}\n${script}`], environment)
}

async function ended(script: string, environment: Record<string, string> = {}): Promise<Result> {
  const program = launch(script, environment)
  await once(program.process, 'close')
  return { output: program.output(), errors: program.errors(), code: program.process.exitCode }
}

/** A process that has ended stays in the table until somebody asks for its exit code. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')
  } catch {
    return false
  }
}
