// Ledgers in memory, on which scripts run: each script finds the ledger as it was when the DAR had been uploaded.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { wallClock } from '../base/clock.ts'
import type { Settings } from '../base/settings.ts'
import { startScriptLedger } from '../kit/in-process.ts'
import { keepLedger } from '../node/maintenance.ts'
import type { UsedTemplates } from '../script/coverage/template-coverage.ts'
import { madeTransactions } from '../script/made-transactions.ts'
import type { ScriptFailure, ScriptOrder } from '../script/messages.ts'
import { openScriptThread, type ScriptThread } from '../script/open-script-thread.ts'
import type { Call } from '../script/participants.ts'
import { createScriptEngine } from '../script/script-engine.ts'
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

export type ScriptLedger = AsyncDisposable & {
  run(script: FoundScript, wish: RunWish): Promise<ScriptResult>
  /** The file of the ledger that each script finds. */
  content(): Promise<Uint8Array>
}

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
  onCounts(counts: ReadonlyMap<string, number>): void
}

const start = 'start'
const failed = 'failed'
/** Scripts on a ledger in memory begin with the time of Daml's own test ledger. */
const startTime = '1970-01-01T00:00:00Z'

/** A further ledger costs a thread, which is worth some scripts. */
export function ledgersFor(scripts: number): number {
  return Math.min(availableParallelism(), Math.ceil(scripts / 4))
}

type LedgerWish = {
  /** The file of another ledger for the DAR: with it, the DAR need not be uploaded again. */
  readonly content?: Uint8Array
  /** Whether only one script runs, so that nothing need be restored. */
  readonly isForOne?: boolean
  /** Its thread, if that was opened before. */
  readonly thread?: ScriptThread | undefined
}

const noCounting: Counting = { lines: undefined, countsTemplates: false }

/** Opened first, because a thread takes time to start. */
export function openLedgerThread(
  dalfs: ScriptDar['dalfs'] | undefined,
  limits: Settings['engine'],
  { lines }: Counting = noCounting,
): ScriptThread {
  return openScriptThread(dalfs, limits, wallClock, { covered: lines?.covered, evaluatesCommands: true })
}

/**
 * Scripts are bounded as commands are. The ledger opens while the first script begins: its first question waits. What is
 * wrong with the DAR is thrown by `run`, and nothing that the script did counts then.
 */
export function openScriptLedger(
  { file, dalfs }: ScriptDar,
  limits: Settings['engine'],
  counting: Counting = noCounting,
  { content, isForOne = false, thread: opened }: LedgerWish = {},
): ScriptLedger {
  const { lines, countsTemplates } = counting
  const openThread = () => openLedgerThread(dalfs, limits, counting)
  let last = opened ?? openThread()
  const thread = () => {
    if (!last.isAlive()) last = openThread()
    return last
  }
  const opening = openLedger(content ?? file, createScriptEngine(thread), isForOne)
  opening.catch(() => undefined) // `run` throws it.
  /** The ledger as the present script finds it. A script begins while its ledger is restored, too. */
  let ready = opening
  const call: Call = async (request) => (await ready).call(request)
  let isUsed = false

  return {
    content: async () => (await opening).contentOf(start),
    async run(script, { timeOutMs, keepIn, ...wish }) {
      if (isUsed) ready = restored(opening)
      isUsed = true
      const traces: string[] = []
      const running = thread().run(orderFor(script, wish), {
        call,
        ready,
        onTrace: (text) => traces.push(text),
        timeOutMs,
        onCounts: lines?.onCounts,
      })
      const { keep } = await ready
      const startedMs = wallClock.elapsedMs()
      const outcome = await running
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
    async [Symbol.asyncDispose]() {
      const close = opening.then(
        ({ close }) => close(),
        () => undefined,
      )
      await Promise.all([last[Symbol.asyncDispose](), close])
    },
  }
}

async function restored(opening: ReturnType<typeof openLedger>): ReturnType<typeof openLedger> {
  const ledger = await opening
  await ledger.restore()
  return ledger
}

/** `source` is the DAR that it gets, or the file of a ledger that has it. */
async function openLedger(
  source: string | Uint8Array,
  threads: ReturnType<typeof createScriptEngine>,
  isForOne: boolean,
) {
  const [dars, content] = typeof source === 'string' ? [[source], undefined] : [[], source]
  const node = await startScriptLedger({ dars, time: startTime }, { threads, content })
  const ask = (method: string, path: string, body?: string) => node.call({ method, path, body, token: node.token })
  const takeSnapshot = (name: string) => ask('POST', '/dev/snapshots', JSON.stringify({ name }))
  const contentOf = async (snapshot: string) => (await ask('GET', `/dev/snapshots/${snapshot}/content`)).body as Buffer

  await ask('DELETE', '/v2/users/participant_admin') // Daml's own test ledger begins without users.
  if (!isForOne) await takeSnapshot(start)

  const call: Call = async ({ method, path, body }) => {
    const answer = await ask(method, path, body)
    return { status: answer.status, text: answer.body.toString() }
  }

  /** A ledger in memory is kept as the file of a snapshot, which a node opens. */
  async function keep({ id: { module, name } }: FoundScript, folder: string): Promise<string> {
    await takeSnapshot(failed)
    const content = await contentOf(failed)
    await ask('DELETE', `/dev/snapshots/${failed}`)
    return keepLedger(content, join(folder, `${module}.${name}`.replaceAll(/[^\w.-]/g, '_')))
  }

  const restore = () => ask('POST', `/dev/snapshots/${start}/restore`, '{}')
  return { call, contentOf, keep, restore, close: node.close }
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
