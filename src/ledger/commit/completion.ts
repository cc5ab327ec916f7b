// The completion of a command that was accepted or rejected.
import type { LedgerError } from '../../base/errors.ts'
import { type CompletionFacts, completionPieces, unpackCompletion } from '../../events/format/stored-completion.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { CompletionRecord } from '../../store/core/ledger-records.ts'
import type { Records } from '../../store/core/store.ts'
import { errorStatus } from '../model/error-status.ts'
import type { CommitItem, Decision } from './commit-item.ts'

/** No promise for an accepted one, because every command has one. */
export function completionOf(item: CommitItem, decision: Decision, recordTime: bigint): CompletionRecord {
  return decision.kind === 'accepted'
    ? completionWith({ updateId: decision.updateId }, item, decision, recordTime)
    : rejectionOf(item, decision, recordTime)
}

function rejectionOf(
  item: CommitItem,
  decision: Extract<Decision, { kind: 'rejected' }>,
  recordTime: bigint,
): CompletionRecord {
  return completionWith({ status: statusOf(item, decision.error) }, item, decision, recordTime)
}

export function statusOf({ traceContext }: CommitItem, error: LedgerError): string {
  return errorStatus(error, error.details.untraced ? undefined : traceContext?.traceparent.split('-')[1])
}

export function completionWith(
  outcome: CompletionFacts['outcome'],
  item: CommitItem,
  { offset, deduplicationOffset }: Pick<Decision, 'offset' | 'deduplicationOffset'>,
  recordTime: bigint,
): CompletionRecord {
  const { userId, commandId, submissionId, traceContext, synchronizer } = item
  const { head, tail } = completionPieces({
    offset,
    userId,
    commandId,
    submissionId,
    outcome,
    deduplicationOffset,
    traceContext,
    synchronizerId: synchronizer.id,
    recordTime: instantToText(recordTime),
  })
  return { offset, userId, actAs: item.kind === 'transaction' ? item.actAs : [item.submitter], head, tail }
}

/** Another completion at the same offset has another submission and record time. */
export async function isCompletionIn(
  { offset, userId, tail }: CompletionRecord,
  { completions }: Pick<Records, 'completions'>,
): Promise<boolean> {
  const { rows } = await completions.range(userId, { after: offset - 1n, upTo: offset, limit: 1 })
  return rows[0]?.tail === unpackCompletion(tail)
}
