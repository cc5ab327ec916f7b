// Offset checkpoints: from time to time an endless stream says how far the ledger has come, so that its reader can
// resume from there even without updates of its own. Times and places mirror Canton's
// IndexServiceImpl.injectCheckpoints.
import type { Clock } from '../../../base/clock.ts'
import type { Limits } from '../../../base/settings.ts'
import { instantToText } from '../../../lf/codec/time-text.ts'
import type { End, LedgerEnd } from '../../model/ledger-end.ts'

/** The checkpoint that all streams share, renewed at most every `offsetCheckpointMs`. */
export type CheckpointSource = () => End | undefined

export type CheckpointParts = { readonly end: LedgerEnd; readonly limits: Limits; readonly clock: Clock }

export function createCheckpointSource({ end, limits, clock }: CheckpointParts): CheckpointSource {
  let latest: End | undefined
  let renewedMs = clock.elapsedMs()
  return () => {
    const nowMs = clock.elapsedMs()
    if (nowMs - renewedMs >= limits.offsetCheckpointMs && end.current().offset > 0n) {
      latest = end.current()
      renewedMs = nowMs
    }
    return latest
  }
}

/** The checkpoints of one stream: each method returns the one to send. */
export type StreamCheckpoints = {
  rangeBegins(startInclusive: bigint): End | undefined
  beforeElement(offset: bigint): End | undefined
  rangeEnds(endInclusive: bigint): End | undefined
  timeOut(): End | undefined
}

export function createStreamCheckpoints(source: CheckpointSource, beginExclusive: bigint): StreamCheckpoints {
  let pending: End | undefined
  let sent: End | undefined
  /** The stream's offset between ranges; undefined inside one. */
  let restingAt: bigint | undefined = beginExclusive

  function send(checkpoint: End): End {
    sent = checkpoint
    if (pending === checkpoint) pending = undefined
    return checkpoint
  }

  return {
    rangeBegins(startInclusive) {
      restingAt = undefined
      const checkpoint = source()
      pending = checkpoint !== undefined && checkpoint.offset >= startInclusive ? checkpoint : undefined
      // Late: the previous range was sent without it.
      const isLate = checkpoint !== undefined && checkpoint.offset === startInclusive - 1n && checkpoint !== sent
      return isLate ? send(checkpoint) : undefined
    },
    beforeElement: (offset) => (pending !== undefined && pending.offset < offset ? send(pending) : undefined),
    rangeEnds(endInclusive) {
      restingAt = endInclusive
      return pending !== undefined && pending.offset <= endInclusive ? send(pending) : undefined
    },
    timeOut() {
      const checkpoint = source()
      if (checkpoint === undefined || checkpoint.offset !== restingAt) return undefined
      return sent === undefined || sent.offset < checkpoint.offset ? send(checkpoint) : undefined
    },
  }
}

/** The value of `OffsetCheckpoint`. */
export function checkpointJson({ offset, synchronizerTimes }: End): string {
  const times = synchronizerTimes.map(
    ({ synchronizerId, recordTime }) =>
      `{"synchronizerId":"${synchronizerId}","recordTime":"${instantToText(recordTime)}"}`,
  )
  return `{"value":{"offset":${offset},"synchronizerTimes":[${times.join()}]}}`
}
