// Counts what another node over the same PostgreSQL does not find right after one node has answered.
import { SignJWT } from 'jose'
import { postgresFor, quickstart } from './ledger.ts'
import { type Server, startServer, tallystickOf } from './processes.ts'

const nodes = 3
export const triesPerWay = 100
const secret = 'a secret of three nodes'
const administrator = 'participant_admin'

// biome-ignore lint/suspicious/noExplicitAny: benchmarks look into answers freely.
type Json = any
type Reply = { readonly status: number; readonly json: Json }
type Client = (method: string, path: string, body?: unknown) => Promise<Reply>

/** By the way in which it was looked for, out of `triesPerWay` each. */
export type Misses = ReadonlyMap<string, number>

export async function missesElsewhere() {
  const ours = [...(await missesOf()).values()].reduce((sum, missed) => sum + missed, 0)
  const tries = 3 * triesPerWay
  return { ours, theirs: tries, unit: 'writes', ratio: ours / tries }
}

export async function missesOf(checkout?: string): Promise<Misses> {
  await using parts = new AsyncDisposableStack()
  const servers = await serversOf(parts, checkout)
  const pair = (turn: number) => [servers[turn % nodes]!, servers[(turn + 1 + (turn % (nodes - 1))) % nodes]!] as const
  const [admin, app] = [await tokenOf(administrator), await tokenOf('app')]
  const first = clientOf(servers[0]!, admin)
  const { party } = (await succeed(first, 'POST', '/v2/parties', { partyIdHint: 'owner' })).partyDetails
  await succeed(first, 'POST', '/v2/users', { user: { id: 'app' }, rights: [right('CanActAs', party)] })
  const eventFormat = { filtersByParty: { [party]: {} }, verbose: false }
  const misses = new Map<string, number>()
  const note = (way: string, { status }: Reply) => {
    misses.set(way, (misses.get(way) ?? 0) + (status === 200 ? 0 : 1))
  }
  for (let turn = 0; turn < triesPerWay; turn += 1) {
    for (const [way, path, more] of [
      ['contract-by-id', '/v2/contracts/contract-by-id', { queryingParties: [party] }],
      ['events-by-contract-id', '/v2/events/events-by-contract-id', { eventFormat }],
    ] as const) {
      const [here, there] = pair(turn)
      const contractId = await created(clientOf(here, app), party, `${way}-${turn}`, eventFormat)
      note(way, await clientOf(there, app)('POST', path, { contractId, ...more }))
    }
    const [here, there] = pair(turn)
    const [id, user] = [`user-${turn}`, clientOf(there, await tokenOf(`user-${turn}`))]
    const list = () => user('POST', '/v2/state/active-contracts', { activeAtOffset: 0, eventFormat })
    await succeed(clientOf(here, admin), 'POST', '/v2/users', { user: { id }, rights: [] })
    await list() // Refused, and perhaps remembered.
    await succeed(clientOf(here, admin), 'POST', `/v2/users/${id}/rights`, {
      userId: id,
      rights: [right('CanReadAs', party)],
    })
    note('granted right', await list())
  }
  return misses
}

async function serversOf(parts: AsyncDisposableStack, checkout: string | undefined): Promise<Server[]> {
  const { environment } = await postgresFor(parts)
  const keys = JSON.stringify([{ type: 'hs256', secret, tokenLifetimeMaxMs: 86_400_000 }])
  const program = tallystickOf(checkout, 'start', '--port', '0', '--log-level', 'warn', '--dar', quickstart)
  const servers: Server[] = []
  for (let node = 0; node < nodes; node += 1) {
    servers.push(parts.use(await startServer(program, '/readyz', { ...environment, TALLYSTICK_AUTH_KEYS: keys })))
  }
  return servers
}

async function created(client: Client, party: string, commandId: string, eventFormat: object): Promise<string> {
  const createArguments = { issuer: party, owner: party, amount: '1', currency: 'EUR', observers: [] }
  const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
  const body = {
    commands: { commands, commandId, actAs: [party] },
    transactionFormat: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
  }
  const { transaction } = await succeed(client, 'POST', '/v2/commands/submit-and-wait-for-transaction', body)
  return transaction.events[0].CreatedEvent.contractId
}

const right = (kind: string, party: string) => ({ kind: { [kind]: { value: { party } } } })

function tokenOf(userId: string): Promise<string> {
  const token = new SignJWT({ scope: 'daml_ledger_api' }).setSubject(userId).setExpirationTime('1h')
  return token.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret))
}

function clientOf({ url }: Server, token: string): Client {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}` }
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(url + path, request)
    return { status: response.status, json: await response.json() }
  }
}

async function succeed(client: Client, ...[method, path, body]: Parameters<Client>): Promise<Json> {
  const { status, json } = await client(method, path, body)
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
  return json
}
