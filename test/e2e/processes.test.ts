// Several processes behind one port: one ledger, whoever answers, and nobody notices when one of them dies.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { assertOneLine, run, type Started, start } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'

const open = ['--auth', 'off', '--user-id', 'me']

/** Each request has its own connection, for any of the processes. */
async function call({ url }: Started, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { connection: 'close' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
}

/** Requests that each process has answered, by its number. */
async function answeredBy(node: Started): Promise<Map<number, number>> {
  const page = await call(node, '/metrics')
  const samples = page.matchAll(/^tallystick_http_requests_total\{process="(\d+)",.*\} (\d+)$/gm)
  const counts = new Map<number, number>()
  for (const [, number, count] of samples) counts.set(Number(number), (counts.get(Number(number)) ?? 0) + Number(count))
  return counts
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)
}

// Linux and a few others deal out the connections to a shared port.
describe('two processes behind one port', { skip: process.platform !== 'linux' }, () => {
  test('serve one ledger, and replace one that dies', async () => {
    await using database = await createTestDatabase()
    await using node = await start(['--processes', '2', '--postgres', database.url, ...open])
    assert.match(node.output, /^ {2}processes {6}2$/m)
    assert.equal(node.output.match(/ready in/g)?.length, 1)

    const party: string = JSON.parse(await call(node, '/v2/parties', { partyIdHint: 'alice' })).partyDetails.party
    const bothAnswer = async () => {
      assert.match(await call(node, '/v2/parties'), new RegExp(party))
      const counts = await answeredBy(node)
      return [1, 2].every((number) => (counts.get(number) ?? 0) > 0)
    }
    await until(bothAnswer)

    const [victim, other] = childrenOf(node.pid)
    process.kill(victim!, 'SIGKILL')
    await until(() => !childrenOf(node.pid).includes(victim!))
    await until(() => bothAnswer().catch(() => false)) // Its connections are cut.
    assert.ok(childrenOf(node.pid).includes(other!))
    assert.match(node.errors, /a process has ended/)

    const processes = childrenOf(node.pid)
    assert.equal(await node.stop('SIGTERM'), 0)
    assert.equal(node.output.match(/stopping…/g)?.length, 1)
    assert.deepEqual(processes.filter(isRunning), [])
  })

  test('end with the process that watches them', async () => {
    await using database = await createTestDatabase()
    await using node = await start(['--processes', '2', '--postgres', database.url, ...open])
    const processes = childrenOf(node.pid)
    process.kill(node.pid, 'SIGKILL')
    await until(() => !processes.some(isRunning))
  })

  test('do not share the port of others', async () => {
    await using database = await createTestDatabase()
    await using node = await start(['--processes', '2', '--postgres', database.url, ...open])
    const { port } = new URL(node.url)
    const second = await run(['start', '--processes', '2', '--postgres', database.url, ...open, '--port', port])
    assertOneLine(second, 1, new RegExp(`port ${port} on 127.0.0.1 is taken`))
  })

  test('report once that they cannot start', async () => {
    const nowhere = 'postgres://nobody@127.0.0.1:1/none'
    const started = start(['--processes', '3', '--postgres', nowhere, ...open, '--log-level', 'silent'], {
      TALLYSTICK_STORE_POSTGRES_START_MS: '0',
    })
    await assert.rejects(started, ({ message }: Error) => {
      assert.equal(message.match(/tallystick:/g)?.length, 1, message)
      return true
    })
  })
})
