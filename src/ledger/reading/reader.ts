// A reader, as far as reading must know: when to stop, how many elements it takes, and which account pays for memory.
import { type ByteAccount, freeAccount } from '../../base/byte-budget.ts'

/** The bytes read for a reader at a time, unless a single update or contract is larger. */
export const batchBytesMax = 512 * 1024

/** The bytes that a reader may hold without taking them from the shared budget. */
export const freeBytes = batchBytesMax

export type ReadHints = {
  /** The reader takes at most this many elements. */
  readonly elementsMax?: number | undefined
  readonly account?: ByteAccount | undefined
  /** Called each time an endless stream has read all there is and waits. */
  readonly onWaiting?: (() => void) | undefined
}

export type Reader = {
  readonly signal: AbortSignal
  readonly elementsMax: number
  readonly account: ByteAccount
}

export function readerOf(signal: AbortSignal, { elementsMax = Infinity, account = freeAccount }: ReadHints): Reader {
  return { signal, elementsMax, account }
}

/** A lookup: when it is aborted, and the account that pays for a large result until it is sent. */
export type OnAccount = Pick<Reader, 'signal' | 'account'>

/** Waits for memory if the result is large. Most are not, and cost nothing here. */
export async function takeLarge(bytes: bigint, asking: OnAccount | undefined): Promise<void> {
  if (asking === undefined || bytes <= freeBytes) return
  await asking.account.take(Number(bytes), asking.signal)
  asking.signal.throwIfAborted()
}

/** A batch is in memory twice: as it was read, and as it is sent. A single large row counts once: readers are few then. */
export const copies = 2
const chargeOf = (bytes: number) => (bytes > batchBytesMax ? bytes : copies * bytes)

type Sized = { readonly bytes: bigint }

/**
 * Forgets a batch that is not needed any more. A generator that waits keeps its variables alive: a reader that waits for
 * memory would hold the batch before, which its account no longer pays for.
 */
export function forget(batch: readonly unknown[]): void {
  ;(batch as unknown[]).length = 0
}

/** Yields a batch that is good until the next one is requested. */
export function* once<T>(batch: readonly T[]): Generator<readonly T[]> {
  yield batch
  forget(batch)
}

/**
 * Splits the rows into batches, each loaded when its turn comes. The reader's account pays for a batch until the next
 * one is requested. A batch belongs to the reader, who may forget it.
 */
export async function* inBatches<S extends Sized, R>(
  rows: readonly S[],
  load: (some: readonly S[]) => readonly R[] | Promise<readonly R[]>,
  { account, signal }: Reader,
): AsyncGenerator<readonly R[]> {
  for (let from = 0; from < rows.length; ) {
    const { end, bytes } = batchFrom(from, rows)
    const waiting = account.take(chargeOf(bytes), signal)
    if (waiting !== undefined) await waiting
    try {
      if (signal.aborted) return
      const some = rows.slice(from, end)
      yield await load(some)
    } finally {
      account.give(chargeOf(bytes))
    }
    from = end
  }
}

function batchFrom(from: number, rows: readonly Sized[]): { end: number; bytes: number } {
  let end = from + 1
  let bytes = Number(rows[from]!.bytes)
  while (end < rows.length) {
    const more = bytes + Number(rows[end]!.bytes)
    if (more > batchBytesMax) break
    bytes = more
    end += 1
  }
  return { end, bytes }
}

/** How many rows to read next: about a batch, if they are as large as the last ones. */
export function nextCount(rows: readonly Sized[], least: number, most: number): number {
  if (rows.length === 0) return most
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
  return Math.max(least, Math.min(most, Math.floor((batchBytesMax * rows.length) / Math.max(1, bytes))))
}
