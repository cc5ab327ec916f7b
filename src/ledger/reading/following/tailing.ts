// An endless stream: existing elements, then new ones, with checkpoints in between.

import { idleCheckpointMs } from '../../../base/limits.ts'
import type { End } from '../../model/ledger-end.ts'
import { once } from '../reader.ts'
import {
  type CheckpointParts,
  type CheckpointSource,
  createStreamCheckpoints,
  type StreamCheckpoints,
} from './checkpoints.ts'

export type Placed<E = string> = { readonly offset: bigint; readonly element: E }

export type Tail<E = string> = {
  readonly beginExclusive: bigint
  readonly checkpoints: CheckpointSource
  /** Elements after `after` up to and including `upTo`, in order. */
  read(after: bigint, upTo: bigint): AsyncIterable<readonly Placed<E>[]>
  checkpointElement(checkpoint: End): string
  /** Called each time all there is has been read. */
  readonly onWaiting: (() => void) | undefined
}

/** Time before the first offset checkpoint. */
export const firstCheckpointMs = 500

export async function* tail<E>(
  parts: CheckpointParts,
  request: Tail<E>,
  signal: AbortSignal,
): AsyncGenerator<readonly (E | string)[]> {
  const { end, limits, clock } = parts
  const { beginExclusive, read, checkpointElement } = request
  const checkpoints = createStreamCheckpoints(request.checkpoints, beginExclusive)
  const optional = (checkpoint: End | undefined) => (checkpoint === undefined ? [] : [checkpointElement(checkpoint)])
  let after = beginExclusive
  let timeOutMs = clock.elapsedMs() + firstCheckpointMs
  let isFirst = true
  while (!signal.aborted) {
    const upTo = end.current().offset
    if (upTo > after) {
      const late = optional(checkpoints.rangeBegins(after + 1n))
      if (late.length > 0) yield late
      for await (const placed of read(after, upTo)) {
        if (signal.aborted) return
        if (placed.length > 0) yield* once(withCheckpoints(placed, checkpoints, optional))
      }
      const last = optional(checkpoints.rangeEnds(upTo))
      if (last.length > 0) yield last
      after = upTo
      if (!isFirst) timeOutMs = clock.elapsedMs() + idleCheckpointMs(limits)
      continue
    }
    request.onWaiting?.()
    await movedOrTime(parts, after, timeOutMs, signal)
    if (signal.aborted || end.current().offset > after) continue
    isFirst = false
    const idle = optional(checkpoints.timeOut())
    timeOutMs = clock.elapsedMs() + idleCheckpointMs(limits)
    if (idle.length > 0) yield idle
  }
}

function withCheckpoints<E>(
  placed: readonly Placed<E>[],
  checkpoints: StreamCheckpoints,
  optional: (checkpoint: End | undefined) => string[],
): (E | string)[] {
  return placed.flatMap(({ offset, element }) => [...optional(checkpoints.beforeElement(offset)), element])
}

/** Settles when the ledger end moves, at `atMs`, or when the reader disconnects. */
async function movedOrTime(
  { end, clock }: CheckpointParts,
  after: bigint,
  atMs: number,
  signal: AbortSignal,
): Promise<void> {
  const waiting = new AbortController()
  const stop = () => waiting.abort()
  signal.addEventListener('abort', stop, { once: true })
  const timer = clock.after(Math.max(0, atMs - clock.elapsedMs()), stop)
  await end.moved(after, waiting.signal)
  timer.cancel()
  signal.removeEventListener('abort', stop)
}
