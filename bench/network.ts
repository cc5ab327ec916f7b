// What further participants cost: the start and the memory of three against one, and a command that two participants see
// against one that only its own does. Both sides take turns.
import autocannon from 'autocannon'
import { residentBytes } from './large-ledger.ts'
import { cpuMsOf, median, type Server, startServer, tallystick, temporaryFolder } from './processes.ts'

const rounds = 15
const idleMs = 3_000
const names = ['one', 'two', 'three']

async function threeAndOne<T>(take: (server: Server) => Promise<T>, times: number): Promise<[three: T[], one: T[]]> {
  using folder = temporaryFolder()
  const startWith = async (count: number): Promise<T> => {
    const participants = names.slice(0, count)
    const program = tallystick('network', ...participants, '--port', '0', '--log-level', 'warn')
    await using server = await startServer([...program, '--data', `${folder.path}/${count}`], '/readyz')
    return await take(server) // Before the server is stopped.
  }
  await startWith(3) // Fills the compile cache and creates the ledgers.
  await startWith(1)
  const results: [T[], T[]] = [[], []]
  for (let round = 0; round < times; round += 1) {
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      results[side].push(await startWith(side === 0 ? 3 : 1))
    }
  }
  return results
}

/** From the start of the process to its first answered request. */
export async function startOfNetwork() {
  const [a, b] = (await threeAndOne(async ({ readyMs }) => readyMs, rounds)).map(median) as [number, number]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'ms', ratio: a / b }
}

/** Resident memory after a few idle seconds. */
export async function memoryOfNetwork() {
  const residentMb = async ({ pid }: Server) => {
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    return residentBytes(pid) / 1024 / 1024
  }
  const [a, b] = (await threeAndOne(residentMb, 5)).map(median) as [number, number]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'MB', ratio: a / b }
}

const seconds = 6
const turns = 5

/** CPU of a create that a second party sees: on the other participant, or on the same. */
export async function cpuSeenByTwo() {
  using folder = temporaryFolder()
  const program = tallystick('network', 'one', 'two', '--port', '0', '--auth', 'off', '--log-level', 'warn')
  await using server = await startServer([...program, '--data', folder.path], '/readyz')
  const [first, second] = [server.url, /two +(http:\/\/[\d.:]+)/.exec(server.output())![1]!]
  const [issuer, near, far] = [
    await allocated(first, 'issuer'),
    await allocated(first, 'near'),
    await allocated(second, 'far'),
  ]
  let number = 0
  const microsFor = async (owner: string): Promise<number> => {
    const [before, cpuMsBefore] = [number, cpuMsOf(server.pid)]
    const result = await autocannon({
      url: `${first}/v2/commands/submit-and-wait`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      requests: [
        {
          setupRequest: (request) => {
            number += 1
            return { ...request, body: JSON.stringify(proposal(issuer, owner, number)) }
          },
        },
      ],
      connections: 32,
      duration: seconds,
    })
    if (result.non2xx > 0) throw new Error(`${result.non2xx} commands were refused`)
    return ((cpuMsOf(server.pid) - cpuMsBefore) * 1000) / (number - before)
  }
  await microsFor(near)
  await microsFor(far)
  const results: [number, number][] = []
  for (let turn = 0; turn < turns; turn += 1) results.push([await microsFor(far), await microsFor(near)])
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'µs', ratio: a / b }
}

function proposal(issuer: string, owner: string, number: number) {
  const createArguments = { iou: { issuer, owner, amount: '10.0', currency: 'EUR', observers: [] } }
  return {
    commands: [{ CreateCommand: { templateId: '#quickstart:Iou:IouProposal', createArguments } }],
    commandId: `command-${number}`,
    userId: 'participant_admin',
    actAs: [issuer],
  }
}

async function allocated(url: string, partyIdHint: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ partyIdHint })
  const response = await fetch(`${url}/v2/parties`, { method: 'POST', headers, body })
  return ((await response.json()) as { partyDetails: { party: string } }).partyDetails.party
}
