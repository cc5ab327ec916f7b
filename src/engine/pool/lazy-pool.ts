// The engine of a node: its threads start on first use, so that the node's start does not wait for them. Nodes of one
// process may share the threads, and the packages that these have compiled.
import type { Clock } from '../../base/clock.ts'
import type { DamageReport } from '../../base/damage-report.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Settings } from '../../base/settings.ts'
import type { Preferences } from '../interpreter.ts'
import type { LedgerAccess } from '../ledger-access.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import type { EnginePool } from './pool.ts'
import { measureEngine } from './pool-metrics.ts'

type EngineParts = {
  readonly ledger: LedgerAccess
  readonly damage: DamageReport
  readonly metrics: Metrics
}

export type Engine = LedgerEngine & AsyncDisposable & { start(): void }

export type SharedThreads = AsyncDisposable & {
  open(): Promise<Pick<EnginePool, 'over'>>
  /** Undefined before the first use. */
  counts(): ReturnType<EnginePool['counts']> | undefined
}

/** `isDetached`: the process may end without closing them. */
export function createSharedThreads({ engine, lenient }: Settings, clock: Clock, isDetached = false): SharedThreads {
  let opening: Promise<EnginePool> | undefined
  let open: EnginePool | undefined
  return {
    open() {
      opening ??= import('./pool.ts').then(({ openEnginePool }) => {
        open = openEnginePool({ ...engine, isLenient: lenient, isDetached, ledger: noLedger, clock })
        return open
      })
      return opening
    },
    counts: () => open?.counts(),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]()
    },
  }
}

/** Every request names its ledger. */
const noLedger: LedgerAccess = {
  package: async () => undefined,
  contracts: async () => [],
  contractsWithKey: async () => ({ contracts: [], before: undefined }),
}

/** Disposing it leaves the threads to others. */
export function createLazyEngine(threads: SharedThreads, { ledger, damage, metrics }: EngineParts): Engine {
  let opening: Promise<LedgerEngine & Disposable> | undefined
  let opened: LedgerEngine | undefined
  let preferred: Preferences | undefined
  measureEngine(metrics, threads.counts)
  const own = () => {
    opening ??= threads.open().then((pool) => {
      const engine = pool.over(ledger)
      if (preferred !== undefined) engine.prefer(preferred)
      opened = engine
      return engine
    })
    return opening
  }
  return {
    start: () => void own(),
    prefer(byName) {
      preferred = byName
      if (opened === undefined) void own()
      else opened.prefer(byName) // At once: the next request must not overtake it.
    },
    async interpret(request, signal, client) {
      const engine = opened ?? (await own())
      try {
        return await engine.interpret(request, signal, client)
      } catch (error) {
        throw damage.note(error)
      }
    },
    views: async (requests, signal) => (await own()).views(requests, signal),
    render: async (request, signal) => (await own()).render(request, signal),
    plans: async (names, signal) => (await own()).plans(names, signal),
    async [Symbol.asyncDispose]() {
      ;(await opening)?.[Symbol.dispose]()
    },
  }
}
