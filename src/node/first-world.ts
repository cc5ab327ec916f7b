// Applies the world file of a development node to the ledgers of its participants: at the start, and again after a reset.
import type { Settings } from '../base/settings.ts'
import type { FirstWorld } from '../ledger/development/world-application.ts'
import { readWorldRecord } from '../ledger/development/world-record.ts'
import type { Database } from '../store/core/database.ts'
import type { Undo } from '../store/snapshots/snapshots.ts'
import type { InitScript } from './init-script.ts'
import type { LedgerService } from './ledger-service.ts'
import type { OpenedDatabase } from './open-database.ts'
import type { Services } from './replaceable-ledger.ts'

export type WorldApplication = {
  /** Returns whether the ledger is new and has its world now. */
  applyAtStart(services: Services, database: Database): Promise<boolean>
  /** The file may have changed since the ledger got its world. */
  applyAfterReset(services: Services, database: Database): Promise<void>
  /** Undoes an application that failed. The database must be closed. */
  undo(): Promise<void>
}

/** Reads and checks the world file before anything is opened. */
export async function readFirstWorld(settings: Settings): Promise<FirstWorld | undefined> {
  if (settings.world === undefined) return undefined
  const { openFirstWorld } = await import('../ledger/development/world-application.ts')
  return openFirstWorld(settings.world, settings)
}

/** The participant whose ledger remembers the world: the first one when it was applied, also if another is first by now. */
async function keeperOf(services: Services): Promise<LedgerService> {
  for (const service of services) if ((await readWorldRecord(service.records)).digest !== '') return service
  return services[0]
}

/** `names` are those of the participants, in the order of their services. */
export function createWorldApplication(
  world: FirstWorld | undefined,
  names: readonly string[],
  initScript: InitScript | undefined,
  undoable: OpenedDatabase['undoable'],
): WorldApplication {
  let wayBack: Undo | undefined

  async function apply(services: Services, openWayBack: (isFirst: boolean) => Promise<Undo>): Promise<boolean> {
    const [service] = services
    const { records } = await keeperOf(services)
    const isNew = services.every((one) => one.isNew)
    const prepare = async (isFirst: boolean) => {
      wayBack ??= await openWayBack(isFirst)
    }
    const isUnused = services.every(({ ledger }) => ledger.end.current().offset === 0n)
    const isScriptDue = (isNew || isUnused) && ((await initScript?.isDue(service)) ?? false)
    if (isScriptDue) {
      await prepare(isNew)
      await initScript!.begin(service)
    }
    const participants = services.map(({ ledger }, index) => ({ name: names[index]!, ledger }))
    const isFirstWorld = (await world?.applyTo({ participants, records, isNew, prepare })) ?? false
    if (isScriptDue) await initScript!.run(service)
    await wayBack?.keep()
    wayBack = undefined
    return isFirstWorld || isScriptDue
  }

  return {
    applyAtStart: (services, database) => apply(services, (isFirst) => undoable(database, isFirst)),
    async applyAfterReset(services, database) {
      await apply(services, () => undoable(database, false))
    },
    undo: async () => wayBack?.undo(),
  }
}
