// Query stores in the node's own database (`store.queries`): for each participant a follower in this process, right behind
// the commits, and a schema of its own. Of several nodes over the database, the one that leads writes them.
import { backoffMs } from '../base/backoff.ts'
import { StartError, storeUnavailable } from '../base/errors.ts'
import { type PostgresAddress, parsePostgresUrl } from '../base/postgres-url.ts'
import type { Settings } from '../base/settings.ts'
import { type Leadership, leadershipOf } from '../ledger/model/background-loop.ts'
import type { FollowSettings } from '../query-store/follower.ts'
import type { Sharing } from '../store/core/sharing.ts'
import type { Instruments } from './instruments.ts'
import type { LedgerService } from './ledger-service.ts'
import type { ParticipantSettings } from './participants.ts'

export type Kept = {
  readonly participant: Pick<ParticipantSettings, 'name'>
  readonly service: LedgerService
  readonly instruments: Instruments
}

/** How far a store is; undefined while this node does not write it. */
type Progress = { reached: number | undefined }

/** Creates the schemas, or refuses them, before the node serves. Does nothing unless the settings want query stores. */
export async function openOwnQueryStores(
  { store }: Settings,
  sharing: Sharing | undefined,
  participants: readonly Kept[],
): Promise<AsyncDisposable> {
  const kept = participants.map((one) => ({ ...one, progress: measured(one), schema: schemaOf(one, participants) }))
  if (!store.queries) return noStores
  if (store.kind !== 'postgres') {
    throw new StartError(
      'store.queries needs PostgreSQL (--postgres); ask a ledger in SQLite with tallystick sql, or follow it with tallystick query-store',
    )
  }
  const to = parsePostgresUrl(store.postgresUrl!)
  for (const { schema } of kept) await prepare(to, schema)
  const stopping = new AbortController()
  const running = kept.map((one) => keep(one, to, leadershipOf(sharing), stopping.signal))
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

const noStores: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined }

const schemaOf = ({ participant }: Kept, { length }: readonly Kept[]) =>
  length === 1 ? 'queries' : `queries_${participant.name}`

function measured({ instruments: { metrics }, service: { ledger } }: Kept): Progress {
  const progress: Progress = { reached: undefined }
  metrics.gauge('tallystick_query_store_lag_offsets', 'Offsets that the query store does not have yet', () => {
    if (progress.reached === undefined) return undefined
    return Math.max(0, Number(ledger.end.current().offset) - progress.reached)
  })
  return progress
}

async function prepare(to: PostgresAddress, schema: string): Promise<void> {
  const { openStore, StoreAway } = await import('../query-store/store.ts')
  const { applySchema } = await import('../query-store/schema/apply-schema.ts')
  try {
    await using store = await openStore(to, schema, '')
    await applySchema(store.client, schema)
  } catch (error) {
    throw error instanceof StoreAway ? storeUnavailable(error.message) : error
  }
}

type Keeping = Kept & { readonly progress: Progress; readonly schema: string }

/** Follows the ledger whenever this node leads. Whatever ends the follower is tried again: the ledger does not wait for it. */
async function keep(
  { service, progress, schema, instruments: { clock, log } }: Keeping,
  to: PostgresAddress,
  leadership: Leadership,
  signal: AbortSignal,
): Promise<void> {
  const { followLedger } = await import('../query-store/follower.ts')
  const { everything, nothing } = await import('../query-store/name-filter.ts')
  const { StoreTaken } = await import('../query-store/store.ts')
  const { createOwnLedger } = await import('./own-ledger.ts')
  const settings: FollowSettings = {
    ...{ to, schema, parties: 'any', dataSource: 'TransactionTreeStream' },
    ...{ contracts: everything, metadata: nothing },
    ...{ start: 'Oldest', stop: 'Never', beginsAnew: true },
  }
  const parts = {
    ...{ ledger: createOwnLedger(service.http.api), log, clock, signal },
    state: { isLedgerUp: false, isStoreUp: false, isStreaming: false },
    onReached(offset: number) {
      progress.reached = offset
      failures = 0
    },
  }
  let failures = 0
  let wake = () => {}
  leadership.onLead(() => wake())
  signal.addEventListener('abort', () => wake())

  /** Settles when this node begins to lead, at the signal, or after the time. */
  async function pause(delayMs?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const timer = delayMs === undefined ? undefined : clock.after(delayMs, resolve)
    if (!signal.aborted && (delayMs !== undefined || !leadership.leads())) await promise
    timer?.cancel()
  }

  while (!signal.aborted) {
    if (!leadership.leads()) await pause()
    if (signal.aborted) return
    try {
      await followLedger(settings, parts)
    } catch (error) {
      progress.reached = undefined
      failures += 1
      const isTaken = error instanceof StoreTaken
      if (!isTaken) log.error({ schema, reason: (error as Error).message }, 'the query store does not follow')
      await pause(backoffMs(failures))
    }
  }
}
