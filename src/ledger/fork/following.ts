// Follows the original of a fork until the first local command: each update is applied in one transaction with the note that it
// was, so that nothing is missed or applied twice, however the node ends. A ledger that is not where the note says has
// commands of its own, and is followed no longer.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createQueue } from '../../base/queue.ts'
import type { Store, TransactionRecords } from '../../store/core/store.ts'
import type { Given } from '../commit/other-participants.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { createNames } from '../model/name-numbers.ts'
import { type FillingParts, vetPackages } from './fill.ts'
import { applyUpdate } from './followed-updates.ts'
import { followedIn, ownSince, readForkRecord, writeForkRecord } from './fork-record.ts'
import { uploadPackages } from './imported-packages.ts'
import { type FollowedOriginal, OriginalLost, type OriginalUpdate } from './original.ts'

/** What people are told about it. */
export type FollowingState =
  | { readonly kind: 'following'; readonly problem: string | undefined }
  | { readonly kind: 'stopped'; readonly reason: string }

export type Following = AsyncDisposable & { state(): FollowingState }

export type FollowingParts = Pick<FillingParts, 'packages' | 'vetting' | 'synchronizers'> & {
  readonly store: Store
  readonly end: Pick<LedgerEnd, 'current' | 'moved'>
  readonly time: Pick<LedgerTime, 'now'>
  /** Publishes what was written. */
  readonly receive: (given: Given) => void
  /** Called when it follows no longer. */
  readonly onStopped: () => void
  readonly clock: Clock
  readonly log: Log
}

/** Packages may be uploaded and vetted there at any time. */
const packagesEveryMs = 10_000
const namesMax = 100_000

class LocalCommand extends Error {}

export function startFollowing(original: FollowedOriginal, parts: FollowingParts): Following {
  const { store, end, time, receive, clock, log } = parts
  const names = createNames(namesMax)
  const stopped = new AbortController()
  let state: FollowingState = { kind: 'following', problem: undefined }
  const oneAtATime = createQueue()
  let knownPackages: ReadonlySet<string> = new Set()

  async function run(): Promise<void> {
    for (let failures = 0; !stopped.signal.aborted; ) {
      try {
        await follow(() => {
          failures = 0
          if (state.kind === 'following' && state.problem !== undefined) log.info({}, 'following the original again')
          state = { kind: 'following', problem: undefined }
        })
        return
      } catch (error) {
        if (stopped.signal.aborted) return
        if (error instanceof LocalCommand || error instanceof OriginalLost) return stop(error)
        failures += 1
        const { message } = error as Error
        if (failures === 1) log.warn({ reason: message }, 'cannot follow the original now')
        state = { kind: 'following', problem: message }
        await pause(backoffMs(failures))
      }
    }
  }

  function stop(error: Error): void {
    const isLocal = error instanceof LocalCommand
    const reason = isLocal ? error.message : `${original.participantId} cannot be followed: ${error.message}`
    state = { kind: 'stopped', reason }
    if (isLocal) log.info({ reason }, 'the fork follows its original no longer')
    else log.warn({ reason }, 'the fork follows its original no longer')
    parts.onStopped()
  }

  async function follow(works: () => void): Promise<void> {
    const followed = followedIn((await readForkRecord(store.node))!)
    let applied = BigInt(followed.offset)
    let applying: Promise<Given> | undefined
    if (end.current().offset > applied) throw new LocalCommand(ownSince(applied))
    await original.checkContinues(followed)
    await takePackages()
    works()
    const over = new AbortController()
    const signal = AbortSignal.any([stopped.signal, over.signal])
    const looking = lookForPackages(signal)
    /** Settles when the ledger is beyond what was applied, or with the signal. */
    const untilLocal = async () => {
      do {
        await end.moved(applied, signal)
        await applying?.catch(() => undefined) // Its update may be seen before the database has answered the commit.
      } while (!signal.aborted && end.current().offset <= applied)
    }
    void untilLocal().then(() => over.abort())
    try {
      for await (const update of original.updates(followed.offset, signal)) {
        if (!hasKnownPackages(update)) await takePackages()
        applying = store.transaction((records) => apply(update, records))
        const given = await applying
        applied = given.state.end
        receive(given)
        works()
      }
    } finally {
      over.abort()
      looking.cancel()
    }
    if (!stopped.signal.aborted) throw new LocalCommand(ownSince(applied))
  }

  async function apply(update: OriginalUpdate, records: TransactionRecords): Promise<Given> {
    const record = (await readForkRecord(records.node))!
    const { offset } = followedIn(record)
    if ((await records.state.get()).end !== BigInt(offset)) throw new LocalCommand(ownSince(offset))
    const now = time.now()
    const given = await applyUpdate(update, records, { names, synchronizers: parts.synchronizers, now })
    await writeForkRecord(records.node, { ...record, followed: { offset: update.offset, updateId: update.updateId } })
    return given
  }

  function hasKnownPackages(update: OriginalUpdate): boolean {
    if (update.kind !== 'transaction') return true
    return update.events.every((event) => {
      const { templateId } = event.kind === 'created' ? event.contract : event
      return knownPackages.has(templateId.slice(0, templateId.indexOf(':')))
    })
  }

  function takePackages(): Promise<void> {
    return oneAtATime(async () => {
      await uploadPackages(original, parts)
      await vetPackages(original, parts)
      knownPackages = new Set(await original.packageIds())
    })
  }

  /** A package that nobody uses yet is in no update. */
  function lookForPackages(signal: AbortSignal) {
    const next = () =>
      clock.after(packagesEveryMs, async () => {
        await takePackages().catch(() => undefined) // The stream says what is wrong.
        if (!signal.aborted) timer = next()
      })
    let timer = next()
    return { cancel: () => timer.cancel() }
  }

  async function pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(delayMs, resolve)
    stopped.signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    timer.cancel()
  }

  const running = run()
  return {
    state: () => state,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      await running
    },
  }
}
