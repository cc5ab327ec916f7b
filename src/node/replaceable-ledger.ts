// The ledger that a node serves at present: its database and what stands over it. A development node can put a snapshot
// in its place while connections stay open. Requests that come meanwhile wait for the new ledger; those under way are
// answered from the old one or refused, because it is closed before the new one is opened.
import { LedgerError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { HttpService } from '../http/service.ts'
import { UnfinishedWorld } from '../ledger/development/world-record.ts'
import type { Database } from '../store/core/database.ts'
import type { Serving } from './ledger-service.ts'

export type PresentLedger = {
  readonly database: () => Database
  readonly serving: () => Serving
  open(): Promise<Serving>
  /** Starts the engine, unless the ledger is being replaced: the next command starts it then. */
  warmUp(): void
  /** `prepare` runs before the new ledger is served. */
  replace(openNext: () => Promise<Database>, prepare?: (serving: Serving) => Promise<void>): Promise<void>
  closeServing(): Promise<void>
  closeDatabase(): Promise<void>
}

/** Where requests come in: over HTTP, and over gRPC. */
type Door = { hold(): void; leadTo(service: HttpService): void }

type Parts = {
  readonly first: Database
  /** Opens an empty database in the place of the first. */
  readonly openAnew: () => Promise<Database>
  readonly openServing: (database: Database, isFirst: boolean) => Promise<Serving>
  readonly doors: () => readonly Door[]
  /** The node cannot go on. */
  readonly onLost: (reason: string) => void
  readonly log: Log
}

/** How long requests under way may take before they are refused. */
const graceMs = 1_000

export function createPresentLedger({ first, openAnew, openServing, doors, onLost, log }: Parts): PresentLedger {
  let database = first
  let isOpen = true
  /** Set once the ledger is open. */
  let serving: Serving | undefined
  let replacing: Promise<void> = Promise.resolve()

  async function replace(openNext: () => Promise<Database>, prepare?: (serving: Serving) => Promise<void>) {
    const old = serving!
    for (const door of doors()) door.hold()
    try {
      await old.http.retire(replaced(), graceMs)
      serving = undefined
      await old[Symbol.asyncDispose]()
      await change(openNext)
      serving = await openServing(database, false)
      await prepare?.(serving)
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'the ledger could not be replaced')
      onLost('the ledger could not be replaced, and the old one is closed; start the node again')
      throw error
    }
    for (const door of doors()) door.leadTo(serving.http)
  }

  async function change(openNext: () => Promise<Database>): Promise<void> {
    await closeDatabase()
    database = await openNext()
    isOpen = true
  }

  async function closeDatabase(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await database[Symbol.asyncDispose]()
  }

  /** A new ledger that was killed before it had its world begins anew. */
  async function openFirst(): Promise<Serving> {
    try {
      return await openServing(database, true)
    } catch (error) {
      if (!(error instanceof UnfinishedWorld)) throw error
      log.warn({ reason: error.message }, 'the ledger begins anew')
      await change(openAnew)
      return openServing(database, true)
    }
  }

  return {
    database: () => database,
    serving: () => serving!,
    async open() {
      serving = await openFirst()
      return serving
    },
    warmUp: () => serving?.engine.start(),
    replace(openNext, prepare) {
      const work = replace(openNext, prepare)
      replacing = work.catch(() => undefined)
      return work
    },
    async closeServing() {
      await replacing
      await serving?.[Symbol.asyncDispose]()
    },
    closeDatabase,
  }
}

function replaced(): LedgerError {
  return new LedgerError('LEDGER_REPLACED', 'The ledger was replaced by a snapshot. Read again from its end.')
}
