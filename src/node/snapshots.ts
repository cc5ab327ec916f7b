// The snapshots of a development node: takes them of the ledger that is served, and puts them in its place.
import { StartError, UnusableSnapshot } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'
import { createSnapshots, firstState, type Snapshots, unavailableSnapshots } from '../ledger/development/snapshots.ts'
import type { WatchedDars } from '../ledger/development/watched-dars.ts'
import { readWorldRecord } from '../ledger/development/world-record.ts'
import { checkIdentity } from '../ledger/model/identity.ts'
import type { Database } from '../store/core/database.ts'
import { createStore } from '../store/records/create-store.ts'
import { migrate } from '../store/schema/migrate.ts'
import type { SnapshotShelf } from '../store/snapshots/snapshots.ts'
import type { WorldApplication } from './first-world.ts'
import type { ReplaceableLedger, Services } from './replaceable-ledger.ts'

type Parts = {
  readonly settings: Settings
  readonly replaceable: ReplaceableLedger
  /** Undefined if the database has no snapshots. */
  readonly shelf: SnapshotShelf | undefined
  readonly world: WorldApplication
  readonly watched: WatchedDars | undefined
}

export function createLedgerSnapshots({ settings, replaceable, shelf, world, watched }: Parts): Snapshots {
  if (shelf === undefined) {
    return unavailableSnapshots(
      "A ledger in PostgreSQL has no snapshots and no reset: its database is not only this node's, and copying it takes " +
        'rights that a node does not need. Copy it with pg_dump, or develop with SQLite or --memory',
    )
  }

  async function restore(name: string): Promise<boolean> {
    const openNext = await shelf!.prepare(name, (copy) => checkCopy(copy, settings))
    if (openNext === undefined) return false
    const replace = () => replaceable.replace(openNext, (services) => prepare(name, services))
    await (watched === undefined ? replace() : watched.aside(replace))
    return true
  }

  async function prepare(name: string, services: Services): Promise<void> {
    if (name === firstState) await world.applyAfterReset(services, replaceable.database())
    // Files that are watched are what the ledger should have, whatever the snapshot has.
    await watched?.upload(watched.files)
  }

  return createSnapshots({
    list: shelf.list,
    take: (name) => shelf.take(replaceable.database(), name),
    delete: shelf.delete,
    restore,
    read: shelf.read,
    receive: shelf.receive,
  })
}

/** Finds what would keep the node from opening the copy, before the present ledger is closed. */
async function checkCopy(copy: Database, settings: Settings): Promise<void> {
  try {
    await migrate(copy)
    await checkIdentity(createStore(copy), settings.participant)
  } catch (error) {
    if (error instanceof StartError) throw new UnusableSnapshot(error.message)
    throw error
  }
}

/** Keeps the state to which a reset returns, before anybody uses the ledger. */
export async function keepFirstState(
  shelf: SnapshotShelf,
  replaceable: ReplaceableLedger,
  isFirst: boolean,
): Promise<void> {
  // A node that was killed in between has never been used.
  const isDue = isFirst || (!shelf.has(firstState) && (await areUnused(replaceable.services())))
  if (isDue) await shelf.take(replaceable.database(), firstState)
}

async function areUnused(services: Services): Promise<boolean> {
  const worlds = await Promise.all(services.map(({ records }) => readWorldRecord(records)))
  return services.every(({ ledger }) => ledger.end.current().offset === 0n) || worlds.some(({ isFirst }) => isFirst)
}
