// A node with two parties and a user that may act for both: what the rows about the ledger start from.
import { execFileSync } from 'node:child_process'
import { Agent, request as httpRequest } from 'node:http'
import { type Server, startServer, tallystick } from './processes.ts'

export type BenchLedger = AsyncDisposable & {
  readonly server: Server
  readonly headers: Readonly<Record<string, string>>
  readonly parties: readonly [issuer: string, owner: string]
  call(method: string, path: string, body?: unknown): Promise<unknown>
}

/** `where` are the options that say where the ledger is kept. */
export async function startLedger(folder: string, where: readonly string[] = []): Promise<BenchLedger> {
  const options = ['--port', '0', '--log-level', 'warn', '--data', folder, ...where]
  const server = await startServer(tallystick('start', ...options), '/readyz')
  const tokenFor = (user: string) =>
    execFileSync(process.execPath, tallystick('token', '--user', user, '--ttl', '10h', '--data', folder))
      .toString()
      .trim()
  const admin = { authorization: `Bearer ${tokenFor('participant_admin')}` }
  const issuer = await partyNamed('issuer')
  const owner = await partyNamed('owner')
  const rights = [issuer, owner].map((party) => ({ kind: { CanActAs: { value: { party } } } }))
  await send('POST', '/v2/users', admin, { user: { id: 'bench', primaryParty: '' }, rights }).catch(() => undefined)
  const headers = { authorization: `Bearer ${tokenFor('bench')}` }
  return {
    server,
    headers,
    parties: [issuer, owner],
    call: (method, path, body) => send(method, path, headers, body),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }

  async function partyNamed(hint: string): Promise<string> {
    const { partyDetails: known } = (await send('GET', `/v2/parties?filter-party=${hint}::`, admin)) as {
      partyDetails: { party: string }[]
    }
    if (known[0] !== undefined) return known[0].party
    const { partyDetails } = (await send('POST', '/v2/parties', admin, { partyIdHint: hint })) as {
      partyDetails: { party: string }
    }
    return partyDetails.party
  }

  async function send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<unknown> {
    const response = await fetch(server.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}

/** A proposal that is accepted at once: three nodes, one contract that stays. */
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

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** One request over one kept connection; answers the bytes of the body. */
export function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Buffer> {
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
