// Commands against a node of a given checkout, and what its threads spent on them. Linux only.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import autocannon from 'autocannon'
import { type BenchLedger, createAndExercise, ledgerOf, post } from './ledger.ts'
import { median, startServer } from './processes.ts'

export type Load = {
  readonly commands: number
  readonly waits: boolean
  /** Three: create a proposal, accept it, create the contract. Four: and create another proposal. */
  readonly events: 3 | 4
}

export type Spent = {
  /** CPU per command, in microseconds, by the name of the thread. */
  readonly threads: ReadonlyMap<string, number>
  /** The time of the measured half, on the clock of CPU profiles. */
  readonly fromUs: number
  readonly toUs: number
  /** Of submit-and-wait. */
  readonly latencyUs: number
}

/** Half of the commands warm the node up, the other half is measured. */
export async function spentOn(checkout: string, folder: string, load: Load, flags: readonly string[]): Promise<Spent> {
  const main = join(resolve(checkout), 'src/cli/main.ts')
  const program = [...flags, main, 'start', '--port', '0', '--log-level', 'warn', '--data', folder]
  await using ledger = await ledgerOf(await startServer(program, '/readyz'))
  const submit = submitter(ledger, load)
  await submit()
  const [before, fromUs] = [threadsOf(ledger.server.pid), nowUs()]
  const latencyUs = await submit()
  const [after, toUs] = [threadsOf(ledger.server.pid), nowUs()]
  const threads = new Map<string, number>()
  for (const [id, { name, cpuUs }] of after) {
    const usedUs = cpuUs - (before.get(id)?.cpuUs ?? 0)
    threads.set(name, (threads.get(name) ?? 0) + usedUs / load.commands)
  }
  return { threads, fromUs, toUs, latencyUs }
}

/** Returns the median latency in microseconds, for commands that are waited for. */
function submitter(ledger: BenchLedger, { commands, waits, events }: Load): () => Promise<number> {
  let number = 0
  const body = () => {
    const { commands: accepted, ...rest } = createAndExercise(ledger.parties, `cost-${number++}`)
    const { templateId, createArguments } = accepted[0]!.CreateAndExerciseCommand
    const further = events === 3 ? [] : [{ CreateCommand: { templateId, createArguments } }]
    return JSON.stringify({ commands: [...accepted, ...further], ...rest })
  }
  const path = waits ? '/v2/commands/submit-and-wait' : '/v2/commands/async/submit'
  const url = ledger.server.url + path

  async function oneByOne(): Promise<number> {
    const tookMs: number[] = []
    for (let turn = 0; turn < commands; turn += 1) {
      const sent = body()
      const startedMs = performance.now()
      await post(url, ledger.headers, sent)
      tookMs.push(performance.now() - startedMs)
    }
    return median(tookMs) * 1000
  }

  async function atOnce(): Promise<number> {
    const { non2xx } = await autocannon({
      url,
      method: 'POST',
      headers: ledger.headers,
      requests: [{ setupRequest: (request) => ({ ...request, body: body() }) }],
      connections: 32,
      amount: commands,
    })
    if (non2xx > 0) throw new Error(`${non2xx} submissions were refused`)
    await settled(ledger)
    return 0
  }

  return waits ? oneByOne : atOnce
}

async function settled({ call }: BenchLedger): Promise<void> {
  for (let last = -1; ; ) {
    const { offset } = (await call('GET', '/v2/state/ledger-end')) as { offset: number }
    if (offset === last) return
    last = offset
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

type ThreadTime = { readonly name: string; readonly cpuUs: number }

export function threadsOf(pid: number): Map<string, ThreadTime> {
  const folder = `/proc/${pid}/task`
  return new Map(
    readdirSync(folder).map((id) => {
      const [onCpuNs] = readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')
      const name = readFileSync(`${folder}/${id}/comm`, 'utf8').trim()
      return [id, { name, cpuUs: Number(onCpuNs) / 1000 }]
    }),
  )
}

/** The monotonic clock, which all processes of a machine share. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
