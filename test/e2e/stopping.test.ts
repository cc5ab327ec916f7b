// How a node ends: by signals from terminals, npm and supervisors, with and without a launcher in between.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { olderNodeOnPath } from '../../tools/older-node/on-path.mjs'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { launchProgram } from '../fixtures/process.ts'

const executable = fileURLToPath(new URL('../../bin/tallystick', import.meta.url))
const handOver = new URL('../../bin/hand-over.mjs', import.meta.url)
const olderNode = olderNodeOnPath()

type Way = { readonly name: string; readonly skip?: string; readonly program: readonly [string, ...string[]] }

const ways: Way[] = [
  {
    name: 'handed over by a launcher',
    program: [
      process.execPath,
      '--input-type=module',
      '--eval',
      `import { handOver } from '${handOver}'; handOver(process.execPath, process.argv.slice(1))`,
      '--',
    ],
  },
  {
    name: 'handed over by an older Node',
    ...(olderNode === undefined && { skip: 'there is no Node older than 26 on the PATH' }),
    program: [olderNode ?? '', executable],
  },
  { name: 'started without a launcher', program: [process.execPath, executable] },
]

for (const { name, skip, program } of ways) {
  describe(`a node ${name}`, { concurrency: 3, ...(skip !== undefined && { skip }) }, () => {
    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      test(`stops when its terminal sends ${signal} to the whole group`, async () => {
        const node = await startWith(program)
        process.kill(-node.pid, signal)
        await node.ended
        assertStopped(node)
      })
    }

    test('stops when a second signal follows the first at once, as npm forwards them', async () => {
      const node = await startWith(program, [], { TALLYSTICK_LIMITS_STOP_WITHIN_MS: '6000' })
      await using _held = await holdUp(node.url) // Makes the stop last longer than the copies take to arrive.
      process.kill(-node.pid, 'SIGINT')
      process.kill(node.pid, 'SIGTERM') // The kernel joins two of one kind if the first is still on its way.
      await node.ended
      assertStopped(node)
    })

    test('stops when only the first process gets SIGTERM', async () => {
      const node = await startWith(program)
      process.kill(node.pid, 'SIGTERM')
      await node.ended
      assertStopped(node)
    })

    test('ends at once on a second request, while a client delays the stop', async () => {
      const node = await startWith(program)
      await using _held = await holdUp(node.url)
      process.kill(-node.pid, 'SIGINT')
      await node.says(/stopping/)
      const insisting = setInterval(() => process.kill(-node.pid, 'SIGINT'), 200)
      await node.ended.finally(() => clearInterval(insisting))
      assert.doesNotMatch(node.errors(), /"stopped"/)
      assert.equal(node.exitCode(), 130)
    })
  })
}

for (const { name, skip, program } of ways.slice(0, 2)) {
  test(`a node ${name} stops when the launcher is killed`, { ...(skip !== undefined && { skip }) }, async () => {
    const node = await startWith(program)
    process.kill(node.pid, 'SIGKILL')
    await node.ended // Its output closes when the last process that holds it ends.
    assert.match(node.errors(), /"msg":"stopped"/)
    await assert.rejects(fetch(`${node.url}/livez`))
  })
}

test('a node gives endless requests half of its time to stop', async () => {
  const node = await startWith(ways[2]!.program, [], { TALLYSTICK_LIMITS_STOP_WITHIN_MS: '5000' })
  await using _held = await holdUp(node.url)
  process.kill(node.pid, 'SIGTERM')
  await node.ended
  assertStopped(node)
})

test('a node that cannot close a part names it, and ends all the same', async () => {
  await using database = await createTestDatabase()
  await using wire = await openFrozenWire(database.url)
  const store = ['--postgres', wire.url]
  const node = await startWith(ways[2]!.program, store, { TALLYSTICK_LIMITS_STOP_WITHIN_MS: '300' })
  wire.freeze()
  const lost = fetch(`${node.url}/v2/users`).catch(() => undefined)
  await wire.isAsked
  process.kill(node.pid, 'SIGTERM')
  await node.ended
  assert.match(node.errors(), /"waitingFor":"[^"]+".*"the node does not stop"|"stopped"/)
  await lost
})

test('a handed-over command passes on its exit code and its output', async () => {
  const child = launchProgram([...ways[0]!.program, 'prune'], {})
  await once(child.process, 'close')
  assert.deepEqual([child.process.exitCode, child.output()], [2, ''])
  assert.match(child.errors(), /^tallystick: give one of --up-to and --older-than\n$/)
})

test('a node keeps running when nobody reads its output any more', async () => {
  const node = await startWith(ways[2]!.program, ['--log-level', 'debug'])
  node.closeOutput()
  for (let request = 0; request < 3; request += 1) {
    assert.equal((await fetch(`${node.url}/v2/users`)).status, 200) // Each is logged, but nobody reads it.
  }
  process.kill(node.pid, 'SIGTERM')
  await node.ended
  assert.equal(node.exitCode(), 0)
})

async function startWith(program: Way['program'], options: string[] = [], environment: Record<string, string> = {}) {
  const store = options.includes('--postgres') ? [] : ['--memory']
  const args = ['start', ...store, '--auth', 'off', '--port', '0', ...options]
  const child = launchProgram([...program, ...args], environment)
  const ended = once(child.process, 'close')
  ended.catch(() => undefined)
  const says = async (what: RegExp) => {
    while (!what.test(child.output())) {
      await Promise.race([once(child.process.stdout!, 'data'), ended])
      if (child.process.exitCode !== null) assert.fail(`it ended: ${child.errors()}`)
    }
  }
  await says(/ready in/)
  return {
    pid: child.process.pid!,
    url: /url +(\S+)/.exec(child.output())![1]!,
    ended,
    says,
    errors: child.errors,
    output: child.output,
    exitCode: () => child.process.exitCode,
    closeOutput() {
      child.process.stdout!.destroy()
      child.process.stderr!.destroy()
    },
  }
}

type StartedWith = Awaited<ReturnType<typeof startWith>>

function assertStopped(node: StartedWith): void {
  assert.match(node.errors(), /"msg":"stopped"/)
  assert.match(node.output(), /stopping…\n$/)
  assert.equal(node.exitCode(), 0)
}

/** A request whose body never ends. */
async function holdUp(url: string): Promise<AsyncDisposable> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('POST /v2/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
  await fetch(`${url}/livez`) // By now the node has read it.
  return {
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}

/** A proxy before a database; once frozen, it forwards nothing, like a firewall that lost its connections. */
async function openFrozenWire(url: string) {
  const to = new URL(url)
  const { promise: isAsked, resolve } = Promise.withResolvers<void>()
  let isFrozen = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(Number(to.port), to.hostname)
    for (const socket of [client, database]) sockets.add(socket.on('error', () => undefined))
    client.on('data', (bytes) => (isFrozen ? resolve() : database.write(bytes)))
    database.on('data', (bytes) => isFrozen || client.write(bytes))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const here = new URL(url)
  here.port = String((server.address() as AddressInfo).port)
  return {
    url: here.href,
    isAsked,
    freeze() {
      isFrozen = true
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
