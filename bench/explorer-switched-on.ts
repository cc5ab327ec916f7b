// What the explorer costs a node that nobody looks at: the same node is started with and without it, in turns.
import { residentBytes } from './large-ledger.ts'
import { median, type Server, startServer, tallystick, temporaryFolder } from './processes.ts'

const rounds = 15
const idleMs = 3_000

async function withAndWithout<T>(take: (server: Server) => Promise<T>, times: number): Promise<[on: T[], off: T[]]> {
  using folder = temporaryFolder()
  const startWith = async (isOn: boolean): Promise<T> => {
    const program = tallystick('start', '--port', '0', '--log-level', 'warn', '--data', folder.path)
    await using server = await startServer(program, '/readyz', { TALLYSTICK_EXPLORER: String(isOn) })
    return await take(server) // Before the server is stopped.
  }
  await startWith(true) // Fills the compile cache and creates the ledger.
  const results: [T[], T[]] = [[], []]
  for (let round = 0; round < times; round += 1) {
    for (const isOn of round % 2 === 0 ? [true, false] : [false, true])
      results[isOn ? 0 : 1].push(await startWith(isOn))
  }
  return results
}

/** From the start of the process to its first answered request. */
export async function startToReadyWithExplorer() {
  const [a, b] = (await withAndWithout(async ({ readyMs }) => readyMs, rounds)).map(median) as [number, number]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'ms', ratio: a / b }
}

/** Resident memory after a few idle seconds. */
export async function idleMemoryWithExplorer() {
  const residentMb = async ({ pid }: Server) => {
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    return residentBytes(pid) / 1024 / 1024
  }
  const [a, b] = (await withAndWithout(residentMb, 5)).map(median) as [number, number]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'MB', ratio: a / b }
}
