// A node in a process of its own, over a PostgreSQL database that others share, with a clock that is wrong by a given
// time. Arguments: the database's URL, the error of the clock in milliseconds, and the secret of its tokens; without one
// it requires none. Prints its URL.
import { fileURLToPath } from 'node:url'
import { wallClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { startNode } from '../../src/node/node.ts'
import { testSettings } from '../../test/fixtures/node.ts'

const [postgresUrl, skewMs, secret] = process.argv.slice(2)
const quickstart = fileURLToPath(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))

/** Short times for short rounds; the code that handles them is the same. */
const times = {
  postgresConnectTimeoutMs: 2_000,
  postgresQueryTimeoutMs: 3_000,
  postgresWatchMs: 100,
  postgresLeaseMs: 3_000,
}

const node = await startNode(
  testSettings({
    development: false,
    http: { port: 0 },
    grpc: { port: 'off' },
    auth:
      secret === undefined ? { mode: 'off' } : { keys: [{ type: 'hs256', secret, tokenLifetimeMaxMs: 86_400_000 }] },
    log: { level: 'warn', format: 'json' },
    dars: [quickstart],
    engine: { threads: 1 },
    limits: { requestTimeoutMs: 120_000 }, // A command may wait for as long as its node is cut off, and machines that run tests are slow.
    store: { kind: 'postgres', postgresUrl: postgresUrl!, ...times },
  }),
  {
    clock: { ...wallClock, nowMs: () => wallClock.nowMs() + Number(skewMs) },
    log: createLog('warn', 'json'),
  },
)
process.stdout.write(`${node.url}\n`)
process.on('SIGTERM', () => void node[Symbol.asyncDispose]().then(() => process.exit(0)))
process.on('disconnect', () => process.exit(1)) // The campaign is gone.
