// A cache of loaded values, limited by time and number of entries; the oldest entry is evicted.
import type { Clock } from './clock.ts'
import type { CacheCounting } from './metrics.ts'

export type Cache<T> = {
  get(key: string, load: () => Promise<T>): T | Promise<T>
  delete(key: string): void
  clear(): void
}

export function createCache<T>(
  clock: Clock,
  entriesMax: number,
  lifetimeMs: number,
  counting?: CacheCounting,
): Cache<T> {
  const entries = new Map<string, { value: T; untilMs: number }>()
  const counts = counting?.({ entries: () => entries.size })
  let generation = 0 // A load that began before a delete must not store the old value.
  return {
    get(key, load) {
      const entry = entries.get(key)
      const isKnown = entry !== undefined && clock.elapsedMs() < entry.untilMs
      if (counts !== undefined) counts[isKnown ? 'hits' : 'misses'] += 1
      if (isKnown) return entry.value
      const started = generation
      return load().then((value) => {
        if (started === generation) {
          entries.delete(key)
          entries.set(key, { value, untilMs: clock.elapsedMs() + lifetimeMs })
          if (entries.size > entriesMax) entries.delete(entries.keys().next().value!)
        }
        return value
      })
    },
    delete(key) {
      generation += 1
      entries.delete(key)
    },
    clear() {
      generation += 1
      entries.clear()
    },
  }
}
