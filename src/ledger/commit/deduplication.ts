// Command deduplication: was the change accepted before, within the period that its submission names? Mirrors Canton's
// CommandDeduplicator: only accepted submissions count, so a rejected command can be retried.
import { LedgerError } from '../../base/errors.ts'
import type { AcceptedChange, LedgerState } from '../../store/core/ledger-records.ts'
import type { Records } from '../../store/core/store.ts'
import { physicalId } from '../model/synchronizers.ts'
import type { InterpretedCommand } from './commit-item.ts'
import { changeText } from './ids.ts'
import { alreadyExecuted, signedChangeOf } from './signed-transactions.ts'

export type Duplicates = {
  last(submission: InterpretedCommand): AcceptedChange | undefined
  /** The acceptance of the same signed transaction, under whatever command. */
  executed(submission: InterpretedCommand): AcceptedChange | undefined
  accept(submission: InterpretedCommand, offset: bigint, publishedAt: bigint): void
}

/** The change ids to record when a submission is accepted. */
export function changesOf({ changeId, signed }: InterpretedCommand): readonly Uint8Array[] {
  return signed === undefined ? [changeId] : [changeId, signedChangeOf(signed)]
}

type Setting = { readonly before: LedgerState; readonly publishedAt: bigint; readonly participantId: string }

type Checked = { readonly problem: LedgerError | undefined; readonly deduplicationOffset: bigint }

export async function duplicatesOf(batch: readonly InterpretedCommand[], records: Records): Promise<Duplicates> {
  const accepted = await records.acceptedChanges.get(batch.flatMap(changesOf))
  const byChange = new Map(accepted.map((change) => [keyOf(change.changeId), change]))
  return {
    last: ({ changeId }) => byChange.get(keyOf(changeId)),
    executed: ({ signed }) => (signed === undefined ? undefined : byChange.get(keyOf(signedChangeOf(signed)))),
    accept(submission, offset, publishedAt) {
      const { submissionId } = submission
      for (const changeId of changesOf(submission)) {
        byChange.set(keyOf(changeId), { changeId, offset, publishedAt, submissionId })
      }
    },
  }
}

export function checkDuplicate(submission: InterpretedCommand, duplicates: Duplicates, setting: Setting): Checked {
  const last = duplicates.last(submission)
  if (last !== undefined && isWithin(last, submission, setting)) {
    return { problem: duplicate(submission, last, setting), deduplicationOffset: last.offset - 1n }
  }
  const executed = duplicates.executed(submission)
  if (executed !== undefined) {
    const problem = alreadyExecuted(submission.signed!, executed.publishedAt)
    return { problem, deduplicationOffset: setting.before.forgottenUpTo }
  }
  const problem = last === undefined ? startsTooEarly(submission, setting) : undefined
  return { problem, deduplicationOffset: last?.offset ?? setting.before.forgottenUpTo }
}

function isWithin(last: AcceptedChange, { deduplication }: InterpretedCommand, { publishedAt }: Setting): boolean {
  return deduplication.kind === 'offset'
    ? last.offset > deduplication.offset
    : last.publishedAt >= publishedAt - deduplication.micros
}

/**
 * What was forgotten may have been in the period. Accepted changes are remembered after pruning, but an offset that is pruned is
 * refused, as Canton does: clients learn from it that their offsets are old.
 */
function startsTooEarly(
  { deduplication, change }: InterpretedCommand,
  { before, publishedAt }: Setting,
): LedgerError | undefined {
  if (deduplication.kind === 'offset') {
    if (deduplication.offset >= before.prunedUpTo) return undefined
    return tooEarly('earliest_offset contains the earliest deduplication offset', {
      changeId: changeText(change),
      requestedPeriod: `DeduplicationOffset(offset = ${deduplication.offset})`,
      earliest_offset: String(before.prunedUpTo),
    })
  }
  if (before.forgottenUpTo === 0n || publishedAt - deduplication.micros > before.forgottenAt) return undefined
  return tooEarly('longest_duation contains the longest deduplication duration', {
    changeId: changeText(change),
    requestedPeriod: `DeduplicationDuration(duration = ${secondsText(deduplication.micros)})`,
    longest_duration: secondsText(publishedAt - before.forgottenAt),
  })
}

function tooEarly(field: string, context: Record<string, string>): LedgerError {
  return new LedgerError(
    'INVALID_DEDUPLICATION_PERIOD',
    `Deduplication period starts too early. The error metadata field ${field} currently allowed.`,
    { context: { ...context, definite_answer: 'true' } },
  )
}

function duplicate(
  { change, synchronizer }: InterpretedCommand,
  { offset, submissionId }: AcceptedChange,
  { participantId }: Setting,
): LedgerError {
  return new LedgerError('DUPLICATE_COMMAND', 'Command submission already exists.', {
    context: {
      participant: participantId.split('::')[0]!,
      changeId: changeText(change),
      completion_offset: String(offset),
      accepted: 'true',
      psid: physicalId(synchronizer),
      existingSubmissionId: `Some(${submissionId})`,
      definite_answer: 'true',
    },
  })
}

/** In the format of java.time.Duration. */
function secondsText(micros: bigint): string {
  return `PT${Number(micros) / 1_000_000}S`
}

function keyOf(changeId: Uint8Array): string {
  return Buffer.from(changeId.buffer, changeId.byteOffset, changeId.length).toString('latin1')
}
