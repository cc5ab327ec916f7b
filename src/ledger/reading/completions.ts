// Command completions for the acting parties. Mirrors Canton's ApiCommandCompletionService and
// CompletionServiceRequestValidator.
import { invalidArgument, invalidField, missingField } from '../../base/errors.ts'
import { partyProblem, userIdProblem } from '../../base/names.ts'
import { nextTurn } from '../../base/turns.ts'
import type { CompletionRecord } from '../../store/core/ledger-records.ts'
import type { Store } from '../../store/core/store.ts'
import { checkpointJson, createCheckpointSource } from './following/checkpoints.ts'
import { type Placed, tail } from './following/tailing.ts'
import { type Reader, readerOf } from './reader.ts'
import type { ReadingParts } from './reading-parts.ts'
import { checkNonNegative, checkNotAfterEnd, checkNotPruned } from './requests/offset-checks.ts'
import type { Completions, CompletionsQuery } from './requests/queries.ts'
import { createSharedReads } from './rows/shared-reads.ts'

type Parts = Pick<ReadingParts, 'store' | 'end' | 'limits' | 'clock'>

const rowsMax = 200
const rangesMax = 16
const bytesMax = 1024 * 1024

type Found = Awaited<ReturnType<Store['completions']['range']>>

export function createCompletions(parts: Parts): Completions {
  const { store, end } = parts
  const checkpoints = createCheckpointSource(parts)
  const shared = createSharedReads<Found>(rangesMax, ({ rows, hasMore }) => !hasMore && bytesOf(rows) <= bytesMax)

  async function* read({ userId, parties }: CompletionsQuery, after: bigint, upTo: bigint, reader: Reader) {
    const { account, signal, elementsMax } = reader
    const wanted = new Set(parties)
    const check = (from: bigint) => {
      const words = `Command completions request from ${after + 1n} to ${upTo} overlaps with`
      checkNotPruned(from, end.prunedUpTo(), words)
    }
    check(after)
    let reached = after
    let limit = Math.max(1, Math.min(rowsMax, elementsMax))
    for (;;) {
      const key = `${reached}:${upTo}:${limit}:${userId ?? ''}`
      const range = { after: reached, upTo, limit }
      const { rows, last, hasMore } = await shared(key, () => store.completions.range(userId, range))
      check(reached)
      const bytes = bytesOf(rows)
      await account.take(bytes, signal)
      try {
        if (signal.aborted) return
        yield rows.flatMap((row) => placedFor(row, wanted))
      } finally {
        account.give(bytes)
      }
      if (!hasMore) return
      reached = last!
      limit = Math.min(rowsMax, 2 * limit) // They may all be of others.
      await nextTurn()
    }
  }

  return {
    async *stream(query, signal, hints = {}) {
      const reader = readerOf(signal, hints)
      const { userId, parties, beginExclusive } = query
      if (userId !== undefined) checkUserId(userId)
      for (const party of parties) {
        const problem = partyProblem(party)
        if (problem !== undefined) throw invalidArgument(problem)
      }
      checkNonNegative(beginExclusive, 'begin_exclusive')
      checkNotAfterEnd(beginExclusive, (await end.latest(beginExclusive)).offset, 'Begin')
      if (userId !== undefined && parties.length === 0) throw missingField('parties')
      yield* tail(
        parts,
        {
          beginExclusive,
          checkpoints,
          read: (after, upTo) => read(query, after, upTo, reader),
          checkpointElement: (checkpoint) =>
            `{"completionResponse":{"OffsetCheckpoint":${checkpointJson(checkpoint)}}}`,
          onWaiting: hints.onWaiting,
        },
        signal,
      )
    },
  }
}

function bytesOf(rows: readonly CompletionRecord[]): number {
  return rows.reduce((sum, { head, tail }) => sum + head.length + tail.length, 0)
}

function checkUserId(userId: string): void {
  if (userId === '') throw missingField('user_id')
  const problem = userIdProblem(userId)
  if (problem !== undefined) throw invalidField('user_id', problem)
}

/** A reader sees only those acting parties that it asked for. */
function placedFor({ offset, actAs, head, tail }: CompletionRecord, wanted: ReadonlySet<string>): Placed[] {
  const shown = wanted.size === 0 ? actAs : actAs.filter((party) => wanted.has(party))
  if (shown.length === 0 && wanted.size > 0) return []
  const value = `${head}${JSON.stringify(shown)}${tail}`
  return [{ offset, element: `{"completionResponse":{"Completion":{"value":${value}}}}` }]
}
