// A completion as it is stored: its JSON in two pieces, with a gap for the acting parties. A reader sees only those it
// asked for.
import { instantToText } from '../../lf/codec/time-text.ts'
import type { CompletionRecord } from '../../store/store.ts'
import { errorStatus, okStatus } from '../error-status.ts'
import type { CommitItem, Decision } from './commit-item.ts'

export async function completionOf(
  item: CommitItem,
  decision: Decision,
  recordTime: bigint,
): Promise<CompletionRecord> {
  const { userId, commandId, submissionId, traceContext, synchronizer } = item
  const { offset, deduplicationOffset } = decision
  const time = `"${instantToText(recordTime)}"`
  return {
    offset,
    userId,
    actAs: item.kind === 'transaction' ? item.actAs : [item.submitter],
    head:
      `{"commandId":${JSON.stringify(commandId)},"status":${await statusOf(item, decision)},` +
      `"updateId":"${decision.kind === 'accepted' ? decision.updateId : ''}","userId":${JSON.stringify(userId)},"actAs":`,
    tail:
      `,"submissionId":${JSON.stringify(submissionId)},` +
      `"deduplicationPeriod":${periodOf(deduplicationOffset)},` +
      `"traceContext":${JSON.stringify(traceContext)},"offset":${offset},` +
      `"synchronizerTime":{"synchronizerId":"${synchronizer.id}","recordTime":${time}},"paidTrafficCost":0}`,
  }
}

function periodOf(offset: bigint | undefined): string {
  return offset === undefined ? '{"Empty":{}}' : `{"DeduplicationOffset":{"value":${offset}}}`
}

function statusOf({ traceContext }: CommitItem, decision: Decision): string | Promise<string> {
  if (decision.kind === 'accepted') return okStatus
  const traceId = decision.isVerdict ? undefined : traceContext?.traceparent.split('-')[1]
  return errorStatus(decision.error, traceId)
}
