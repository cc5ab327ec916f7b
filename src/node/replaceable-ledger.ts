// The ledger that a node serves: its database and the service over it. A development node can replace it by a snapshot
// while connections stay open. Requests that arrive during the replacement wait for the new ledger; those under way are
// answered by the old one or refused, because the old one is closed before the new one is opened.
import { LedgerError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { UnfinishedWorld } from '../ledger/development/world-record.ts'
import type { Database } from '../store/core/database.ts'
import type { LedgerService } from './ledger-service.ts'
import type { NodeListeners } from './node-listeners.ts'

export type ReplaceableLedger = {
  readonly database: () => Database
  readonly services: () => Services
  /** Opens the first ledger. Its successors are opened by the same function. */
  open(openServices: OpenServices): Promise<Services>
  /** From now on a replacement holds the requests of these listeners. */
  serveThrough(listeners: readonly ParticipantListeners[]): void
  /** Starts the engine. Does nothing during a replacement: the next command starts the engine then. */
  warmUp(): void
  /** `prepare` runs before the new ledger is served. */
  replace(openNext: OpenNext, prepare: (services: Services) => Promise<void>): Promise<void>
  closeService(): Promise<void>
  closeDatabase(): Promise<void>
}

/** Of all participants, the first one first. */
export type Services = readonly [LedgerService, ...LedgerService[]]

/** The index is that of the participant's service. */
type ParticipantListeners = Pick<NodeListeners, 'hold' | 'leadTo'> & { readonly index: number }

type OpenServices = (database: Database, isFirst: boolean) => Promise<Services>

/** Opens the database that takes the place of the closed one. */
type OpenNext = () => Promise<Database>

type Parts = {
  readonly first: Database
  /** Opens an empty database in the place of the first. */
  readonly openAnew: OpenNext
  /** Called if the node cannot go on. */
  readonly onLost: (reason: string) => void
  readonly log: Log
}

/** How long requests under way may take before they are refused. */
const graceMs = 1_000

export function createReplaceableLedger({ first, openAnew, onLost, log }: Parts): ReplaceableLedger {
  let database = first
  let isDatabaseOpen = true
  /** Both are set once the first ledger is open; the services are undefined during a replacement. */
  let openServices: OpenServices | undefined
  let services: Services | undefined
  let listeners: readonly ParticipantListeners[] = []
  let replacing: Promise<void> = Promise.resolve()

  async function replace(openNext: OpenNext, prepare: (services: Services) => Promise<void>): Promise<void> {
    for (const each of listeners) each.hold()
    const next = await openInPlace(openNext, prepare)
    for (const { index, leadTo } of listeners) leadTo(next[index]!.http)
  }

  async function openInPlace(openNext: OpenNext, prepare: (services: Services) => Promise<void>): Promise<Services> {
    try {
      const old = services!
      await Promise.all(old.map(({ http }) => http.retire(replaced(), graceMs)))
      services = undefined
      await closeAll(old)
      await changeDatabase(openNext)
      services = await openServices!(database, false)
      await prepare(services)
      return services
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'the ledger could not be replaced')
      onLost('the ledger could not be replaced, and the old one is closed; start the node again')
      throw error
    }
  }

  async function changeDatabase(openNext: OpenNext): Promise<void> {
    await closeDatabase()
    database = await openNext()
    isDatabaseOpen = true
  }

  async function closeDatabase(): Promise<void> {
    if (!isDatabaseOpen) return
    isDatabaseOpen = false
    await database[Symbol.asyncDispose]()
  }

  /** If the node was killed before a new ledger had its world, the ledger begins anew. */
  async function openFirst(open: OpenServices): Promise<Services> {
    try {
      return await open(database, true)
    } catch (error) {
      if (!(error instanceof UnfinishedWorld)) throw error
      log.warn({ reason: error.message }, 'the ledger begins anew')
      await changeDatabase(openAnew)
      return open(database, true)
    }
  }

  return {
    database: () => database,
    services: () => services!,
    async open(open) {
      openServices = open
      services = await openFirst(open)
      return services
    },
    serveThrough(those) {
      listeners = those
    },
    warmUp: () => services?.[0].engine.start(),
    replace(openNext, prepare) {
      const work = replace(openNext, prepare)
      replacing = work.catch(() => undefined)
      return work
    },
    async closeService() {
      await replacing
      await closeAll(services ?? [])
    },
    closeDatabase,
  }
}

async function closeAll(services: readonly LedgerService[]): Promise<void> {
  await Promise.all(services.map((service) => service[Symbol.asyncDispose]()))
}

function replaced(): LedgerError {
  return new LedgerError('LEDGER_REPLACED', 'The ledger was replaced by a snapshot. Read again from its end.')
}
