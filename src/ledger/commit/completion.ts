// A completion as it is kept: its JSON, open only where the acting parties stand, of which a reader sees those it asked
// for.
import { instantToText } from '../../lf/codec/time-text.ts'
import type { CompletionRecord } from '../../store/store.ts'
import type { InterpretedCommand } from '../submission/interpreted-command.ts'
import type { Decision } from './commit-decision.ts'
import { acceptedStatus, rejectedStatus } from './completion-status.ts'

export async function completionOf(
  submission: InterpretedCommand,
  decision: Decision,
  recordTime: bigint,
): Promise<CompletionRecord> {
  const { userId, commandId, submissionId, actAs, traceContext, synchronizer } = submission
  const { offset, deduplicationOffset } = decision
  const time = `"${instantToText(recordTime)}"`
  return {
    offset,
    userId,
    actAs,
    head:
      `{"commandId":${JSON.stringify(commandId)},"status":${await statusOf(submission, decision)},` +
      `"updateId":"${decision.kind === 'accepted' ? decision.updateId : ''}","userId":${JSON.stringify(userId)},"actAs":`,
    tail:
      `,"submissionId":${JSON.stringify(submissionId)},` +
      `"deduplicationPeriod":{"DeduplicationOffset":{"value":${deduplicationOffset}}},` +
      `"traceContext":${JSON.stringify(traceContext)},"offset":${offset},` +
      `"synchronizerTime":{"synchronizerId":"${synchronizer.id}","recordTime":${time}},"paidTrafficCost":0}`,
  }
}

function statusOf({ traceContext }: InterpretedCommand, decision: Decision): string | Promise<string> {
  if (decision.kind === 'accepted') return acceptedStatus
  const traceId = decision.isVerdict ? undefined : traceContext?.traceparent.split('-')[1]
  return rejectedStatus(decision.error, traceId)
}
