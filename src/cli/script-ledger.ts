// Ledgers in memory, on which scripts run: each script finds the ledger as it was when the DAR had been uploaded.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { wallClock } from '../base/clock.ts'
import type { Settings } from '../base/settings.ts'
import { type CountingThreads, startScriptLedger } from '../kit/in-process.ts'
import { keepLedger } from '../node/maintenance.ts'
import type { UsedTemplates } from '../script/coverage/template-coverage.ts'
import { openLocalCalls } from '../script/local-calls.ts'
import { madeTransactions } from '../script/made-transactions.ts'
import type { ScriptFailure, ScriptOrder } from '../script/messages.ts'
import { openScriptThread, type ScriptThread } from '../script/open-script-thread.ts'
import type { Call } from '../script/participants.ts'
import type { FoundScript } from '../script/scripts.ts'
import type { ScriptDar } from './script-dars.ts'

export type ScriptResult = {
  readonly script: FoundScript
  readonly ms: number
  /** Messages of `debug` and `trace`. */
  readonly traces: readonly string[]
  /** As JSON; undefined if it failed, or if the type of the result has no such form. */
  readonly result: string | undefined
  /** Undefined if it succeeded. */
  readonly failure: ScriptFailure | undefined
  /** After a failure: what had happened, a tree for each transaction. */
  readonly transactions: readonly string[]
  /** After a success: what it created and exercised, if that is counted. */
  readonly used: UsedTemplates | undefined
  /** The folder that a failed script has left its ledger in, on request. */
  readonly keptIn: string | undefined
}

export type ScriptLedger = AsyncDisposable & { run(script: FoundScript, wish: RunWish): Promise<ScriptResult> }

/** `input` is the argument of the script, as JSON. The time is the ledger's, unless it is to be that of this machine. */
export type RunWish = Partial<Pick<ScriptOrder, 'input' | 'isResultForFile' | 'hasStaticTime'>> & {
  readonly timeOutMs: number
  /** The folder for ledgers of failed scripts. */
  readonly keepIn?: string | undefined
}

/** What is counted while scripts run. */
export type Counting = {
  readonly countsTemplates: boolean
  /** Set if the lines of these packages are counted. */
  readonly lines: LineCounting | undefined
}

export type LineCounting = {
  readonly covered: readonly string[]
  readonly threads: CountingThreads
  onCounts(counts: ReadonlyMap<string, number>): void
}

const start = 'start'
const failed = 'failed'
/** Scripts on a ledger in memory begin with the time of Daml's own test ledger. */
const startTime = '1970-01-01T00:00:00Z'

/** A ledger costs an upload of the DAR, which is worth some scripts. */
export function ledgersFor(scripts: number): number {
  return Math.min(availableParallelism(), Math.ceil(scripts / 4))
}

/** Scripts are bounded as commands are. */
export async function openScriptLedger(
  { file, dalfs }: ScriptDar,
  limits: Settings['engine'],
  { lines, countsTemplates }: Counting = { lines: undefined, countsTemplates: false },
): Promise<ScriptLedger> {
  await using opened = new AsyncDisposableStack()
  // First, because it starts while the ledger does.
  const openThread = () => openScriptThread(dalfs, limits, wallClock, lines?.covered)
  let thread: ScriptThread = openThread()
  opened.defer(() => thread[Symbol.asyncDispose]())
  const node = await startScriptLedger({ dars: [file], time: startTime }, lines?.threads)
  opened.defer(() => node.close())
  const { url } = node.participants[0]!
  const { call } = opened.use(openLocalCalls(new Map([[undefined, url]]), node.token))
  const post = (path: string, body: object) =>
    call({ participant: undefined, method: 'POST', path, body: JSON.stringify(body) })

  let isUsed = false

  async function fresh(): Promise<void> {
    if (isUsed) await post(`/dev/snapshots/${start}/restore`, {})
    else {
      // Daml's own test ledger begins without users.
      await call({ participant: undefined, method: 'DELETE', path: '/v2/users/participant_admin', body: undefined })
      await post('/dev/snapshots', { name: start })
    }
    isUsed = true
    if (!thread.isAlive()) thread = openThread()
  }

  /** A ledger in memory is kept as the file of a snapshot, which a node opens. */
  async function keep({ id: { module, name } }: FoundScript, folder: string): Promise<string> {
    await post('/dev/snapshots', { name: failed })
    const headers = { authorization: `Bearer ${node.token}` }
    const response = await fetch(new URL(`/dev/snapshots/${failed}/content`, url), { headers })
    const content = new Uint8Array(await response.arrayBuffer())
    await call({ participant: undefined, method: 'DELETE', path: `/dev/snapshots/${failed}`, body: undefined })
    return keepLedger(content, join(folder, `${module}.${name}`.replaceAll(/[^\w.-]/g, '_')))
  }

  const close = opened.move()
  return {
    async run(script, { timeOutMs, keepIn, ...wish }) {
      await fresh()
      const startedMs = wallClock.elapsedMs()
      const traces: string[] = []
      const outcome = await thread.run(orderFor(script, wish), {
        call,
        onTrace: (text) => traces.push(text),
        timeOutMs,
        onCounts: lines?.onCounts,
      })
      const failure = outcome.kind === 'failed' ? outcome.failure : undefined
      return {
        script,
        ms: Math.round(wallClock.elapsedMs() - startedMs),
        traces,
        result: outcome.kind === 'succeeded' ? outcome.result : undefined,
        failure,
        transactions: failure === undefined ? [] : (await madeTransactions(call, 0)).map(({ tree }) => tree),
        keptIn: failure === undefined || keepIn === undefined ? undefined : await keep(script, keepIn),
        used: countsTemplates && failure === undefined ? await usedOn(call) : undefined,
      }
    },
    [Symbol.asyncDispose]: () => close.disposeAsync(),
  }
}

async function usedOn(call: Call): Promise<UsedTemplates> {
  const { usedTemplates } = await import('../script/coverage/used-templates.ts')
  return usedTemplates(call)
}

function orderFor({ id: { module, name } }: FoundScript, wish: Omit<RunWish, 'timeOutMs'>): ScriptOrder {
  const { input, isResultForFile, hasStaticTime = true } = wish
  return {
    module,
    name,
    input,
    isResultForFile,
    hasStaticTime,
    seesAll: true,
    userId: 'daml-script',
    participants: { hasDefault: true, names: [], participantsOfParties: {} },
    seed: `${module}:${name}`,
  }
}
