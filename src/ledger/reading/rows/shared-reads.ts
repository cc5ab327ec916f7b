// Streams that follow the ledger wake together and read the same rows: the first asks the database, all get what it got.
// So a commit costs one read, however many are listening.
import type { CacheCounting } from '../../../base/metrics.ts'

export type SharedReads<T> = (key: string, load: () => Promise<T>) => Promise<T>

/** Of what `isSmall` says is worth it, the last few are kept for those who come a little later. */
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
