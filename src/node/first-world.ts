// Applies the world file of a development node to its ledger: at the start, and again after a reset.
import type { Settings } from '../base/settings.ts'
import type { FirstWorld } from '../ledger/development/world-application.ts'
import type { Database } from '../store/core/database.ts'
import type { Undo } from '../store/snapshots/snapshots.ts'
import type { LedgerService } from './ledger-service.ts'
import type { OpenedDatabase } from './open-database.ts'

export type WorldApplication = {
  /** Returns whether the ledger is new and has its world now. */
  applyAtStart(service: LedgerService, database: Database): Promise<boolean>
  /** The file may have changed since the ledger got its world. */
  applyAfterReset(service: LedgerService, database: Database): Promise<void>
  /** Undoes an application that failed. The database must be closed. */
  undo(): Promise<void>
}

/** Reads and checks the world file before anything is opened. */
export async function readFirstWorld(settings: Settings): Promise<FirstWorld | undefined> {
  if (settings.world === undefined) return undefined
  const { openFirstWorld } = await import('../ledger/development/world-application.ts')
  return openFirstWorld(settings.world, settings)
}

export function createWorldApplication(
  world: FirstWorld | undefined,
  undoable: OpenedDatabase['undoable'],
): WorldApplication {
  let wayBack: Undo | undefined

  async function apply(
    { ledger, records, isNew }: LedgerService,
    openWayBack: (isFirst: boolean) => Promise<Undo>,
  ): Promise<boolean> {
    if (world === undefined) return false
    const prepare = async (isFirst: boolean) => {
      wayBack = await openWayBack(isFirst)
    }
    const isFirstWorld = await world.applyTo({ ledger, records, isNew, prepare })
    await wayBack?.keep()
    wayBack = undefined
    return isFirstWorld
  }

  return {
    applyAtStart: (service, database) => apply(service, (isFirst) => undoable(database, isFirst)),
    async applyAfterReset(service, database) {
      await apply(service, () => undoable(database, false))
    },
    undo: async () => wayBack?.undo(),
  }
}
