// Pruning deletes updates and completions up to an offset, and the contracts archived by then. Active contracts stay,
// with their last move completed by then and all later ones. A request waits only for one small transaction that moves
// the pruning offset; rows are deleted in the background (pruned-rows.ts), which resumes after a restart.

import type { Clock } from '../../base/clock.ts'
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import type { Health } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import { shortIdentifier } from '../../base/names.ts'
import type { Limits } from '../../base/settings.ts'
import { nextTurn } from '../../base/turns.ts'
import { metaFromText, recordTimeOf, synchronizerIdOf } from '../../events/format/stored-update.ts'
import { timestampFromText } from '../../lf/codec/time-text.ts'
import type { UpdateRow } from '../../store/core/ledger-records.ts'
import type { Store } from '../../store/core/store.ts'
import { alwaysLeading, type Leadership, type Loop, type LoopTurn, startLoop } from '../model/background-loop.ts'
import { shownDuration } from '../model/duration-text.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Names } from '../model/name-numbers.ts'
import { createPrunedRows } from './pruned-rows.ts'

export type PruningProgress = {
  /** The offset up to which nothing can be read; 0 for none. */
  readonly prunedUpTo: bigint
  /** The offset up to which rows are deleted. */
  readonly deletedUpTo: bigint
  /** Whether rows are being deleted or their space is being reclaimed. */
  readonly isRunning: boolean
}

export type Pruning = AsyncDisposable & {
  /** Prunes everything up to and including the offset. */
  prune(upTo: bigint): Promise<void>
  /** Prunes everything older than that, but never the ledger end. */
  pruneOlderThan(ageMicros: bigint): Promise<void>
  /** Continues what an earlier run has left. */
  resume(): void
  progress(): Promise<PruningProgress>
  /** The progress as far as it is known without asking the store. */
  lastProgress(): PruningProgress
  /** Settles when all rows are deleted, or when the node stops. */
  settled(): Promise<void>
}

type Parts = {
  readonly store: Store
  readonly end: LedgerEnd
  readonly names: Names
  readonly time: LedgerTime
  readonly limits: Limits
  readonly health: Health
  readonly clock: Clock
  readonly log: Log
  /** Rows are deleted by the node that leads; always this one unless given. */
  readonly leadership?: Leadership
  /** Clients may not prune what is younger than the longest deduplication period. */
  readonly keepsDeduplicationPeriod?: boolean
}

const reportMs = 10_000
/** While commands are committed, three offsets are deleted for two new ones, unless this rest allows more. */
const [deletedShare, committedShare] = [3n, 2n]
/** So many times as long as the last step took: other nodes and the database's disk have the rest of the time. */
const restFactor = 4

export function createPruning(parts: Parts): Pruning {
  const { store, end, time, health, clock, log, leadership = alwaysLeading } = parts
  const rows = createPrunedRows(parts)
  const stopped = Promise.withResolvers<void>()
  let loop: Loop | undefined
  let lastDeleted = 0n
  let isAsked = false
  let isStopping = false
  leadership.onLead(resume)

  /** Moves the pruning offset now; the background deletion follows. */
  async function say(upTo: bigint): Promise<void> {
    await store.transaction(async (records) => {
      const state = await records.state.get()
      if (upTo > state.prunedUpTo) await records.state.put({ ...state, prunedUpTo: upTo })
    })
    if (upTo > end.prunedUpTo()) end.publishPruning(upTo)
    isAsked = true
    resume()
  }

  function resume(): void {
    if (loop !== undefined || isStopping || !leadership.leads()) return
    const started = startLoop({ name: 'pruning', health, clock }, deleteAll)
    loop = started
    void started.done.then(() => {
      loop = undefined
      if (isAsked) resume() // A request came at the very end, or the node leads no more.
    })
  }

  async function deleteAll(turn: LoopTurn): Promise<void> {
    const { signal } = turn
    const isLeft = async () => (await deletedUpTo(end.prunedUpTo())) < end.prunedUpTo()
    while ((isAsked || (await isLeft())) && !signal.aborted && leadership.leads()) {
      const startedMs = clock.elapsedMs()
      const upTo = end.prunedUpTo()
      await deleteRows(await deletedUpTo(upTo), upTo, turn)
      await forgetChanges(upTo, signal)
      await giveSpaceBack(signal)
      if (signal.aborted) log.info({ upTo: String(upTo) }, 'pruning goes on at the next start')
      else log.info({ upTo: String(upTo), tookMs: Math.round(clock.elapsedMs() - startedMs) }, 'pruning is done')
      isAsked = end.prunedUpTo() > upTo // A failure leaves the request pending.
    }
  }

  /** PostgreSQL reclaims in one statement; stopping does not wait for it. */
  async function giveSpaceBack(signal: AbortSignal): Promise<void> {
    const reclaiming = store.reclaim(signal)
    reclaiming.catch(() => undefined)
    await Promise.race([reclaiming, stopped.promise])
  }

  async function deleteRows(from: bigint, upTo: bigint, { signal, works }: LoopTurn): Promise<void> {
    log.info({ deletedUpTo: String(from), upTo: String(upTo) }, 'deleting what was pruned')
    let reportedMs = clock.elapsedMs()
    let deleted = from
    while (deleted < upTo && !signal.aborted && leadership.leads()) {
      const step = { deleted, end: end.current().offset, startedMs: clock.elapsedMs() }
      deleted = await rows.deleteSome(deleted, upTo)
      lastDeleted = deleted
      works()
      await nextTurn()
      const enough = step.end + ((deleted - step.deleted) * committedShare) / deletedShare
      if (end.current().offset > step.end) await rest(enough, restFactor * (clock.elapsedMs() - step.startedMs), signal)
      if (clock.elapsedMs() - reportedMs < reportMs) continue
      reportedMs = clock.elapsedMs()
      log.info({ deletedUpTo: String(deleted), upTo: String(upTo) }, 'deleting what was pruned')
    }
  }

  /** Until the ledger has grown up to an offset, or the time is over. */
  async function rest(upTo: bigint, restMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const timer = clock.after(restMs, () => over.abort())
    const either = AbortSignal.any([over.signal, signal])
    while (end.current().offset < upTo && !either.aborted) await end.moved(end.current().offset, either)
    timer.cancel()
  }

  async function deletedUpTo(upTo: bigint): Promise<bigint> {
    lastDeleted = await rows.deletedUpTo(upTo)
    return lastDeleted
  }

  async function forgetChanges(upTo: bigint, signal: AbortSignal): Promise<void> {
    let after: Uint8Array | undefined = new Uint8Array()
    while (after !== undefined && !signal.aborted) {
      after = await rows.forgetSome(after, upTo)
      await nextTurn()
    }
  }

  /** The last offset whose updates are all older; 0 when there is none. */
  async function lastBefore(moment: bigint): Promise<bigint> {
    let [low, high] = [0n, end.current().offset]
    while (low < high) {
      const middle = (low + high + 1n) / 2n
      const [update] = await store.updates.metas({ after: 0n, upTo: middle, limit: 1, descending: true })
      const recordTime = update && timestampFromText(recordTimeOf(metaFromText(update.meta)))
      if (recordTime === undefined || BigInt(recordTime) < moment) low = middle
      else high = middle - 1n
    }
    return low
  }

  async function checkAge(upTo: bigint): Promise<void> {
    const period = BigInt(parts.limits.deduplicationDurationMaxMs) * 1000n
    const after = await lastBefore(time.now() - period)
    if (upTo <= after) return
    const [unsafe] = await store.updates.metas({ after, upTo: end.current().offset, limit: 1 })
    if (unsafe !== undefined && unsafe.offset <= upTo) throw unsafeToPrune(upTo, unsafe, period)
  }

  return {
    async prune(upTo) {
      checkOffset(upTo, (await end.latest(upTo + 1n)).offset)
      if (parts.keepsDeduplicationPeriod) await checkAge(upTo)
      await say(upTo)
    },

    async pruneOlderThan(ageMicros) {
      const last = await lastBefore(time.now() - ageMicros)
      const ledgerEnd = end.current().offset
      const upTo = last === ledgerEnd ? last - 1n : last // The ledger end is never pruned.
      if (upTo > 0n) await say(upTo)
    },

    resume,

    async progress() {
      const prunedUpTo = end.prunedUpTo()
      return { prunedUpTo, deletedUpTo: await deletedUpTo(prunedUpTo), isRunning: loop !== undefined }
    },

    lastProgress: () => ({ prunedUpTo: end.prunedUpTo(), deletedUpTo: lastDeleted, isRunning: loop !== undefined }),

    settled: async () => await loop?.done,

    async [Symbol.asyncDispose]() {
      isStopping = true
      stopped.resolve()
      await loop?.[Symbol.asyncDispose]()
    },
  }
}

function checkOffset(upTo: bigint, ledgerEnd: bigint): void {
  if (upTo === 0n) throw invalidArgument('prune_up_to not specified or zero')
  if (upTo < 0n) {
    const reason = 'the offset has to be a positive integer (>0)'
    throw new LedgerError('NON_POSITIVE_OFFSET', `Offset ${upTo} in prune_up_to is not a positive integer: ${reason}`)
  }
  if (upTo < ledgerEnd) return
  const shown = ledgerEnd === 0n ? 'None' : `Some(Offset(${ledgerEnd}))`
  throw new LedgerError('OFFSET_OUT_OF_RANGE', `prune_up_to needs to be before ledger end ${shown}`)
}

function unsafeToPrune(
  upTo: bigint,
  { offset, meta }: Pick<UpdateRow, 'offset' | 'meta'>,
  period: bigint,
): LedgerError {
  const update = metaFromText(meta)
  const place = shortIdentifier(synchronizerIdOf(update))
  const duration = shownDuration(period)
  const cause = `Participant cannot prune at specified offset due to max deduplication duration of ${duration}`
  const reason = `Unsafe to prune offset ${upTo} due to the event for ${place} with record time ${recordTimeOf(update)}`
  const context = { reason, safe_offset: offset === 1n ? '' : String(offset - 1n) }
  return new LedgerError('UNSAFE_TO_PRUNE', cause, { context })
}
