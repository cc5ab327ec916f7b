// What Canton tells about a submission in its refusals: the id of the submission, and for those that interpretation
// raises the commands, as its log shows them (`Commands to LoggingValue`).
import { codesFoundByNode, type ErrorDetails, LedgerError, type RefusedChange } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import { setOrder } from '../../base/scala-order.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Deduplication } from '../commit/commit-item.ts'
import { changeIdOf } from '../commit/ids.ts'
import type { Commands } from '../model/commands.ts'
import { durationText } from '../model/duration-text.ts'

type Submission = Pick<Commands, 'workflowId' | 'userId' | 'commandId' | 'submissionId' | 'actAs' | 'readAs'>

type Circumstances = {
  readonly submission: Submission
  /** Undefined if the submission is not valid. */
  readonly deduplication: Deduplication | undefined
  /** Microseconds since 1970. */
  readonly submittedAt: bigint
}

/** The error as the client sees it. */
export function submissionRefusal(error: unknown, circumstances: Circumstances): unknown {
  if (!(error instanceof LedgerError)) return error
  const { details } = error
  if (details.foundBy === 'node' && details.overGrpc !== undefined) {
    const overGrpc = submissionRefusal(details.overGrpc, circumstances) as LedgerError
    return new LedgerError(error.code, error.message, { ...details, overGrpc })
  }
  if (details.early || details.foundBy === 'node' || codesFoundByNode.has(error.code)) return error
  const { submission, deduplication } = circumstances
  const isInterpreted = details.foundBy === 'interpretation' && deduplication !== undefined
  return new LedgerError(error.code, error.message, {
    ...details,
    correlationId: shorten(submission.submissionId),
    // The first submission of the same command may have archived the contract.
    ...(error.code === 'CONTRACT_NOT_FOUND' && isInterpreted && { change: changeOf(circumstances, deduplication) }),
    ...(isInterpreted && { context: { ...details.context, commands: commandsText(circumstances, deduplication) } }),
  })
}

function changeOf({ submission, submittedAt }: Circumstances, deduplication: Deduplication): RefusedChange {
  const { userId, commandId, actAs } = submission
  return {
    id: changeIdOf({ userId, commandId, actAs: [...new Set(actAs)] }),
    afterOffset: deduplication.kind === 'offset' ? deduplication.offset : 0n,
    notBefore: deduplication.kind === 'duration' ? submittedAt - deduplication.micros : 0n,
  }
}

/** Nothing is submitted yet: there is no submission id, and no deduplication. */
export function preparationRefusal(error: unknown, submission: Submission, submittedAt: bigint): unknown {
  if (!(error instanceof LedgerError) || error.details.foundBy !== 'interpretation') return error
  const commands = commandsText({ submission, deduplication: undefined, submittedAt }, { kind: 'duration', micros: 0n })
  return new LedgerError(error.code, error.message, {
    ...error.details,
    context: { ...error.details.context, commands },
  })
}

/** Of a second client that waits for a submission: Canton's log context of the request. */
export function repeatedWait({ submissionId, commandId, actAs, readAs }: Submission): ErrorDetails {
  return {
    foundBy: 'request',
    correlationId: submissionId,
    context: {
      submissionId: `'${submissionId}'`,
      commandId: `'${commandId}'`,
      actAs: listText(actAs),
      readAs: listText(readAs),
    },
  }
}

/** In the order of Canton's hash map, which is the same for all commands. */
function commandsText({ submission, submittedAt }: Circumstances, deduplication: Deduplication): string {
  const acting = setOrder(submission.actAs)
  const reading = setOrder(submission.readAs).filter((party) => !acting.includes(party))
  const period =
    deduplication.kind === 'duration'
      ? `duration: '${durationText(deduplication.micros)}'`
      : `offset: ${deduplication.offset === 0n ? '' : deduplication.offset}`
  const fields = [
    `readAs: ${listText(reading)}`,
    `deduplicationPeriod: {${period}}`,
    `submittedAt: '${instantToText(submittedAt)}'`,
    `submissionId: ${optionText(submission.submissionId)}`,
    `actAs: ${listText(acting)}`,
    `commandId: '${submission.commandId}'`,
    `userId: '${submission.userId}'`,
    `workflowId: ${optionText(submission.workflowId)}`,
  ]
  return `{${fields.join(', ')}}`
}

function optionText(name: string): string {
  return name === '' ? '' : `'${name}'`
}

function listText(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(', ')}]`
}
