// The Daml Script that a ledger begins with. It runs once, on a new ledger, before the node serves. What was done is remembered
// in the ledger, so that a node that was killed meanwhile begins anew.
import { LedgerError, StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import type { Scripts } from '../ledger/development/scripts.ts'
import type { NodeRecords } from '../store/core/administration-records.ts'

/** What it needs of the first participant's service. */
type Service = {
  readonly isNew: boolean
  readonly records: Pick<NodeRecords, 'get' | 'put'>
  readonly ledger: { readonly end: { current(): { readonly offset: bigint } } }
}

export type InitScript = {
  /** Whether the ledger is new and has not had its script. */
  isDue(service: Service): Promise<boolean>
  /** To be called before anything is done to the ledger. */
  begin(service: Service): Promise<void>
  run(service: Service): Promise<void>
}

const record = 'init-script'
const begun = 'begun'
const done = 'done'
/** There is no request that waits for it. */
const timeOutMs = 600_000

/** `ofWorld` is the one that the world file names; that of the settings goes first. Undefined if there is none. */
export function createInitScript(
  { initScript, ...settings }: Settings,
  ofWorld: string | undefined,
  scripts: () => Scripts | undefined,
  log: Log,
): InitScript | undefined {
  const name = initScript ?? ofWorld
  if (name === undefined) return undefined
  if (!isDevelopment(settings)) throw new StartError('an init script is for development nodes')
  return {
    async isDue({ isNew, records, ledger }) {
      if ((await records.get(record)) !== undefined) return false
      return isNew || ledger.end.current().offset === 0n // A node that was killed in between has never been used.
    },
    begin: ({ records }) => records.put(record, Buffer.from(begun)),
    async run({ records }) {
      log.info({}, `running the script ${name}: the ledger is new`)
      const order = { name, package: '', input: undefined, timeOutMs, owner: record }
      const { failure } = await orRefused(name, () => scripts()!.run(order))
      if (failure !== undefined) throw new StartError(`the init script ${name} failed: ${failure.join('; ')}`)
      await records.put(record, Buffer.from(done))
    },
  }
}

/** Whether a node was killed while the script of its new ledger ran. */
export async function isInitScriptUnfinished(records: Pick<NodeRecords, 'get'>): Promise<boolean> {
  const bytes = await records.get(record)
  return bytes !== undefined && Buffer.from(bytes).toString() === begun
}

async function orRefused<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    throw new StartError(`the init script ${name} cannot run: ${error.message}`)
  }
}
