// The memory of idle gRPC streams: starts a node, opens streams of updates and prints what each of them takes.
//   node_modules/.bin/node tools/idle-streams.ts [STREAMS] [CONNECTIONS]
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ClientHttp2Stream } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { framed } from '../src/grpc/wire-call.ts'
import { openGrpc, requestBytes } from '../test/fixtures/grpc.ts'
import { launch } from '../test/fixtures/process.ts'

const streams = Number(process.argv[2] ?? 5_000)
const connections = Number(process.argv[3] ?? Math.ceil(streams / 500))
/** Streams that are opened at once. */
const atOnce = 100
const settleMs = 3_000
const pollMs = 100
const lifetimeMs = 600_000

const path = '/com.daml.ledger.api.v2.UpdateService/GetUpdates'
const request = framed(
  requestBytes(path, {
    updateFormat: {
      includeTransactions: {
        eventFormat: { filtersForAnyParty: {} },
        transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
      },
    },
  }),
)

const limit = String(streams)
const child = launch(
  ['start', '--memory', '--port', '0', '--grpc-port', '0', '--auth', 'off', '--log-level', 'warn'],
  { TALLYSTICK_LIMITS_STREAMS_MAX: limit, TALLYSTICK_LIMITS_STREAMS_PER_USER_MAX: limit },
  lifetimeMs,
)
while (!/ready in/.test(child.output()) && child.process.exitCode === null) await sleep(pollMs)
const url = /grpc +(\S+)/i.exec(child.output())?.[1]
if (url === undefined) throw new Error(`the node has no gRPC: ${child.output()}${child.errors()}`)

const residentKiB = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.process.pid}/status`, 'utf8'))?.[1] ?? 0)

const clients = Array.from({ length: connections }, () => openGrpc(url))
const open: ClientHttp2Stream[] = []

async function openMore(count: number): Promise<void> {
  const more = Array.from({ length: count }, () => {
    const stream = clients[open.length % clients.length]!.request(path)
    stream.end(request)
    open.push(stream)
    return once(stream, 'response')
  })
  for (const [headers] of await Promise.all(more)) {
    if (headers['grpc-status'] !== undefined) throw new Error(`refused: ${headers['grpc-message']}`)
  }
}

// The first streams load what all of them use.
await openMore(Math.min(atOnce, streams))
await sleep(settleMs)
const first = open.length
const before = residentKiB()
while (open.length < streams) await openMore(Math.min(atOnce, streams - open.length))
await sleep(settleMs)
const grown = residentKiB() - before
console.log(
  `${open.length} idle streams on ${connections} connections: ${(grown / (open.length - first)).toFixed(1)} KiB each ` +
    `(${(grown / 1024).toFixed(1)} MiB in all)`,
)
for (const client of clients) await client[Symbol.asyncDispose]()
child.process.kill('SIGTERM')
