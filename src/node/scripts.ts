// Runs the Daml Scripts of uploaded packages on the node's own ledger, each in a thread of its own. Scripts ask what any client
// asks, with a token of their own.
import { signCommandLineToken } from '../auth/local-tokens.ts'
import { invalidArgument, LedgerError } from '../base/errors.ts'
import { nearest } from '../base/nearest.ts'
import type { Settings } from '../base/settings.ts'
import type { ScriptRun, ScriptRunOrder, Scripts } from '../ledger/development/scripts.ts'
import type { Packages } from '../ledger/packages/packages.ts'
import type { Call } from '../script/participants.ts'
import { type FoundScript, scriptsIn } from '../script/scripts.ts'
import type { PackageRecord } from '../store/core/administration-records.ts'
import type { Instruments } from './instruments.ts'
import type { LedgerService } from './ledger-service.ts'
import type { TokenKeys } from './token-keys.ts'

type Parts = {
  readonly settings: Settings
  readonly instruments: Instruments
  readonly tokenKeys: TokenKeys
  /** Of the participants, in the order of their services. */
  readonly names: readonly string[]
  /** The place of the one that runs the scripts. */
  readonly index: number
  readonly services: () => readonly LedgerService[]
}

type Found = { readonly record: PackageRecord; readonly script: FoundScript }

/** Scripts of all users at a time: each has a thread with the memory of a command. */
const runningMax = 4

export function createScripts({ settings, instruments, tokenKeys, names, index, services }: Parts): Scripts {
  const { clock } = instruments
  const own = () => services()[index]!
  /** None for a participant alone. */
  const namesOfNetwork = names.length > 1 ? names : []
  /** Packages never change. */
  const scriptsOf = new Map<string, readonly FoundScript[]>()
  const running = new Set<string>()

  async function findAll(): Promise<Found[]> {
    const { packages } = own().ledger
    const found: Found[] = []
    for (const record of await packages.uploaded()) {
      if (!scriptsOf.has(record.id)) scriptsOf.set(record.id, scriptsIn((await packages.package(record.id))!))
      found.push(...scriptsOf.get(record.id)!.map((script) => ({ record, script })))
    }
    return found.filter(({ script }) => !script.isLegacy)
  }

  async function find({ name, package: wanted }: ScriptRunOrder): Promise<Found> {
    const all = await findAll()
    const ofPackage = all.filter(({ record }) => wanted === '' || record.id === wanted || record.name === wanted)
    const [first, ...more] = ofPackage.filter(({ script }) => nameOf(script) === name)
    if (first === undefined) {
      const meant = nearest(
        name,
        ofPackage.map(({ script }) => nameOf(script)),
      )
      const where = wanted === '' ? 'the uploaded packages' : wanted
      throw invalidArgument(`there is no script ${name} in ${where}${meant ? `; did you mean ${meant}?` : ''}`)
    }
    const names = [...new Set([first, ...more].map(({ record }) => record.name))]
    if (names.length > 1) {
      throw invalidArgument(`the packages ${names.join(' and ')} have a script ${name}: name one of them`)
    }
    const newest = await own().ledger.packages.newest(first.record.name)
    return [first, ...more].find(({ record }) => record.id === newest?.id) ?? [first, ...more].at(-1)!
  }

  async function run(order: ScriptRunOrder): Promise<ScriptRun> {
    const { record, script } = await find(order)
    checkInput(script, order)
    const { openScriptThread } = await import('../script/open-script-thread.ts')
    const { failureLines } = await import('../script/failure-lines.ts')
    const { ledgerEnd, madeTransactions } = await import('../script/made-transactions.ts')
    await using opened = new AsyncDisposableStack()
    const call = await createCall()
    const thread = opened.use(openScriptThread(await dalfsOf(record, own().ledger.packages), settings.engine, clock))
    order.signal?.addEventListener('abort', () => void thread[Symbol.asyncDispose]())
    const traces: string[] = []
    const begin = await ledgerEnd(call)
    const startedMs = clock.elapsedMs()
    const { module, name } = script.id
    const outcome = await thread.run(
      {
        module,
        name,
        input: order.input,
        hasStaticTime: own().ledger.time.isStatic,
        seesAll: true,
        userId: tokenKeys.localSecret === undefined ? 'daml-script' : undefined,
        participants: { hasDefault: true, names: namesOfNetwork, participantsOfParties: {} },
        seed: undefined,
      },
      { call, onTrace: (text) => traces.push(text), timeOutMs: order.timeOutMs },
    )
    return {
      ms: Math.round(clock.elapsedMs() - startedMs),
      traces,
      result: outcome.kind === 'succeeded' ? outcome.result : undefined,
      failure: outcome.kind === 'failed' ? failureLines(outcome.failure) : undefined,
      transactions: await madeTransactions(call, begin),
    }
  }

  /** Leads to the services of now, whatever takes their place. */
  async function createCall(): Promise<Call> {
    const { localSecret } = tokenKeys
    const token = localSecret && (await signCommandLineToken(localSecret, clock.nowMs()))
    const named = namesOfNetwork.map((name, at) => [name, services()[at]!] as const)
    const byName = new Map<string | undefined, LedgerService>([[undefined, own()], ...named])
    return async ({ participant, ...request }) => {
      const { status, body } = await byName.get(participant)!.http.call({ ...request, token })
      return { status, text: body.toString() }
    }
  }

  return {
    async list() {
      return (await findAll()).map(({ record, script }) => ({
        name: nameOf(script),
        packageId: record.id,
        packageName: record.name,
        packageVersion: record.version,
        takesArgument: script.parameter !== undefined,
      }))
    },
    async run(order) {
      if (running.has(order.owner)) throw busy(`${order.owner} runs a script already; wait for its end`)
      if (running.size >= runningMax) throw busy(`${runningMax} scripts run already; wait for the end of one`)
      running.add(order.owner)
      try {
        return await run(order)
      } finally {
        running.delete(order.owner)
      }
    },
  }
}

const nameOf = ({ id: { module, name } }: FoundScript): string => `${module}:${name}`

function checkInput(script: FoundScript, { name, input }: ScriptRunOrder): void {
  const takesOne = script.parameter !== undefined
  if (takesOne && input === undefined)
    throw invalidArgument(`the script ${name} requires an argument: give it as input`)
  if (!takesOne && input !== undefined) throw invalidArgument(`the script ${name} takes no argument`)
  if (input === undefined) return
  try {
    JSON.parse(input)
  } catch (error) {
    throw invalidArgument(`the input is not JSON: ${(error as Error).message}`)
  }
}

/** The package and what it needs, itself first. Dependencies are remembered without the stable packages. */
async function dalfsOf({ id }: PackageRecord, packages: Packages): Promise<Map<string, Uint8Array>> {
  const { stablePackages } = await import('../lf/archive/stable-packages.ts')
  const needed = (await packages.withDependencies(id))!.map((record) => record.id)
  const dalfs = new Map<string, Uint8Array>()
  for (const one of [...needed, ...stablePackages.keys()]) {
    const dalf = await packages.dalf(one)
    if (dalf !== undefined) dalfs.set(one, dalf)
  }
  return dalfs
}

function busy(message: string): LedgerError {
  return new LedgerError('PARTICIPANT_BACKPRESSURE', message)
}
