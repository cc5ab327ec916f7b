// A node over a PostgreSQL database that others share, with a clock that is wrong by a given time: in this process, or in
// one of its own. Arguments: the database's URL and the error of the clock in milliseconds. Prints its URL.
import { fileURLToPath } from 'node:url'
import { wallClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { type Node, startNode } from '../../src/node/node.ts'
import { testSettings } from '../../test/fixtures/node.ts'

const quickstart = fileURLToPath(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))

/** Short times for short rounds; the code that handles them is the same. */
const shortTimes = {
  postgresConnectTimeoutMs: 2_000,
  postgresQueryTimeoutMs: 3_000,
  postgresWatchMs: 100,
  postgresLeaseMs: 3_000,
}

type Options = { readonly secret?: string; readonly times?: typeof shortTimes }

/** Requires tokens if there is a secret for them. Without other times, it has the usual ones. */
export function startSkewedNode(postgresUrl: string, skewMs: number, { secret, times }: Options): Promise<Node> {
  const settings = testSettings({
    development: false,
    http: { port: 0 },
    grpc: { port: 'off' },
    auth:
      secret === undefined ? { mode: 'off' } : { keys: [{ type: 'hs256', secret, tokenLifetimeMaxMs: 86_400_000 }] },
    log: { level: 'warn', format: 'json' },
    dars: [quickstart],
    engine: { threads: 1 },
    limits: { requestTimeoutMs: 120_000 }, // A command may wait for as long as its node is cut off, and machines that run tests are slow.
    store: { kind: 'postgres', postgresUrl, ...times },
  })
  const clock = { ...wallClock, nowMs: () => wallClock.nowMs() + skewMs }
  return startNode(settings, { clock, log: createLog('warn', 'json') })
}

if (import.meta.main) {
  const [postgresUrl, skewMs] = process.argv.slice(2)
  const node = await startSkewedNode(postgresUrl!, Number(skewMs), { times: shortTimes })
  process.stdout.write(`${node.url}\n`)
  process.on('SIGTERM', () => void node[Symbol.asyncDispose]().then(() => process.exit(0)))
  process.on('disconnect', () => process.exit(1)) // The campaign is gone.
}
