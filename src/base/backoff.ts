// Delays between attempts: growing with each failure, with jitter so that clients do not retry at the same moment.

const firstMs = 100
const longestMs = 3_000

/** `failures` counts from 1. The delay is between half of the step and all of it. */
export function backoffMs(failures: number): number {
  const step = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 16))
  return Math.round(step * (0.5 + Math.random() / 2))
}
