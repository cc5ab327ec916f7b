// LocalNet in one process: founding it, starting it from its snapshot, its memory, and transfers by the token standard. It needs the
// packages of Splice, which are not ours: SPLICE_DARS names their folder, and the rows are skipped without it.
import { setTimeout } from 'node:timers/promises'
import {
  createLocalnetClient,
  darsVariable,
  type Json,
  type LocalnetClient,
  type LocalnetProcess,
  ownPortOffset as portOffset,
  type SpliceDars,
  spliceDars,
  startLocalnet,
} from '../test/fixtures/localnet.ts'
import { residentBytes } from './large-ledger.ts'
import { median, startServer, tallystick, temporaryFolder } from './processes.ts'

const skipped = { skipped: `${darsVariable} names no folder with the packages of Splice` }
const starts = 7
const memoryAimMb = 400
const idleMs = 30_000

type Cache = { readonly path: string }

async function startWith(dars: SpliceDars, cache: Cache): Promise<LocalnetProcess> {
  return (await startLocalnet({ dars, portOffset, cache: cache.path, args: ['--memory'] }))!
}

/** How long a start takes, after the first one, which founds. */
async function readyMsFrom(dars: SpliceDars, cache: Cache): Promise<number> {
  await using localnet = await startWith(dars, cache)
  return localnet.readyMs
}

export async function founding() {
  const dars = spliceDars()
  if (dars === undefined) return skipped
  const [founded, restored]: [number[], number[]] = [[], []]
  for (let round = 0; round < 3; round += 1) {
    using cache = temporaryFolder()
    founded.push(await readyMsFrom(dars, cache))
    restored.push(await readyMsFrom(dars, cache))
  }
  const [a, b] = [median(founded), median(restored)]
  return {
    ours: Math.round(a),
    theirs: Math.round(b),
    unit: 'ms',
    ratio: a / b,
    note: `Splice ${dars.release.version}`,
  }
}

const sameListeners = { TALLYSTICK_GRPC_PORT: '0', TALLYSTICK_ADMIN_PORT: '0' }

/** From the start of the process until everything is served. */
export async function startOfLocalnet() {
  const dars = spliceDars()
  if (dars === undefined) return skipped
  using cache = temporaryFolder()
  await readyMsFrom(dars, cache)
  const plainMs = async () => {
    const program = tallystick('network', 'app-user', 'app-provider', 'sv', '--port', '0', '--log-level', 'warn')
    await using server = await startServer([...program, '--memory'], '/readyz', sameListeners)
    return server.readyMs
  }
  await plainMs()
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < starts; round += 1) {
    ours.push(await readyMsFrom(dars, cache))
    theirs.push(await plainMs())
  }
  const [a, b] = [median(ours), median(theirs)]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'ms', ratio: a / b }
}

/** Resident memory after half a minute of nothing. */
export async function memoryOfLocalnet(kind: 'founded' | 'restored') {
  const dars = spliceDars()
  if (dars === undefined) return skipped
  using cache = temporaryFolder()
  if (kind === 'restored') await readyMsFrom(dars, cache)
  await using localnet = await startWith(dars, cache)
  await setTimeout(idleMs)
  const residentMb = residentBytes(localnet.pid) / 1024 / 1024
  return { ours: Math.round(residentMb), theirs: memoryAimMb, unit: 'MB', ratio: residentMb / memoryAimMb }
}

const clients = 32
const seconds = 10
const dayMs = 24 * 3_600_000

/** Senders with Amulet, each with its own, and a receiver who has approved. */
export async function transfersThroughRegistry() {
  const dars = spliceDars()
  if (dars === undefined) return skipped
  using cache = temporaryFolder()
  await using _ = await startWith(dars, cache)
  const client = createLocalnetClient(portOffset)
  const receiver = await partyOf(client, 'app-provider')
  await client.ask('app-provider', 'POST /api/validator/v0/wallet/transfer-preapproval', {
    user: 'app-provider',
    body: {},
  })
  const senders: Sender[] = []
  for (let index = 0; index < clients; index += 1) senders.push(await fundedSender(client, `sender-${index}`))
  const rates: [through: number[], alone: number[]] = [[], []]
  for (let turn = 0; turn < 3; turn += 1) {
    rates[0].push(await transfersPerSecond(client, senders, receiver, (transfer) => factoryFor(client, transfer)))
    const known = await factoryFor(client, transferOf(senders[0]!, receiver))
    rates[1].push(await transfersPerSecond(client, senders, receiver, async () => known))
  }
  const [a, b] = rates.map(median) as [number, number]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'transfers/s', ratio: a / b }
}

type Sender = { readonly party: string; readonly admin: string; holdings: readonly string[] }

async function partyOf(client: LocalnetClient, place: 'app-provider'): Promise<string> {
  return (await client.ask(place, 'GET /api/validator/v0/validator-user'))!.json.party_id
}

async function fundedSender(client: LocalnetClient, name: string): Promise<Sender> {
  const path = '/api/validator/v0'
  const asked = { user: 'ledger-api-user', body: { name } }
  const { party_id: party } = (await client.ask('app-user', `POST ${path}/admin/users`, asked))!.json
  const tap = await client.ask('app-user', `POST ${path}/wallet/tap`, { user: name, body: { amount: '100' } })
  const { adminId: admin } = (await client.ask('scan', 'GET /registry/metadata/v1/info'))!.json
  return { party, admin, holdings: [tap!.json.contract_id] }
}

function transferOf({ party: sender, admin, holdings }: Sender, receiver: string): Json {
  return {
    sender,
    receiver,
    amount: '0.01',
    instrumentId: { admin, id: 'Amulet' },
    requestedAt: new Date(Date.now() - dayMs).toISOString(),
    executeBefore: new Date(Date.now() + dayMs).toISOString(),
    inputHoldingCids: holdings,
    meta: { values: {} },
  }
}

async function factoryFor(client: LocalnetClient, transfer: Json): Promise<Json> {
  const extraArgs = { context: { values: {} }, meta: { values: {} } }
  const choiceArguments = { expectedAdmin: transfer.instrumentId.admin, transfer, extraArgs }
  const body = { choiceArguments, excludeDebugFields: true }
  return (await client.ask('scan', 'POST /registry/transfer-instruction/v1/transfer-factory', { body }))!.json
}

async function transfersPerSecond(
  client: LocalnetClient,
  senders: readonly Sender[],
  receiver: string,
  factory: (transfer: Json) => Promise<Json>,
): Promise<number> {
  let done = 0
  const startedMs = performance.now()
  const isOver = () => performance.now() - startedMs > seconds * 1000
  await Promise.all(
    senders.map(async (sender) => {
      while (!isOver()) {
        const transfer = transferOf(sender, receiver)
        sender.holdings = await submit(client, sender, transfer, await factory(transfer))
        done += 1
      }
    }),
  )
  return done / ((performance.now() - startedMs) / 1000)
}

let commands = 0

/** The sender's change. */
async function submit(
  client: LocalnetClient,
  sender: Sender,
  transfer: Json,
  factory: Json,
): Promise<readonly string[]> {
  const { choiceContextData, disclosedContracts } = factory.choiceContext
  const extraArgs = { context: choiceContextData, meta: { values: {} } }
  commands += 1
  const request = {
    commands: {
      commandId: `bench-${commands}`,
      userId: 'ledger-api-user',
      actAs: [sender.party],
      commands: [
        {
          ExerciseCommand: {
            templateId:
              '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory',
            contractId: factory.factoryId,
            choice: 'TransferFactory_Transfer',
            choiceArgument: { expectedAdmin: sender.admin, transfer, extraArgs },
          },
        },
      ],
      disclosedContracts,
    },
    transactionFormat: {
      eventFormat: { filtersByParty: { [sender.party]: { cumulative: [] } }, verbose: false },
      transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
    },
  }
  const reply = await client.ledger('app-user', 'POST /v2/commands/submit-and-wait-for-transaction', request)
  if (reply?.status !== 200) throw new Error(`a transfer was refused: ${JSON.stringify(reply?.json)}`)
  const [first] = reply.json.transaction.events
  return first.ExercisedEvent.exerciseResult.senderChangeCids
}
