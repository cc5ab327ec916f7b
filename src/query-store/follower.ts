// Follows a ledger: the active contracts first, then its updates, into the store. Lost connections of either side are
// waited out; the store says where to go on. What only an operator can mend ends it.
import { backoffMs } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { PostgresAddress } from '../base/postgres-url.ts'
import { randomUuid, systemRandom } from '../base/random.ts'
import {
  isPassingFailure,
  LedgerAway,
  type LedgerClient,
  LedgerRefusal,
  type Streamed,
} from '../ledger-client/ledger-client.ts'
import { checkHosted } from '../ledger-client/readable-parties.ts'
import { type Batch, createBatch, type MissingName, missingInCreated, missingNames, type Position } from './batch.ts'
import { type Catalog, learnPackages, loadCatalog } from './catalog.ts'
import type { ActiveContract, CreatedEvent, Update } from './ledger-messages.ts'
import { type NameFilter, nothing } from './name-filter.ts'
import { applySchema } from './schema/apply-schema.ts'
import {
  checkContinues,
  checkSource,
  type Ends,
  endsOf,
  participantIdOf,
  partiesToRead,
  StoreMismatch,
  type WantedParties,
} from './source-ledger.ts'
import { asStoreError, openStore, type Source, type Store, StoreAway } from './store.ts'

const prunedCode = 'PARTICIPANT_PRUNED_DATA_ACCESSED'

export type DataSource = 'TransactionStream' | 'TransactionTreeStream'

export type FollowSettings = {
  readonly to: PostgresAddress
  readonly schema: string
  readonly parties: WantedParties
  /** Which templates and interfaces to keep. */
  readonly contracts: NameFilter
  /** Which of them to keep as bytes, too, for disclosure. */
  readonly metadata: NameFilter
  readonly dataSource: DataSource
  /** Where a new store begins. */
  readonly start: 'Genesis' | 'Oldest' | 'Latest' | number
  readonly stop: 'Never' | 'Latest' | number
  /** Whether a store that does not fit the ledger begins anew; otherwise that ends the follower. */
  readonly beginsAnew: boolean
}

/** For `/readyz`. */
export type FollowerState = { isLedgerUp: boolean; isStoreUp: boolean; isStreaming: boolean }

export type FollowParts = {
  readonly ledger: LedgerClient
  readonly log: Log
  readonly clock: Clock
  readonly state: FollowerState
  readonly signal: AbortSignal
  /** Called when the store has everything up to an offset. */
  readonly onReached?: (offset: number) => void
}

/** Settles at the signal, or when the store has reached where it should stop. */
export async function followLedger(settings: FollowSettings, parts: FollowParts): Promise<void> {
  const { log, state, signal, clock } = parts
  const instanceId = randomUuid(systemRandom)
  let failures = 0
  let isFirst = true
  const progress = () => {
    failures = 0
  }
  while (!signal.aborted) {
    try {
      await using store = await openStore(settings.to, settings.schema, instanceId)
      state.isStoreUp = true
      if (isFirst) await takeOver(store, settings.schema, log)
      isFirst = false
      if (await follow(store, settings, parts, progress)) return
    } catch (caught) {
      const error = caught instanceof LedgerAway || caught instanceof LedgerRefusal ? caught : asStoreError(caught)
      if (!isPassing(error, settings)) throw inWords(error)
      failures += 1
      log.warn({ reason: (error as Error).message, failures }, 'following stopped; trying again')
      state[error instanceof StoreAway ? 'isStoreUp' : 'isLedgerUp'] = false
      await pause(backoffMs(failures), clock, signal)
    } finally {
      state.isStreaming = false
    }
  }
}

async function takeOver(store: Store, schema: string, log: Log): Promise<void> {
  const outcome = await applySchema(store.client, schema)
  if (outcome === 'created') log.info({ schema }, 'created the schema')
  await store.claim()
}

/** True when there is nothing left to do. */
async function follow(
  store: Store,
  settings: FollowSettings,
  parts: FollowParts,
  progress: () => void,
): Promise<boolean> {
  const { ledger, log, state, signal } = parts
  const participantId = await participantIdOf(ledger)
  state.isLedgerUp = true
  const parties = await partiesToRead(settings.parties, ledger)
  const source = { participantId, parties, dataSource: settings.dataSource, contracts: settings.contracts.text }
  const ends = await endsOf(ledger)
  const stop = settings.stop === 'Latest' ? ends.end : settings.stop === 'Never' ? undefined : settings.stop
  const fit = await checkFit(store, source, ends, settings, parts)
  if (Array.isArray(settings.parties)) await checkHosted(settings.parties, ledger)
  await learnPackages(store.client, ledger, log)
  let position = await store.position()
  if (position === undefined) {
    await begin(store, { source, settings, ends, parts })
    progress()
  } else if (fit === 'wider') {
    await widen(store, position, { source, settings, ends, parts })
  }
  position = (await store.position())!
  parts.onReached?.(position.offset)
  // A new interface may come with a package at any time; then the stream begins again with another format.
  for (;;) {
    const catalog = await loadCatalog(store.client, settings)
    const outcome = await followUpdates(store, { catalog, position, parties, stop, settings, parts, progress })
    if (outcome === 'done' || signal.aborted) return true
    position = (await store.position())!
  }
}

/** Whether the store has what the source would give it up to where it is; a store that begins anew always has. */
async function checkFit(
  store: Store,
  source: Source,
  ends: Ends,
  settings: FollowSettings,
  { ledger, log }: FollowParts,
): Promise<'same' | 'wider'> {
  const [kept, position] = [await store.source(), await store.position()]
  if (kept === undefined || position === undefined) return 'same'
  try {
    const isWider = checkSource(kept, source, settings.schema)
    const eventFormat = formatFor(source.parties, [], settings.metadata.text !== nothing.text)
    await checkContinues(ledger, ends, {
      ...{ offset: position.offset, last: await store.lastTransaction(), eventFormat },
    })
    return isWider ? 'wider' : 'same'
  } catch (error) {
    if (!(error instanceof StoreMismatch) || !settings.beginsAnew) throw error
    log.warn({ schema: settings.schema, reason: error.message }, 'the query store begins anew')
    await store.empty()
    return 'same'
  }
}

type Beginning = {
  readonly source: Source
  readonly settings: FollowSettings
  readonly ends: Ends
  readonly parts: FollowParts
}

/** The contracts that were active where the store begins, in a transaction of their own, which has no id. */
async function begin(store: Store, beginning: Beginning): Promise<void> {
  const { source, settings, ends } = beginning
  const at = startOffset(settings.start, ends)
  const before: Position = { ix: 0, offset: at, eventPk: 0 }
  await learning(store, settings, async (catalog) => {
    const fill = async (write: WriteBatch) => (at === 0 ? before : fillFrom(before, true, beginning, catalog, write))
    await store.begin(source, fill, catalog)
  })
}

/** The contracts of more parties, as they are where the store is. */
async function widen(store: Store, before: Position, beginning: Beginning): Promise<void> {
  await learning(store, beginning.settings, async (catalog) => {
    const fill = (write: WriteBatch) => fillFrom(before, before.ix === 0, beginning, catalog, write)
    await store.widen(beginning.source, before, fill, catalog)
  })
}

/** Once more if an event has names that no package told. */
async function learning(
  store: Store,
  settings: FollowSettings,
  work: (catalog: Catalog) => Promise<void>,
): Promise<void> {
  try {
    await work(await loadCatalog(store.client, settings))
  } catch (error) {
    if (!(error instanceof NewNames)) throw error
    await store.learnNames(error.names)
    await learning(store, settings, work)
  }
}

type WriteBatch = (batch: Batch) => Promise<void>

/** Writes the active contracts at a position, in batches; they belong to its last transaction, or to one of their own. */
async function fillFrom(
  before: Position,
  hasOwnTransaction: boolean,
  { source, settings, parts }: Beginning,
  catalog: Catalog,
  write: WriteBatch,
): Promise<Position> {
  const { ledger, log, signal } = parts
  const seed = { ix: hasOwnTransaction ? 1 : before.ix, offset: before.offset, mayBeKnown: before.eventPk > 0 }
  let batch = createBatch(catalog, before)
  let lastCreated: string | undefined
  let contracts = 0
  const eventFormat = formatFor(source.parties, catalog.interfaces, settings.metadata.text !== nothing.text)
  const request = { activeAtOffset: before.offset, eventFormat }
  for await (const { element, bytes } of ledger.stream<ActiveContract>('/v2/state/active-contracts', request, signal)) {
    const event = createdEventOf(element)
    if (event === undefined) continue
    const names = missingInCreated(event, catalog)
    if (names.length > 0) throw new NewNames(names)
    batch.addActive(event, seed, bytes)
    contracts += 1
    if (lastCreated === undefined || event.createdAt > lastCreated) lastCreated = event.createdAt
    if (!batch.isFull) continue
    await write(batch)
    batch = createBatch(catalog, batch.after)
  }
  if (signal.aborted) throw new StoreAway('stopped before the active contracts were complete')
  if (hasOwnTransaction) batch.begin(before.offset, lastCreated)
  await write(batch)
  log.info({ offset: before.offset, contracts }, 'the active contracts are in the store')
  return batch.after
}

/** An event has names that no package told. */
class NewNames extends Error {
  readonly names: readonly MissingName[]

  constructor(names: readonly MissingName[]) {
    super('an event has names that no package told')
    this.names = names
  }
}

function startOffset(start: FollowSettings['start'], { end, pruned }: Ends): number {
  if (start === 'Latest') return end
  if (start === 'Oldest') return pruned
  const offset = start === 'Genesis' ? 0 : start
  if (offset > end) throw new StartError(`the ledger ends at offset ${end}; it cannot be followed from ${offset}`)
  if (offset >= pruned) return offset
  throw new StartError(
    `the ledger is pruned up to offset ${pruned}, so it cannot be followed from ${offset}; start at Oldest, Latest or a later offset`,
  )
}

function createdEventOf({ contractEntry }: ActiveContract): CreatedEvent | undefined {
  const { JsActiveContract, JsIncompleteUnassigned, JsIncompleteAssigned } = contractEntry
  return (JsActiveContract ?? JsIncompleteUnassigned ?? JsIncompleteAssigned?.assignedEvent)?.createdEvent
}

type Following = {
  readonly catalog: Catalog
  readonly position: Position
  readonly parties: readonly string[] | undefined
  readonly stop: number | undefined
  readonly settings: FollowSettings
  readonly parts: FollowParts
  progress(): void
}

/** While a batch is being written, the next one gathers. */
async function followUpdates(store: Store, following: Following): Promise<'done' | 'new names'> {
  const { position, parties, stop, settings, parts, progress } = following
  const { ledger, state, signal, onReached } = parts
  let { catalog } = following
  if (stop !== undefined && position.offset >= stop) return 'done'
  const broken = new AbortController()
  let failure: unknown
  let batch = createBatch(catalog, position)
  let writing: Promise<void> | undefined

  function write(): void {
    if (writing !== undefined || batch.isEmpty || failure !== undefined) return
    const taken = batch
    batch = createBatch(catalog, taken.after)
    writing = store.write(taken, catalog).then(
      () => {
        writing = undefined
        progress()
        onReached?.(taken.after.offset)
        write()
      },
      (error) => {
        failure = error
        writing = undefined
        broken.abort()
      },
    )
  }

  async function drain(): Promise<void> {
    write()
    while (writing !== undefined) await writing
    if (failure !== undefined) throw failure
  }

  /** Whether the stream may go on with the filters it has. */
  async function learn(names: readonly MissingName[]): Promise<boolean> {
    await drain()
    const before = catalog.interfaces.length
    await learnPackages(store.client, ledger, parts.log)
    catalog = await loadCatalog(store.client, settings)
    if (catalog.interfaces.length > before) return false
    await store.learnNames(names)
    catalog = await loadCatalog(store.client, settings)
    batch = createBatch(catalog, batch.after)
    return true
  }

  const eventFormat = formatFor(parties, catalog.interfaces, settings.metadata.text !== nothing.text)
  const shape = settings.dataSource === 'TransactionStream' ? 'ACS_DELTA' : 'LEDGER_EFFECTS'
  const request = {
    beginExclusive: position.offset,
    ...(stop !== undefined && { endInclusive: stop }),
    updateFormat: {
      includeTransactions: { eventFormat, transactionShape: `TRANSACTION_SHAPE_${shape}` },
      includeReassignments: eventFormat,
    },
  }
  const until = AbortSignal.any([signal, broken.signal])
  const stream: AsyncIterable<Streamed<{ update: Update }>> = ledger.stream('/v2/updates', request, until)
  state.isStreaming = true
  for await (const { element, bytes } of stream) {
    const names = missingNames(element.update, catalog)
    if (names.length > 0 && !(await learn(names))) return 'new names'
    batch.add(element.update, bytes)
    if (batch.isFull) {
      while (writing !== undefined) await writing
    }
    write()
  }
  await drain()
  if (stop === undefined && !signal.aborted) throw new LedgerAway(`${ledger.place} ended the stream`)
  return 'done'
}

/** All templates, and the views of all interfaces. */
function formatFor(
  parties: readonly string[] | undefined,
  interfaces: readonly string[],
  hasMetadata: boolean,
): object {
  const includeCreatedEventBlob = hasMetadata
  const cumulative = [
    { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob } } } },
    ...interfaces.map((interfaceId) => ({
      identifierFilter: {
        InterfaceFilter: { value: { interfaceId, includeInterfaceView: true, includeCreatedEventBlob } },
      },
    })),
  ]
  const filtersByParty = Object.fromEntries((parties ?? []).map((party) => [party, { cumulative }]))
  return { filtersByParty, ...(parties === undefined && { filtersForAnyParty: { cumulative } }), verbose: false }
}

function isPassing(error: unknown, { beginsAnew }: FollowSettings): boolean {
  // The next attempt finds that the store does not fit.
  if (error instanceof LedgerRefusal && error.code === prunedCode) return beginsAnew
  return error instanceof StoreAway || isPassingFailure(error)
}

/** What a refusal of the ledger means for the one who started this. */
function inWords(error: unknown): unknown {
  if (!(error instanceof LedgerRefusal)) return error
  const { status, code, message } = error
  if (status === 401)
    return new StartError(`the ledger does not accept the token, or wants one: ${message}; give --token`)
  if (status === 403 || code === 'PERMISSION_DENIED') {
    const advice = 'grant CanReadAsAnyParty or CanReadAs, or name the parties with --party'
    return new StartError(`the user of the token may not read what was asked for: ${message}; ${advice}`)
  }
  if (code === prunedCode) {
    return new StartError(`the ledger was pruned beyond the store: ${message}; fill an empty schema from it (--schema)`)
  }
  return new StartError(`the ledger refused: ${message}`)
}

async function pause(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = clock.after(delayMs, resolve)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  timer.cancel()
}
