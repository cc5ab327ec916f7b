// What a transaction has learned about time: it would be the same at any ledger time within its bounds.
import { type Int64, int64 } from '../../lf/values/values.ts'
import type { TimeBounds } from './nodes.ts'

export const minTime: Int64 = -62135596800000000n
export const maxTime: Int64 = 253402300799999999n

/** 0001-01-01 to the end of 9999. */
export const allTime: TimeBounds = { min: minTime, max: maxTime }

export function exactly(now: Int64): TimeBounds {
  return { min: now, max: now }
}

/** The bounds after code saw whether `now` is before `time`. */
export function narrowed(bounds: TimeBounds, now: Int64, time: Int64): TimeBounds {
  if (now < time) {
    const before = int64(BigInt(time) - 1n)
    return before < bounds.max ? { min: bounds.min, max: before } : bounds
  }
  return time > bounds.min ? { min: time, max: bounds.max } : bounds
}
