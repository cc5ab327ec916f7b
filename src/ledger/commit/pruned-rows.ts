// Deletes pruned rows in short steps: updates and completions by offset, the contracts archived by then, complete
// reassignments, and accepted changes that no submission can refer to any more. Every step is its own transaction, so
// deletion can stop anywhere and resume at the next start.
import type { Clock } from '../../base/clock.ts'
import { createPace } from '../../base/pace.ts'
import type { Limits } from '../../base/settings.ts'
import { metaFromText, type Outlines, partiesOf, type StoredUpdate } from '../../events/format/stored-update.ts'
import type { AcceptedChange, OffsetRange } from '../../store/core/ledger-records.ts'
import type { Records, Store } from '../../store/core/store.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Names } from '../model/name-numbers.ts'

export type PrunedRows = {
  /** The offset up to which all rows are deleted, at most `upTo`. */
  deletedUpTo(upTo: bigint): Promise<bigint>
  /** Deletes the rows of a few offsets; returns the offset up to which nothing is left. */
  deleteSome(after: bigint, upTo: bigint): Promise<bigint>
  /** Deletes some accepted changes up to an offset; returns where the next step begins, undefined after the last. */
  forgetSome(after: Uint8Array, upTo: bigint): Promise<Uint8Array | undefined>
}

type Parts = {
  readonly store: Store
  readonly names: Names
  readonly time: LedgerTime
  readonly limits: Limits
  readonly clock: Clock
}

type KnownUpdate = { readonly offset: bigint; readonly meta: StoredUpdate }

const offsetsPerStepMax = 500
const changesPerStepMax = 2_000
/** Where nobody waits for a step, only its transaction has to stay short. */
const stepMsBeside = 1_000

export function createPrunedRows({ store, names, time, limits, clock }: Parts): PrunedRows {
  const offsets = createPace(clock, offsetsPerStepMax, store.isBesideAlone ? undefined : stepMsBeside)
  const changes = createPace(clock, changesPerStepMax)
  /** How far the last step went. */
  let last: { readonly offset: bigint; readonly contract: bigint } | undefined

  async function partiesIn(updates: readonly KnownUpdate[], records: Records): Promise<bigint[]> {
    const parties = new Set(updates.flatMap(({ meta }) => partiesOf(meta)))
    return [...(await names.numbers([...parties], records.names)).values()]
  }

  return {
    async deletedUpTo(upTo) {
      const oldest = [await store.updates.first(), await store.completions.first()]
      return oldest.reduce<bigint>((least, first) => (first !== undefined && first <= least ? first - 1n : least), upTo)
    },

    async deleteSome(after, upTo) {
      const before = last?.offset === after ? last.contract : undefined
      // Nobody reads these rows any more, and deleting them twice harms nothing.
      last = await store.beside((records) =>
        offsets.step(async (count) => {
          const offset = after + BigInt(count) < upTo ? after + BigInt(count) : upTo
          const range = { after, upTo: offset, limit: count }
          const updates = await updatesIn(range, records)
          const contract = await records.contracts.prune(range, before)
          await records.updates.prune(range, await partiesIn(updates, records))
          await records.reassignments.prune(updates.flatMap(({ meta }) => completedBy(meta) ?? []))
          await records.completions.prune(range)
          return { offset, contract }
        }),
      )
      return last.offset
    },

    forgetSome(after, upTo) {
      // Deduplication periods may be this long, so accepted changes are kept that long.
      const before = time.now() - BigInt(limits.deduplicationDurationMaxMs) * 1000n
      const isForgotten = ({ offset, publishedAt }: AcceptedChange) => offset <= upTo && publishedAt < before
      return store.transaction((records) =>
        changes.step(async (count) => {
          const { forgotten, last } = await records.acceptedChanges.prune(after, count, isForgotten)
          if (forgotten.length > 0) await rememberForgotten(forgotten, records)
          return last
        }),
      )
    },
  }
}

async function rememberForgotten(forgotten: readonly AcceptedChange[], records: Records): Promise<void> {
  const state = await records.state.get()
  const [forgottenUpTo, forgottenAt] = forgotten.reduce(
    ([offset, at], change) => [max(offset, change.offset), max(at, change.publishedAt)],
    [state.forgottenUpTo, state.forgottenAt],
  )
  await records.state.put({ ...state, forgottenUpTo, forgottenAt })
}

async function updatesIn(range: OffsetRange, records: Records): Promise<KnownUpdate[]> {
  const outlines: Outlines = new Map()
  const metas = await records.updates.metas(range)
  return metas.map(({ offset, meta }) => ({ offset, meta: metaFromText(meta, outlines) }))
}

/** The reassignment that the update completed. */
function completedBy(update: StoredUpdate): string | undefined {
  return update.kind === 'reassignment' && update.direction === 'assignment' ? update.reassignmentId : undefined
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
