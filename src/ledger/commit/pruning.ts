// Forgetting the past: updates and completions up to an offset, and the contracts that were archived up to it. Active
// contracts stay, and of their moves the last one that was complete by then and what came after. First the ledger says
// that they are gone, in one small transaction; then they are deleted a few at a time, so that nobody waits for it, and a
// node that was stopped in the middle goes on at its next start.
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import type { Limits } from '../../base/settings.ts'
import { timestampFromText } from '../../lf/codec/time-text.ts'
import type { AcceptedChange, OffsetRange, Records, Store } from '../../store/store.ts'
import type { LedgerEnd } from '../ledger-end.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { Names } from '../names.ts'
import { metaFromText, partiesOf, recordTimeOf, type StoredUpdate } from '../stored-update.ts'

export type Pruning = {
  /** Everything up to and with the offset. */
  prune(upTo: bigint): Promise<void>
  /** Everything older than that, except the last of it. */
  pruneOlderThan(ageMicros: bigint): Promise<void>
  /** Deletes what an earlier run has left. */
  finish(): Promise<void>
}

type Parts = {
  readonly store: Store
  readonly end: LedgerEnd
  readonly names: Names
  readonly time: LedgerTime
  readonly limits: Limits
}

type KnownUpdate = { readonly offset: bigint; readonly meta: StoredUpdate }

/** Offsets whose rows are deleted in one transaction. */
const stepOffsets = 500n
const changesPerStep = 2_000

export function createPruning({ store, end, names, time, limits }: Parts): Pruning {
  let isRunning = false

  async function deleteUpTo(upTo: bigint): Promise<void> {
    for (;;) {
      const isDone = await store.transaction((records) => deleteSome(records, upTo))
      if (isDone) break
    }
    await forgetChanges(upTo)
    await store.reclaim()
  }

  /** Whether nothing was left to delete. */
  async function deleteSome(records: Records, upTo: bigint): Promise<boolean> {
    const first = await records.updates.first()
    const firstCompletion = await records.completions.first()
    const oldest = [first, firstCompletion].filter((offset) => offset !== undefined && offset <= upTo) as bigint[]
    if (oldest.length === 0) return true
    const after = oldest.reduce((a, b) => (a < b ? a : b)) - 1n
    const range = { after, upTo: after + stepOffsets < upTo ? after + stepOffsets : upTo, limit: Number(stepOffsets) }
    const updates = await updatesIn(range, records)
    await records.updates.prune(range, await seenOf(updates, records))
    await records.contracts.prune(range)
    await records.reassignments.prune(updates.flatMap(({ meta }) => completedBy(meta) ?? []))
    await records.completions.prune(range)
    return false
  }

  async function seenOf(
    updates: readonly KnownUpdate[],
    records: Records,
  ): Promise<{ party: bigint; offset: bigint }[]> {
    const seen: { party: bigint; offset: bigint }[] = []
    for (const { offset, meta } of updates) {
      const numbers = await names.numbers(partiesOf(meta), records.names)
      for (const party of numbers.values()) seen.push({ party, offset })
    }
    return seen
  }

  /** A submission may name a period as long as the longest, so accepted changes are remembered that long. */
  async function forgetChanges(upTo: bigint): Promise<void> {
    const before = time.now() - BigInt(limits.deduplicationDurationMaxMs) * 1000n
    const isForgotten = ({ offset, publishedAt }: AcceptedChange) => offset <= upTo && publishedAt < before
    let after: Uint8Array | undefined = new Uint8Array()
    while (after !== undefined) after = await store.transaction((records) => forgetSome(records, after!, isForgotten))
  }

  async function forgetSome(records: Records, after: Uint8Array, isForgotten: (change: AcceptedChange) => boolean) {
    const { forgotten, last } = await records.acceptedChanges.prune(after, changesPerStep, isForgotten)
    if (forgotten.length > 0) {
      const state = await records.state.get()
      const [forgottenUpTo, forgottenAt] = forgotten.reduce(
        ([offset, at], change) => [max(offset, change.offset), max(at, change.publishedAt)],
        [state.forgottenUpTo, state.forgottenAt],
      )
      await records.state.put({ ...state, forgottenUpTo, forgottenAt })
    }
    return last
  }

  async function alone(run: () => Promise<void>): Promise<void> {
    if (isRunning) {
      throw new LedgerError('PARTICIPANT_PRUNING_IN_PROGRESS', 'Pruning in progress. Please try later.')
    }
    isRunning = true
    try {
      await run()
    } finally {
      isRunning = false
    }
  }

  async function prune(upTo: bigint): Promise<void> {
    if (upTo > end.prunedUpTo()) {
      await store.transaction(async (records) => {
        await records.state.put({ ...(await records.state.get()), prunedUpTo: upTo })
      })
      end.publishPruning(upTo)
    }
    await deleteUpTo(end.prunedUpTo())
  }

  /** The last offset before which everything is older; 0 when nothing is. */
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

  return {
    prune: (upTo) =>
      alone(async () => {
        checkOffset(upTo, end.current().offset)
        await prune(upTo)
      }),

    pruneOlderThan: (ageMicros) =>
      alone(async () => {
        const last = await lastBefore(time.now() - ageMicros)
        const ledgerEnd = end.current().offset
        const upTo = last === ledgerEnd ? last - 1n : last // The end of the ledger is never pruned.
        if (upTo > 0n) await prune(upTo)
      }),

    async finish() {
      const oldest = [await store.updates.first(), await store.completions.first()]
      if (oldest.every((offset) => offset === undefined || offset > end.prunedUpTo())) return
      if (isRunning) return // That run deletes the same, too.
      await alone(() => deleteUpTo(end.prunedUpTo()))
    },
  }
}

async function updatesIn(range: OffsetRange, records: Records): Promise<KnownUpdate[]> {
  return (await records.updates.metas(range)).map(({ offset, meta }) => ({ offset, meta: metaFromText(meta) }))
}

/** The reassignment that it completed. */
function completedBy(update: StoredUpdate): string | undefined {
  return update.kind === 'reassignment' && update.direction === 'assignment' ? update.reassignmentId : undefined
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

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
