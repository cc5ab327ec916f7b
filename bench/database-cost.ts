// CPU of a command over a database: of the node's processes and of the database's own. Two ways of running take turns on
// one machine, so that both see what else it does.
import autocannon from 'autocannon'
import { type BenchLedger, createAndExercise, startLedger, startSeveral } from './ledger.ts'
import { cpuMsOfTree, median, temporaryFolder } from './processes.ts'
import { settledEnd } from './submit.ts'

type Kept = { readonly ledger: BenchLedger; command: number }

const warmCommands = 6_000
const commands = 3_000
const rounds = 5

/** Two processes over PostgreSQL against one. */
export async function cpuOfProcesses(processes: number) {
  await using ours = await startSeveral(processes)
  await using theirs = await startSeveral(1)
  return await inTurns(ours, theirs)
}

/** One node over PostgreSQL against one over SQLite. */
export async function cpuOverPostgres() {
  using folder = temporaryFolder()
  await using ours = await startLedger(folder.path, 'postgres')
  await using theirs = await startLedger(folder.path, 'sqlite')
  return await inTurns(ours, theirs)
}

/** In microseconds of CPU per command, the medians of all rounds. */
export async function inTurns(ours: BenchLedger, theirs: BenchLedger) {
  const kept = [ours, theirs].map((ledger): Kept => ({ ledger, command: 0 }))
  for (const one of kept) await spentUs(one, warmCommands)
  const spent: number[][] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, one] of kept.entries()) spent[index]!.push(await spentUs(one, commands))
  }
  const [a, b] = [median(spent[0]!), median(spent[1]!)]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'µs of CPU', ratio: a / b }
}

async function spentUs(kept: Kept, amount: number): Promise<number> {
  const { ledger } = kept
  const cpuMs = () => ledger.pids.reduce((sum, pid) => sum + cpuMsOfTree(pid), 0)
  const body = () => JSON.stringify(createAndExercise(ledger.parties, `cpu-${kept.command++}`))
  const before = cpuMs()
  const { non2xx } = await autocannon({
    url: `${ledger.server.url}/v2/commands/async/submit`,
    method: 'POST',
    headers: ledger.headers,
    requests: [{ setupRequest: (request) => ({ ...request, body: body() }) }],
    connections: 32,
    amount,
  })
  if (non2xx > 0) throw new Error(`${non2xx} submissions were refused`)
  await settledEnd(ledger)
  return ((cpuMs() - before) * 1000) / amount
}
