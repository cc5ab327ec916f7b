// The first step: commands become a transaction and the hash that its parties must sign. Validation and interpretation
// are those of every submission; nothing is recorded.
import { invalidArgument, invalidField, LedgerError } from '../../base/errors.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import { reconsidered, type SecondLook } from '../../base/second-look.ts'
import type { Limits } from '../../base/settings.ts'
import { failedToPrepare } from '../../engine/requests/unpreparable.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { OutcomeListener } from '../commit/outcome.ts'
import { signingAlgorithms } from '../keys/signatures.ts'
import type { SubmissionContext } from '../model/commands.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { restsOnMemory } from '../model/remembered.ts'
import { earliestTime, latestTime, validateCommands } from '../submission/command-validation.ts'
import type { Interpretation } from '../submission/interpretation.ts'
import { preparationRefusal } from '../submission/submission-refusal.ts'
import type { InteractiveSubmissions, PreparedSubmission, PrepareRequest } from './interactive-requests.ts'
import { validateScheme } from './interactive-requests.ts'

type Parts = {
  readonly interpretation: Interpretation
  readonly time: LedgerTime
  readonly limits: Limits
  readonly random: Random
  /** Undefined if the ledger is this node's alone. */
  readonly secondLook?: SecondLook | undefined
  readonly listener?: Pick<OutcomeListener<PrepareRequest>, 'refused'> | undefined
}

/** There is one mediator, so one mediator group. */
const mediatorGroup = 0

const noDetails = 'Verbose hashing is disabled on this participant. Contact the node administrator for more details.'

export function createPreparation(parts: Parts): InteractiveSubmissions['prepare'] {
  const { interpretation, time, limits, random } = parts

  async function prepare(request: PrepareRequest, context: SubmissionContext): Promise<PreparedSubmission> {
    const { maxRecordTime, expectedSignatures, hashingSchemeVersion, verboseHashing, ...commandFields } = request
    const unused = { workflowId: '', submissionId: '', deduplicationPeriod: undefined }
    const preparedAt = time.now()
    const commands = validateCommands({ ...commandFields, ...unused }, { limits, now: preparedAt })
    checkRecordTime(maxRecordTime)
    checkSignatureKinds(expectedSignatures ?? [])
    const scheme = validateScheme(hashingSchemeVersion)
    const signing = {
      commandId: commands.commandId,
      mediatorGroup,
      transactionUuid: randomUuid(random),
      maxRecordTime: maxRecordTime?.toString(),
      scheme,
    }
    const refused = (error: unknown) => preparationRefusal(error, { ...commandFields, ...unused }, preparedAt)
    if (commands.commands.length > 1) throw refused(multipleCommands())
    const interpret = () => interpretation.interpret(commands, context, { signing })
    const { prepared } = await reconsidered(interpret, restsOnMemory, parts.secondLook).catch((error) => {
      throw refused(error)
    })
    return {
      preparedTransaction: prepared!.transaction,
      preparedTransactionHash: prepared!.hash,
      hashingSchemeVersion,
      hashingDetails: verboseHashing ? noDetails : undefined,
      estimatedAt: expectedSignatures === undefined ? undefined : time.now(),
    }
  }

  return async (request, context) => {
    try {
      return await prepare(request, context)
    } catch (error) {
      parts.listener?.refused({ request, submissionId: '' }, error, time.now())
      throw error
    }
  }
}

/** Canton finds it where it would interpret them. */
function multipleCommands(): LedgerError {
  const { code, message } = failedToPrepare('Preparing multiple commands is currently not supported')
  return new LedgerError(code, message, { foundBy: 'interpretation' })
}

function checkRecordTime(time: bigint | undefined): void {
  if (time === undefined || (time >= earliestTime && time <= latestTime)) return
  throw invalidArgument(`Can not represent ledger time ${instantToText(time)} as a Daml timestamp`)
}

function checkSignatureKinds(specs: NonNullable<PrepareRequest['expectedSignatures']>): void {
  const unknown = specs.find((spec) => !Object.hasOwn(signingAlgorithms, spec))
  if (unknown === undefined) return
  throw invalidField('estimate_traffic_cost', `Signing algorithm spec ${unknown} not supported`)
}
