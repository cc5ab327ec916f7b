// A completion as it is stored: its JSON in two packed pieces (events/format/packed-text.ts), with a gap for the acting parties. A reader sees only those it
// asked for.
import { noWords, completionPhrases as phrases } from '../../events/format/packed-text.ts'
import type { TraceContext } from '../../events/format/stored-update.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { CompletionRecord } from '../../store/core/store.ts'
import { errorStatus } from '../model/error-status.ts'
import type { CommitItem, Decision } from './commit-item.ts'

/** No promise for an accepted one, because every command has one. */
export function completionOf(
  item: CommitItem,
  decision: Decision,
  recordTime: bigint,
): CompletionRecord | Promise<CompletionRecord> {
  return decision.kind === 'accepted'
    ? completionWith(`${phrases.ok[0]}${decision.updateId}`, item, decision, recordTime)
    : rejectionOf(item, decision, recordTime)
}

async function rejectionOf(
  item: CommitItem,
  decision: Extract<Decision, { kind: 'rejected' }>,
  recordTime: bigint,
): Promise<CompletionRecord> {
  const status = `,"status":${await errorOf(item, decision)},"updateId":"`
  return completionWith(status, item, decision, recordTime)
}

function completionWith(
  status: string,
  item: CommitItem,
  { offset, deduplicationOffset }: Decision,
  recordTime: bigint,
): CompletionRecord {
  const { userId, commandId, submissionId, traceContext, synchronizer } = item
  const period = periodAndTrace(deduplicationOffset, traceContext)
  return {
    offset,
    userId,
    actAs: item.kind === 'transaction' ? item.actAs : [item.submitter],
    head:
      `${noWords}${phrases.commandId[0]}${JSON.stringify(commandId)}${status}` +
      `${phrases.userId[0]}${JSON.stringify(userId)}${phrases.actAs[0]}`,
    tail:
      `${noWords}${phrases.submissionId[0]}${JSON.stringify(submissionId)}${period}${offset}` +
      `${phrases.synchronizer[0]}${synchronizer.id}${phrases.recordTime[0]}${instantToText(recordTime)}${phrases.end[0]}`,
  }
}

/** The usual ones are phrases. */
function periodAndTrace(start: bigint | undefined, traceContext: TraceContext | null): string {
  if (start !== undefined && traceContext === null) return `${phrases.period[0]}${start}${phrases.untraced[0]}`
  if (start !== undefined && traceContext?.tracestate === null) {
    const { traceparent } = traceContext
    return `${phrases.period[0]}${start}${phrases.traced[0]}${JSON.stringify(traceparent)}${phrases.withoutState[0]}`
  }
  return `,"deduplicationPeriod":${periodOf(start)},"traceContext":${JSON.stringify(traceContext)},"offset":`
}

function periodOf(offset: bigint | undefined): string {
  return offset === undefined ? '{"Empty":{}}' : `{"DeduplicationOffset":{"value":${offset}}}`
}

function errorOf(
  { traceContext }: CommitItem,
  { error }: Extract<Decision, { kind: 'rejected' }>,
): string | Promise<string> {
  const traceId = error.details.untraced ? undefined : traceContext?.traceparent.split('-')[1]
  return errorStatus(error, traceId)
}
