// What this node knows of the others' commits and changes. A look reads the versions of everything that nodes remember
// together with the ledger's end, has what is outdated dropped, and only then lets readers see the new end. A transaction
// does the same with the versions it finds once it holds the writers' lock, so nothing remembered is outdated inside it.
import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import { storedDataDamaged } from '../../base/errors.ts'
import { createQueue } from '../../base/queue.ts'
import type { Row } from '../core/database.ts'
import { type Follower, type Kind, kinds, type Present, type Versions } from '../core/sharing.ts'
import { stateFromRow } from '../records/ledger-state.ts'
import { newestSchema } from '../schema/migrate.ts'
import { type Connections, type PostgresTimes, signOfLifeTimeoutMs } from './connections.ts'
import { DatabaseUnfit, refusing } from './errors.ts'
import {
  recordTimesFrom,
  schemaFrom,
  selectPresent,
  selectPresentOf,
  selectVersions,
  versionsFrom,
} from './shared-state.ts'

export type Look = {
  /** Settles when everything committed before the call is known here. */
  look(): Promise<void>
  /** Of a participant, by number. */
  follow(follower: Follower, participant?: number): Promise<void>
  /** Has everything dropped that is older than these versions. */
  catchUp(versions: Versions): Promise<void>
  /** Throws if another version of the software has migrated the database since the node began to follow. */
  checkSchema(row: pg.QueryResultRow): void
  /** Versions that this node's own transaction has raised: its own code has updated what it remembers. */
  raised(changed: ReadonlySet<Kind>, versions: Versions): void
  /** Has everything dropped, whatever its version. */
  dropAll(): Promise<void>
  /** When the last successful look began. */
  lookedAtMs(): number
  /** How often something was dropped. */
  changes(): number
  counts(): { readonly looks: number; readonly drops: Readonly<Record<Kind, number>> }
}

type Parts = {
  readonly connections: Connections
  readonly times: PostgresTimes
  readonly clock: Clock
  /** Called with the reason if this version of the software can no longer use the database. */
  readonly onLost: (reason: string) => void
}

/** What is remembered from now on is at least as new as the present versions. */
export async function createLook({ connections, times, clock, onLost }: Parts): Promise<Look> {
  const { rows: first } = await connections.query(selectVersions)
  const known: Record<Kind, bigint> = { ...versionsFrom(first[0]!) }
  const drops = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>
  const oneByOne = createQueue()
  const present = { text: selectPresent, query_timeout: signOfLifeTimeoutMs(times) } as pg.QueryConfig
  const followers = new Map<number, Follower>()
  let lookedAtMs = clock.elapsedMs()
  let looks = 0
  let changes = 0
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function drop(changed: readonly Kind[], versions: Versions): Promise<void> {
    if (followers.size === 0 || changed.length === 0) return
    for (const follower of followers.values()) await follower.drop(new Set(changed))
    changes += 1
    for (const kind of changed) {
      known[kind] = versions[kind]
      drops[kind] += 1
    }
  }

  function catchUp(versions: Versions): Promise<void> | undefined {
    const isBehind = (kind: Kind) => versions[kind] > known[kind]
    if (followers.size === 0 || !kinds.some(isBehind)) return undefined
    return oneByOne(() => drop(kinds.filter(isBehind), versions))
  }

  function checkSchema(row: pg.QueryResultRow): void {
    const found = schemaFrom(row)
    if (followers.size === 0 || found <= newestSchema) return
    const reason = `another version of Tallystick has migrated the database to schema version ${found}, and this one knows ${newestSchema}; start the new version here, too`
    onLost(reason)
    throw new DatabaseUnfit(reason)
  }

  async function lookNow(): Promise<void> {
    if (followers.size === 0) return
    const startedMs = clock.elapsedMs()
    // Before the versions: what is remembered must not be older than an end that is published.
    const others = await lookAtOthers()
    const row = await refusing(async () => {
      const { rows } = await connections.query<Row>(present)
      checkSchema(rows[0]!)
      return rows[0]!
    })
    await catchUp(versionsFrom(row))
    followers.get(1)?.advance(presentFrom(row))
    for (const other of others) followers.get(Number(other.participant))?.advance(presentFrom(other))
    lookedAtMs = startedMs
    looks += 1
  }

  /** The ledgers of further participants. */
  async function lookAtOthers(): Promise<Row[]> {
    const further = [...followers.keys()].filter((participant) => participant !== 1)
    if (further.length === 0) return []
    const text = selectPresentOf(further)
    const timed = { text, query_timeout: signOfLifeTimeoutMs(times) } as pg.QueryConfig
    return refusing(async () => (await connections.query<Row>(timed)).rows)
  }

  function look(): Promise<void> {
    if (running === undefined) {
      running = lookNow().finally(() => {
        running = undefined
      })
      return running
    }
    // The one under way may have read before this call.
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return look()
      })
    return next
  }

  return {
    look,
    async follow(follower, participant = 1) {
      followers.set(participant, follower)
      await look()
    },
    catchUp: async (versions) => catchUp(versions),
    checkSchema,
    raised(changed, versions) {
      for (const kind of changed) if (versions[kind] === known[kind] + 1n) known[kind] = versions[kind]
    },
    dropAll: () => oneByOne(() => drop(kinds, { ...known })),
    lookedAtMs: () => lookedAtMs,
    changes: () => changes,
    counts: () => ({ looks, drops }),
  }
}

function presentFrom(row: Row): Present {
  return {
    state: stateFromRow(row, storedDataDamaged),
    recordTimes: recordTimesFrom(row.record_times),
    now: row.now_micros as bigint,
  }
}
