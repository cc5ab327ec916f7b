// A node with two parties and a user that may act for both: the starting point of the rows about the ledger.
import { Agent, request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { type Server, startServer, tallystickOf } from './processes.ts'

export type BenchLedger = AsyncDisposable & {
  readonly server: Server
  /** The node's process, which may have started more, and that of a database server of its own. */
  readonly pids: readonly number[]
  /** That serve requests. */
  readonly processes: number
  /** "" if none is needed. */
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
  readonly parties: readonly [issuer: string, owner: string]
  call(method: string, path: string, body?: unknown): Promise<unknown>
}

export type StoreKind = 'sqlite' | 'postgres'

type LedgerOptions = {
  readonly postgresUrl?: string
  readonly flags?: readonly string[]
  /** Variables for the node. */
  readonly variables?: Readonly<Record<string, string>>
  /** The checkout whose node starts; by default this one. */
  readonly checkout?: string
}

/** With PostgreSQL, at the given URL or on a server of its own. */
export async function startLedger(
  folder: string,
  kind: StoreKind = 'sqlite',
  { postgresUrl, flags = [], variables = {}, checkout }: LedgerOptions = {},
): Promise<BenchLedger> {
  await using parts = new AsyncDisposableStack()
  const database = kind === 'sqlite' ? undefined : await postgresFor(parts, postgresUrl)
  const ofDatabase = database === undefined ? {} : { ...database.environment, TALLYSTICK_DEVELOPMENT: 'true' }
  const environment = { ...ofDatabase, ...variables }
  const data = kind === 'sqlite' ? ['--data', folder] : []
  const ledger = parts.use(await ledgerOf(await startServer(node(checkout, ...data, ...flags), '/readyz', environment)))
  const owned = parts.move()
  const pids = [...ledger.pids, ...(database?.pids ?? [])]
  return { ...ledger, pids, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Adds the parties and the user's rights; stops the server when it is disposed of. */
export async function ledgerOf(server: Server): Promise<BenchLedger> {
  await using parts = new AsyncDisposableStack()
  parts.use(server)
  return prepared(server, await adminToken(server), parts.move())
}

/** Processes behind one port, on a database of their own; a development node is one process, so tokens are off. */
export async function startSeveral(processes: number, checkout?: string): Promise<BenchLedger> {
  await using parts = new AsyncDisposableStack()
  const open = ['--auth', 'off', '--user-id', 'participant_admin', '--dar', quickstart]
  const program = node(checkout, '--processes', String(processes), ...open)
  const database = await postgresFor(parts)
  const server = parts.use(await startServer(program, '/readyz', database.environment))
  const ledger = await prepared(server, '', parts.move())
  return { ...ledger, pids: [...ledger.pids, ...database.pids], processes }
}

export const quickstart = fileURLToPath(new URL('../packages/quickstart/quickstart.dar', import.meta.url))

const node = (checkout: string | undefined, ...args: string[]) =>
  tallystickOf(checkout, 'start', '--port', '0', '--log-level', 'warn', ...args)

export async function postgresFor(parts: AsyncDisposableStack, given?: string) {
  const { url, pids } = given === undefined ? await ownServer(parts) : { url: given, pids: [] }
  return { environment: { TALLYSTICK_STORE_KIND: 'postgres', TALLYSTICK_STORE_POSTGRES_URL: url }, pids }
}

async function prepared(server: Server, token: string, owned: AsyncDisposableStack): Promise<BenchLedger> {
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
  const issuer = await partyNamed('issuer')
  const owner = await partyNamed('owner')
  const rights = [issuer, owner].map((party) => ({ kind: { CanActAs: { value: { party } } } }))
  await send('POST', '/v2/users/participant_admin/rights', { userId: 'participant_admin', rights })
  return {
    server,
    pids: [server.pid],
    processes: 1,
    token,
    headers,
    parties: [issuer, owner],
    call: send,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }

  async function partyNamed(hint: string): Promise<string> {
    const { partyDetails: known } = (await send('GET', `/v2/parties?filter-party=${hint}::`)) as {
      partyDetails: { party: string }[]
    }
    if (known[0] !== undefined) return known[0].party
    const { partyDetails } = (await send('POST', '/v2/parties', { partyIdHint: hint })) as {
      partyDetails: { party: string }
    }
    return partyDetails.party
  }

  async function send(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(server.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}

async function ownServer(parts: AsyncDisposableStack): Promise<{ readonly url: string; readonly pids: number[] }> {
  const { startPostgres } = await import('../test/fixtures/postgres.ts')
  const { url, pid, stop } = await startPostgres()
  parts.defer(stop)
  return { url, pids: [pid] }
}

/** Reads it from the node's banner. */
async function adminToken({ output }: Server): Promise<string> {
  for (;;) {
    const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(output())?.[0]
    if (token !== undefined) return token
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** A proposal that is accepted at once: three nodes, one contract that stays active. */
export function createAndExercise([issuer, owner]: BenchLedger['parties'], commandId: string) {
  return {
    commands: [
      {
        CreateAndExerciseCommand: {
          templateId: '#quickstart:Iou:IouProposal',
          createArguments: { iou: { issuer, owner, amount: '100.0', currency: 'EUR', observers: [] } },
          choice: 'IouProposal_Accept',
          choiceArgument: {},
        },
      },
    ],
    commandId,
    actAs: [issuer, owner],
  }
}

const oneConnection = new Agent({ keepAlive: true, maxSockets: 1 })

/** One request over a kept-alive connection; returns the body. */
export function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  agent = oneConnection,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const answer = Buffer.concat(chunks)
        if (response.statusCode === 200) resolve(answer)
        else reject(new Error(`${url}: ${response.statusCode} ${answer}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
