// Completions as they are stored: JSON in two packed pieces (packed-text.ts), with a gap for the acting parties, because a
// reader sees only those that it asked for. Mirrors Canton's Completion.
import { noWords, type Phrases } from './packed-text.ts'
import type { TraceContext } from './stored-update.ts'
import { Unpacker } from './unpacking.ts'

/** Packed texts are stored, so a phrase keeps its code for ever. */
const phrases = {
  commandId: ['\u0001', '{"commandId":'],
  ok: ['\u0002', ',"status":{"code":0,"message":"","details":[]},"updateId":"'],
  userId: ['\u0003', '","userId":'],
  actAs: ['\u0004', ',"actAs":'],
  submissionId: ['\u0005', ',"submissionId":'],
  period: ['\u0006', ',"deduplicationPeriod":{"DeduplicationOffset":{"value":'],
  untraced: ['\u0007', '}},"traceContext":null,"offset":'],
  synchronizer: ['\u0008', ',"synchronizerTime":{"synchronizerId":"'],
  recordTime: ['\u000b', '","recordTime":"'],
  end: ['\u000c', '"},"paidTrafficCost":0}'],
  traced: ['\u000e', '}},"traceContext":{"traceparent":'],
  withoutState: ['\u000f', ',"tracestate":null},"offset":'],
} as const satisfies Phrases

const completions = new Unpacker(phrases)

/** Only the completion of an accepted command has this code. */
export const acceptedCode = phrases.ok[0]

export type CompletionFacts = {
  readonly offset: bigint
  readonly userId: string
  readonly commandId: string
  readonly submissionId: string
  /** The update of an accepted command, or the JSON of the status of a rejected one. */
  readonly outcome: { readonly updateId: string } | { readonly status: string }
  readonly deduplicationOffset: bigint | undefined
  readonly traceContext: TraceContext | null
  readonly synchronizerId: string
  /** In the format of the API. */
  readonly recordTime: string
}

/** The JSON before the acting parties, and the JSON after them. */
export type CompletionPieces = { readonly head: string; readonly tail: string }

export function completionPieces(facts: CompletionFacts): CompletionPieces {
  const { offset, userId, commandId, submissionId, outcome, synchronizerId, recordTime } = facts
  const result =
    'updateId' in outcome ? `${phrases.ok[0]}${outcome.updateId}` : `,"status":${outcome.status},"updateId":"`
  return {
    head:
      `${noWords}${phrases.commandId[0]}${JSON.stringify(commandId)}${result}` +
      `${phrases.userId[0]}${JSON.stringify(userId)}${phrases.actAs[0]}`,
    tail:
      `${noWords}${phrases.submissionId[0]}${JSON.stringify(submissionId)}${periodAndTrace(facts)}${offset}` +
      `${phrases.synchronizer[0]}${synchronizerId}${phrases.recordTime[0]}${recordTime}${phrases.end[0]}`,
  }
}

/** The usual ones are phrases. */
function periodAndTrace({ deduplicationOffset: start, traceContext }: CompletionFacts): string {
  if (start !== undefined && traceContext === null) return `${phrases.period[0]}${start}${phrases.untraced[0]}`
  if (start !== undefined && traceContext?.tracestate === null) {
    const { traceparent } = traceContext
    return `${phrases.period[0]}${start}${phrases.traced[0]}${JSON.stringify(traceparent)}${phrases.withoutState[0]}`
  }
  const period = start === undefined ? '{"Empty":{}}' : `{"DeduplicationOffset":{"value":${start}}}`
  return `,"deduplicationPeriod":${period},"traceContext":${JSON.stringify(traceContext)},"offset":`
}

/** One of the pieces as JSON. */
export function unpackCompletion(packed: string): string {
  return completions.unpackText(packed)
}
