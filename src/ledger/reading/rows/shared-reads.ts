// Streams that follow the ledger wake together and read the same rows: the first queries the database, and all share
// the result. So a commit costs one read, however many streams listen.
import type { CacheCounting } from '../../../base/metrics.ts'

export type SharedReads<T> = (key: string, load: () => Promise<T>) => Promise<T>

/** The last few small results are cached for streams that come a little later. */
export function createSharedReads<T>(
  entriesMax: number,
  isSmall: (value: T) => boolean,
  counting?: CacheCounting,
): SharedReads<T> {
  const reads = new Map<string, Promise<T>>()
  const counts = counting?.({ entries: () => reads.size })
  return (key, load) => {
    const known = reads.get(key)
    if (counts !== undefined) counts[known === undefined ? 'misses' : 'hits'] += 1
    if (known !== undefined) return known
    const read = load()
    reads.set(key, read)
    if (reads.size > entriesMax) reads.delete(reads.keys().next().value!)
    const forget = () => {
      if (reads.get(key) === read) reads.delete(key)
    }
    read.then((value) => {
      if (!isSmall(value)) forget()
    }, forget)
    return read
  }
}
