// A node whose ledger begins as a fork of another participant: what it reads there before it opens, and how its ledger is
// told from others.
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import { shownUrl } from '../base/shown-url.ts'
import type { Following, FollowingState } from '../ledger/fork/following.ts'
import {
  checkWhole,
  type ForkRecord,
  newForkRecord,
  readForkRecord,
  writeForkRecord,
} from '../ledger/fork/fork-record.ts'
import type { Original } from '../ledger/fork/original.ts'
import type { Leadership } from '../ledger/model/background-loop.ts'
import type { LedgerClient } from '../ledger-client/ledger-client.ts'
import type { NodeRecords } from '../store/core/administration-records.ts'
import type { Database } from '../store/core/database.ts'
import type { Records } from '../store/core/store.ts'
import { createStore } from '../store/records/create-store.ts'
import type { Accompanied, Fillable } from './ledger-service.ts'

export type Fork = {
  /** Reads what the original is, and refuses what it does not have. Goes on at the offset of an unfinished fork. */
  original(unfinished: ForkRecord | undefined): Promise<Original>
  /** Gives a new ledger the state of the original. A ledger that has it already is left alone. */
  fill(parts: Fillable): Promise<void>
  /** Goes on with what happens at the original, if the settings want that. */
  follow(parts: Accompanied): AsyncDisposable | undefined
  /** Undefined unless the settings want that. */
  following(): FollowingState | undefined
  /** While it follows, the original assigns contracts in transit. Undefined unless the settings want that. */
  readonly assigning: Leadership | undefined
}

/** Undefined unless the settings want a fork. */
export function openFork(settings: Settings, clock: Clock, log: Log): Fork | undefined {
  if (settings.fork === undefined) return undefined
  if (!isDevelopment(settings)) throw new StartError('a fork is for trying things: only a development node can be one')
  if ((settings.network?.participants.length ?? 0) > 1) {
    throw new StartError('a fork is a single participant: leave out network.participants')
  }
  const { url, token, parties, at, follow } = settings.fork
  let following: Following | undefined
  /** Called when it follows no longer. */
  const listeners = new Set<() => void>()
  let opened: Promise<Original> | undefined
  return {
    original(unfinished) {
      opened ??= open(unfinished)
      return opened
    },
    async fill(parts) {
      following = undefined // The one of a ledger that was replaced.
      listeners.clear()
      const record = (await readForkRecord(parts.store.node))!
      if (record.isWhole) return
      const { fillFork } = await import('../ledger/fork/fill.ts')
      await fillFork(await this.original(record), record, { ...parts, clock, log }).catch(explain)
    },
    follow(parts) {
      if (!follow) return undefined
      const opening = openFollowing(parts)
      return {
        async [Symbol.asyncDispose]() {
          await (await opening)[Symbol.asyncDispose]()
        },
      }
    },
    following: () => following?.state(),
    assigning: follow
      ? { leads: () => following?.state().kind === 'stopped', onLead: (listener) => void listeners.add(listener) }
      : undefined,
  }

  async function openFollowing(parts: Accompanied): Promise<Following> {
    const record = (await readForkRecord(parts.store.node))!
    const { startFollowing } = await import('../ledger/fork/following.ts')
    const { openFollowed } = await import('../fork/original-updates.ts')
    const original = openFollowed(await openClient(), record.participantId, record.parties)
    const onStopped = () => {
      for (const listener of listeners) listener()
    }
    following = startFollowing(original, { ...parts, clock, log, onStopped })
    return following
  }

  async function openClient(): Promise<LedgerClient> {
    const { createLedgerClient } = await import('../ledger-client/ledger-client.ts')
    return createLedgerClient(url, async () => token, clock)
  }

  async function open(unfinished: ForkRecord | undefined): Promise<Original> {
    const { openOriginal } = await import('../fork/original-ledger.ts')
    const wanted = { parties: parties.length === 0 ? undefined : parties, at: at ?? unfinished?.offset }
    return openOriginal(await openClient(), wanted).catch(explain)
  }

  function explain(error: unknown): never {
    if (error instanceof StartError) throw error
    throw new StartError(`cannot fork ${shownUrl(url)}: ${(error as Error).message}`)
  }
}

/** A fork has the synchronizers of its original, with their ids. */
export async function asForked(settings: Settings, database: Database, fork: Fork | undefined): Promise<Settings> {
  const store = createStore(database)
  const record = await readForkRecord(store.node)
  if (record === undefined && fork === undefined) return settings
  if (fork === undefined) checkWhole(record)
  if (record !== undefined) return withSynchronizers(record.synchronizers, settings)
  if ((await store.state.get()).end > 0n) {
    throw new StartError('the ledger is no fork and has updates: fork into a new one (--data DIR, or --memory)')
  }
  const original = await fork!.original(undefined)
  const begun = newForkRecord(original)
  await store.transaction(async (records) => {
    await introduceSynchronizers(original, records)
    await writeForkRecord(records.node, begun) // From now on nobody takes it for another ledger.
  })
  return withSynchronizers(begun.synchronizers, settings)
}

function withSynchronizers(aliases: readonly string[], settings: Settings): Settings {
  return { ...settings, synchronizers: aliases.map((alias) => ({ alias, priority: 0 })) }
}

/** For people; undefined unless the ledger is a fork. */
export async function describeFork(records: NodeRecords): Promise<string | undefined> {
  const record = await readForkRecord(records)
  return record && `${record.participantId} at offset ${record.offset}`
}

async function introduceSynchronizers({ synchronizers: theirs }: Original, { synchronizers }: Records): Promise<void> {
  for (const [index, { alias, id }] of theirs.entries()) {
    await synchronizers.insert({ number: BigInt(index + 1), id, alias, recordTime: 0n, isConnected: true })
  }
}
