// `npm start`, as people run it: npm, its shell, the launcher and the node. A signal to npm ends all of them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { launchProgram, temporaryFolder } from '../fixtures/process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} to npm ends the node, and its port is free`, async () => {
    using folder = temporaryFolder()
    const options = ['--port', '0', '--grpc-port', 'off', '--data', folder.path]
    const npm = launchProgram(['npm', '--prefix', root, '--ignore-scripts', 'start', '--', ...options], {})
    try {
      const early = once(npm.process, 'close').then(() => assert.fail(`it ended: ${npm.errors()}`))
      while (!/ready in/.test(npm.output())) await Promise.race([once(npm.process.stdout!, 'data'), early])
      early.catch(() => undefined)
      const port = Number(/url +http:\/\/127\.0\.0\.1:(\d+)/.exec(npm.output())![1])
      // The node holds the other end of the pipe, so it closes when the node has ended.
      const ended = once(npm.process.stdout!, 'close')
      npm.process.kill(signal)
      await ended
      assert.match(npm.output(), /stopping…/)
      const server = createServer().listen(port, '127.0.0.1')
      await once(server, 'listening')
      server.close()
    } finally {
      killGroup(npm.process.pid!)
    }
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
