// CPU of a command over a database: of the node's processes and of the database's own. Ways of running take turns on
// one machine, so that all see what else it does.
import autocannon from 'autocannon'
import { type BenchLedger, createAndExercise, startLedger, startSeveral } from './ledger.ts'
import { cpuMsOfTree, median, temporaryFolder } from './processes.ts'
import { settledEnd } from './submit.ts'

/** V8 optimises a process for its own commands only. */
const warmCommandsPerProcess = 10_000
const commands = 3_000
const usualRounds = 5

/** Two processes over PostgreSQL against one. */
export async function cpuOfProcesses(processes: number) {
  await using ours = await startSeveral(processes)
  await using theirs = await startSeveral(1)
  return await compared(ours, theirs)
}

/** One node over PostgreSQL against one over SQLite. */
export async function cpuOverPostgres() {
  using folder = temporaryFolder()
  await using ours = await startLedger(folder.path, 'postgres')
  await using theirs = await startLedger(folder.path, 'sqlite')
  return await compared(ours, theirs)
}

async function compared(...ledgers: [ours: BenchLedger, theirs: BenchLedger]) {
  const [ours, theirs] = (await inTurns(ledgers.map(loadOn), usualRounds)) as [number[], number[]]
  const ratios = ours.map((us, round) => us / theirs[round]!)
  const note = `ratios of single rounds from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  const [a, b] = [median(ours), median(theirs)]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'µs of CPU', ratio: a / b, note }
}

export type CommandLoad = {
  readonly processes: number
  /** Submits commands and returns the CPU that one took, in microseconds. */
  spend(amount: number): Promise<number>
}

/** Microseconds of CPU per command, of each load in each round. */
export async function inTurns(loads: readonly CommandLoad[], rounds: number): Promise<number[][]> {
  const spentUs = loads.map((): number[] => [])
  for (const { processes, spend } of loads) await spend(warmCommandsPerProcess * processes)
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { spend }] of loads.entries()) spentUs[index]!.push(await spend(commands))
  }
  return spentUs
}

export function loadOn(ledger: BenchLedger): CommandLoad {
  return loadOnAll([ledger])
}

/** On ledgers that have nothing to do with each other: each gets its share of commands and connections. */
export function loadOnAll(ledgers: readonly BenchLedger[]): CommandLoad {
  let command = 0
  const pids = ledgers.flatMap((ledger) => ledger.pids)
  const cpuMs = () => pids.reduce((sum, pid) => sum + cpuMsOfTree(pid), 0)
  const submit = async (ledger: BenchLedger, amount: number) => {
    const body = () => JSON.stringify(createAndExercise(ledger.parties, `cpu-${command++}`))
    const { non2xx } = await autocannon({
      url: `${ledger.server.url}/v2/commands/async/submit`,
      method: 'POST',
      headers: ledger.headers,
      requests: [{ setupRequest: (request) => ({ ...request, body: body() }) }],
      connections: connections / ledgers.length,
      amount,
    })
    if (non2xx > 0) throw new Error(`${non2xx} submissions were refused`)
    await settledEnd(ledger)
  }
  return {
    processes: ledgers.reduce((sum, ledger) => sum + ledger.processes, 0),
    async spend(amount) {
      const before = cpuMs()
      await Promise.all(ledgers.map((ledger) => submit(ledger, amount / ledgers.length)))
      return ((cpuMs() - before) * 1000) / amount
    },
  }
}

const connections = 32
