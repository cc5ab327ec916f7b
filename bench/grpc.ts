// The gRPC API against HTTP, WebSockets and a bare server of @grpc/grpc-js. What a server can do is measured by its CPU
// time, of all threads: a busy machine changes that least. Clients only count bytes.
import { writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { framed, frameHeadBytes } from '../src/grpc/wire-call.ts'
import { requestBytes } from '../test/fixtures/grpc.ts'
import { threadsOf } from './command-load.ts'
import { connectGrpc, type GrpcConnection } from './grpc-client.ts'
import { type BenchLedger, createAndExercise, post, startLedger } from './ledger.ts'
import { baseline, median, type Server, startServer, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'
import { loadFor } from './submit.ts'
import { readSocket, updatesBetween } from './websocket.ts'

const rounds = 5
const inFlight = 32
export const getUpdates = 'UpdateService/GetUpdates'
const grpcOn = ['--grpc-port', '0']

type Side = { readonly server: Server; readonly run: () => Promise<number> }

/** Of its threads, none of which ends meanwhile. */
function cpuUsOf({ pid }: Server): number {
  return [...threadsOf(pid).values()].reduce((sum, { cpuUs }) => sum + cpuUs, 0)
}

/** What each side does in a second of its CPU time, round by round. */
async function compared(ours: Side, theirs: Side, warmRounds: number) {
  const perSecond = async ({ server, run }: Side) => {
    const before = cpuUsOf(server)
    const done = await run()
    return (done / (cpuUsOf(server) - before)) * 1e6
  }
  for (let round = 0; round < warmRounds; round += 1) {
    await ours.run()
    await theirs.run()
  }
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) results.push([await perSecond(ours), await perSecond(theirs)])
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'per s of CPU', ratio: a / b }
}

/** submit-and-wait of a CreateAndExercise, 32 at a time. */
export async function submittingOverGrpc(against: 'http' | 'bare') {
  const count = 3_000
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path, 'sqlite', { flags: grpcOn })
  using connection = connectGrpc(ledger.server)
  let number = 0
  const submit = async (to: GrpcConnection) => {
    await to.call('CommandService/SubmitAndWait', submission(ledger, `grpc-${number++}`), ledger.token)
  }
  const ours = { server: ledger.server, run: () => atATime(count, () => submit(connection)) }
  if (against === 'http') {
    const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
    const url = `${ledger.server.url}/v2/commands/submit-and-wait`
    const overHttp = async () => {
      const body = JSON.stringify(createAndExercise(ledger.parties, `http-${number++}`))
      await post(url, ledger.headers, body, agent)
    }
    const result = await compared(ours, { server: ledger.server, run: () => atATime(count, overHttp) }, 4)
    agent.destroy()
    return result
  }
  const file = join(folder.path, 'answer')
  const answer = await answerOf(connection, 'CommandService/SubmitAndWait', submission(ledger, 'first'), ledger.token)
  writeFileSync(file, withLengths(answer))
  await using bare = await startServer(baseline('grpc.mjs', file), '/')
  using toBare = connectGrpc(bare)
  return await compared(ours, { server: bare, run: () => atATime(count, () => submit(toBare)) }, 4)
}

/** All updates of a ledger to one reader. */
export async function updatesOverGrpc(against: 'websocket' | 'bare') {
  const updates = 20_000
  using folder = temporaryFolder()
  await using ledger = await startFilled(folder.path, updates, grpcOn)
  using connection = connectGrpc(ledger.server)
  const request = updatesRequest(ledger, updates)
  const read = async (from: GrpcConnection) => {
    await from.call(getUpdates, request, ledger.token)
    return updates
  }
  const ours = { server: ledger.server, run: () => read(connection) }
  if (against === 'websocket') {
    const overWebSocket = async () => {
      const body = JSON.stringify(updatesBetween(ledger, 0, updates))
      await readSocket(ledger.server.url, ledger.headers, body)
      return updates
    }
    return await compared(ours, { server: ledger.server, run: overWebSocket }, 4)
  }
  const file = join(folder.path, 'updates')
  writeFileSync(file, withLengths(await answerOf(connection, getUpdates, request, ledger.token)))
  await using bare = await startServer(baseline('grpc.mjs', file), '/')
  using toBare = connectGrpc(bare)
  return await compared(ours, { server: bare, run: () => read(toBare) }, 4)
}

/** Commits of a node with gRPC that nobody uses, against one without. */
export async function committingBesideGrpc() {
  using folder = temporaryFolder()
  await using on = await startLedger(join(folder.path, 'on'), 'sqlite', { flags: grpcOn })
  await using off = await startLedger(join(folder.path, 'off'), 'sqlite', { flags: ['--grpc-port', 'off'] })
  const side = (ledger: BenchLedger): Side => {
    const { load } = loadFor(ledger)
    return { server: ledger.server, run: async () => (await load(ledger.server.url)).requests.total }
  }
  return await compared(side(on), side(off), 4)
}

async function atATime(count: number, call: () => Promise<void>): Promise<number> {
  let left = count
  const worker = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return count
}

function submission({ parties: [issuer, owner] }: BenchLedger, commandId: string): Buffer {
  const fields = (...values: [kind: string, value: unknown][]) => ({
    fields: values.map(([kind, value]) => ({ value: { sum: { [kind]: value } } })),
  })
  const iou = fields(
    ...(
      [
        ['Party', issuer],
        ['Party', owner],
        ['Numeric', '100.0'],
        ['Text', 'EUR'],
        ['List', {}],
      ] as const
    ).map(([kind, value]): [string, unknown] => [kind, value]),
  )
  const command = {
    templateId: '#quickstart:Iou:IouProposal',
    createArguments: fields(['Record', iou]),
    choice: 'IouProposal_Accept',
    choiceArgument: { sum: { Record: {} } },
  }
  const commands = { commandId, actAs: [issuer, owner], commands: [{ command: { CreateAndExercise: command } }] }
  return framed(requestBytes('/com.daml.ledger.api.v2.CommandService/SubmitAndWait', { commands }))
}

export function updatesRequest({ parties: [party] }: BenchLedger, endInclusive: number): Buffer {
  const cumulative = [{ identifierFilter: { WildcardFilter: { includeCreatedEventBlob: false } } }]
  const eventFormat = { filtersByParty: { [party]: { cumulative } }, verbose: false }
  const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }
  const request = { beginExclusive: 0, endInclusive, updateFormat: { includeTransactions } }
  return framed(requestBytes(`/com.daml.ledger.api.v2.${getUpdates}`, request))
}

async function answerOf(connection: GrpcConnection, path: string, request: Buffer, token: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  await connection.call(path, request, token, (chunk) => chunks.push(chunk))
  return Buffer.concat(chunks)
}

/** Messages without the flags of their frames. */
function withLengths(frames: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let position = 0; position < frames.length; ) {
    const end = position + frameHeadBytes + frames.readUInt32BE(position + 1)
    parts.push(frames.subarray(position + 1, end))
    position = end
  }
  return Buffer.concat(parts)
}
