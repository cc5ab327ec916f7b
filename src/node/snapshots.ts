// Connects the snapshots of a development node with the ledger that it serves.
import { StartError, UnusableSnapshot } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'
import { createSnapshots, firstState, type Snapshots, unavailableSnapshots } from '../ledger/development/snapshots.ts'
import type { WatchedDars } from '../ledger/development/watched-dars.ts'
import type { FirstWorld } from '../ledger/development/world-application.ts'
import { readWorldRecord } from '../ledger/development/world-record.ts'
import { checkIdentity } from '../ledger/identity.ts'
import type { Database } from '../store/core/database.ts'
import { createStore } from '../store/records/create-store.ts'
import { migrate } from '../store/schema/migrate.ts'
import type { SnapshotShelf, Undo } from '../store/snapshots/snapshots.ts'
import type { Serving } from './ledger-service.ts'
import type { OpenedDatabase } from './open-database.ts'
import type { PresentLedger } from './replaceable-ledger.ts'

type Parts = {
  readonly settings: Settings
  readonly present: PresentLedger
  /** Undefined if the database has no snapshots. */
  readonly shelf: SnapshotShelf | undefined
  readonly firstWorld: FirstWorld | undefined
  readonly watched: WatchedDars | undefined
  readonly undoable: OpenedDatabase['undoable']
}

export function snapshotsOf({ settings, present, shelf, firstWorld, watched, undoable }: Parts): Snapshots {
  if (shelf === undefined) {
    return unavailableSnapshots(
      "A ledger in PostgreSQL has no snapshots and no reset: its database is not only this node's, and copying it takes " +
        'rights that a node does not need. Copy it with pg_dump, or develop with SQLite or --memory',
    )
  }
  return createSnapshots({
    list: shelf.list,
    take: (name) => shelf.take(present.database(), name),
    delete: shelf.delete,
    async restore(name) {
      const openNext = await shelf.prepare(name, (copy) => checkCopy(copy, settings))
      /** The world may be another than that of the first start. */
      const applyWorld = async (serving: Serving) => {
        let wayBack: Undo | undefined
        const beforehand = async () => {
          wayBack = await undoable(present.database(), false)
        }
        await firstWorld?.applyTo({ ...serving, prepare: beforehand })
        await wayBack?.keep()
      }
      const prepare = async (serving: Serving) => {
        if (name === firstState) await applyWorld(serving)
        // Files that are watched are what the ledger should have, whatever it had then.
        await watched?.upload(watched.files, serving.ledger.packages)
      }
      const replace = async () => openNext && present.replace(openNext, prepare)
      await (watched === undefined ? replace() : watched.aside(replace))
      return openNext !== undefined
    },
    read: shelf.read,
    receive: shelf.receive,
  })
}

/** What would keep the node from opening it is found before the present ledger is closed. */
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
export async function keepFirstState(shelf: SnapshotShelf, present: PresentLedger, isFirst: boolean): Promise<void> {
  // A node that was killed in between has never been used.
  const isDue = isFirst || (!shelf.has(firstState) && (await isUnused(present.serving())))
  if (isDue) await shelf.take(present.database(), firstState)
}

async function isUnused({ ledger, records }: Serving): Promise<boolean> {
  return ledger.end.current().offset === 0n || (await readWorldRecord(records)).isFirst
}
