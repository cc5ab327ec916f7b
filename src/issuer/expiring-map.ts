// A map whose entries expire and whose number is limited; the oldest are dropped first.
import type { Clock } from '../base/clock.ts'

export type ExpiringMap<T> = {
  get(key: string): T | undefined
  /** A present entry lives on from now. */
  set(key: string, value: T): void
  delete(key: string): void
}

export function createExpiringMap<T>(clock: Clock, entriesMax: number, lifetimeMs: number): ExpiringMap<T> {
  const entries = new Map<string, { readonly value: T; readonly untilMs: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined || clock.elapsedMs() < entry.untilMs) return entry?.value
      entries.delete(key)
      return undefined
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, { value, untilMs: clock.elapsedMs() + lifetimeMs })
      if (entries.size > entriesMax) entries.delete(entries.keys().next().value!)
    },
    delete: (key) => void entries.delete(key),
  }
}
