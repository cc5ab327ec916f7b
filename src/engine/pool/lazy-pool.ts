// The engine of a node: its threads start on first use, so that the node's start does not wait for them.
import type { Clock } from '../../base/clock.ts'
import type { DamageReport } from '../../base/damage-report.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Settings } from '../../base/settings.ts'
import type { LedgerAccess } from '../ledger-access.ts'
import type { EnginePool } from './pool.ts'
import { measureEngine } from './pool-metrics.ts'

type EngineParts = {
  readonly ledger: LedgerAccess
  readonly clock: Clock
  readonly damage: DamageReport
  readonly metrics: Metrics
}

export type Engine = Pick<EnginePool, 'interpret' | 'prefer' | 'views'> & AsyncDisposable & { start(): void }

export function createLazyEngine({ engine }: Settings, { ledger, clock, damage, metrics }: EngineParts): Engine {
  let opening: Promise<EnginePool> | undefined
  let open: EnginePool | undefined
  measureEngine(metrics, () => open?.counts())
  const pool = () => {
    opening ??= import('./pool.ts').then(({ openEnginePool }) => {
      open = openEnginePool({ ...engine, ledger, clock })
      return open
    })
    return opening
  }
  return {
    start: () => void pool(),
    prefer: (byName) => void pool().then((open) => open.prefer(byName)),
    async interpret(request, signal, client) {
      const open = await pool()
      return open.interpret(request, signal, client).catch((error) => {
        throw damage.note(error)
      })
    },
    views: async (requests, signal) => (await pool()).views(requests, signal),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]()
    },
  }
}
