// The ledger that a node serves at present: its database and what stands over it. A development node can put a snapshot
// in its place while connections stay open. Requests that come meanwhile wait for the new ledger; those under way are
// answered from the old one or refused, because it is closed before the new one is opened.
import { LedgerError } from './base/errors.ts'
import type { Log } from './base/log.ts'
import type { LedgerAccess } from './engine/ledger-access.ts'
import type { HttpService } from './http/server.ts'
import type { Serving } from './serving.ts'
import type { Database } from './store/database.ts'

export type PresentLedger = {
  readonly database: () => Database
  readonly serving: () => Serving
  /** What the engine may read. */
  readonly access: LedgerAccess
  open(): Promise<Serving>
  /** `prepare` runs before the new ledger is served. */
  replace(openNext: () => Promise<Database>, prepare?: (serving: Serving) => Promise<void>): Promise<void>
  closeServing(): Promise<void>
  closeDatabase(): Promise<void>
}

/** Where requests come in: over HTTP, and over gRPC. */
type Door = { hold(): void; leadTo(service: HttpService): void }

type Parts = {
  readonly first: Database
  readonly openServing: (database: Database, isFirst: boolean) => Promise<Serving>
  readonly doors: () => readonly Door[]
  /** The node cannot go on. */
  readonly onLost: (reason: string) => void
  readonly log: Log
}

/** How long requests under way may take before they are refused. */
const graceMs = 1_000

export function createPresentLedger({ first, openServing, doors, onLost, log }: Parts): PresentLedger {
  let database = first
  /** Set once the ledger is open; before that the engine has nothing to do. */
  let serving: Serving | undefined

  return {
    database: () => database,
    serving: () => serving!,
    access: {
      package: (id) => serving!.access.package(id),
      contracts: (ids) => serving!.access.contracts(ids),
      contractsWithKey: (hash, before) => serving!.access.contractsWithKey(hash, before),
    },
    async open() {
      serving = await openServing(database, true)
      return serving
    },
    async replace(openNext, prepare) {
      const old = serving!
      for (const door of doors()) door.hold()
      try {
        await old.http.retire(replaced(), graceMs)
        await old[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
        database = await openNext()
        serving = await openServing(database, false)
        await prepare?.(serving)
      } catch (error) {
        log.error({ reason: (error as Error).message }, 'the ledger could not be replaced')
        onLost('the ledger could not be replaced, and the old one is closed; start the node again')
        throw error
      }
      for (const door of doors()) door.leadTo(serving.http)
    },
    closeServing: async () => serving?.[Symbol.asyncDispose](),
    closeDatabase: async () => database[Symbol.asyncDispose](),
  }
}

function replaced(): LedgerError {
  return new LedgerError('LEDGER_REPLACED', 'The ledger was replaced by a snapshot. Read again from its end.')
}
