// How long to wait before something is tried again: longer with each failure, and not for all at the same moment.

const firstMs = 100
const longestMs = 3_000

/** After so many failures, counted from 1: between half of the step and all of it. */
export function backoffMs(failures: number): number {
  const step = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 16))
  return Math.round(step * (0.5 + Math.random() / 2))
}
