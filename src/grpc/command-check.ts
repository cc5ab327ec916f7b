// What Canton's gRPC services check in commands before they look at packages (CommandsValidator.scala). Here the engine
// checks values, by their types and after packages are selected. So these checks are made when a submission was refused:
// if one of them fails, it is what Canton tells.
import { invalidArgument, invalidField, LedgerError, missingField } from '../base/errors.ts'
import { keptProtobufOf } from '../base/exact-json.ts'
import { nameProblem, packageIdProblem, packageReferenceProblem, shorten } from '../base/names.ts'
import { checkedValue, checkQualifiedName } from '../lf/codec/api-value/check.ts'
import { contractIdProblem } from '../lf/values/contract-ids.ts'

/** As the schema of a submission decodes them. */
type Command = {
  readonly templateId: string
  readonly createArguments?: unknown
  readonly contractId?: string
  readonly contractKey?: unknown
  readonly choice?: string
  readonly choiceArgument?: unknown
}

export type CheckedCommands = {
  /** Undefined if nothing is submitted yet. */
  readonly submissionId?: string
  readonly commands: readonly Readonly<Record<string, Command>>[]
  readonly disclosedContracts: readonly { readonly createdEventBlob: Uint8Array }[]
  readonly packageIdSelectionPreference: readonly string[]
}

/** Refusals that Canton makes before these checks, or that do not depend on the commands. */
const before: ReadonlySet<string> = new Set([
  ...['MISSING_FIELD', 'INVALID_FIELD', 'NEGATIVE_OFFSET', 'INVALID_TOKEN', 'UNAUTHENTICATED', 'PERMISSION_DENIED'],
  ...['SERVICE_NOT_RUNNING', 'PARTICIPANT_BACKPRESSURE', 'LEDGER_REPLACED'],
])

/** The refusal that Canton makes; the same unless a check fails. */
export function refusalOfCommands(
  refusal: unknown,
  commands: CheckedCommands | undefined,
  newSubmissionId: () => string,
): unknown {
  if (!(refusal instanceof LedgerError) || before.has(refusal.code) || commands === undefined) return refusal
  try {
    check(commands)
    return refusal
  } catch (earlier) {
    return ofSubmission(earlier, commands.submissionId, newSubmissionId)
  }
}

/** Canton names a submission before it looks at its commands. */
export function ofSubmission(error: unknown, submissionId: string | undefined, newSubmissionId: () => string): unknown {
  if (!(error instanceof LedgerError) || submissionId === undefined) return error
  const correlationId = shorten(submissionId === '' ? newSubmissionId() : submissionId)
  return new LedgerError(error.code, error.message, { ...error.details, correlationId })
}

function check({ commands, disclosedContracts, packageIdSelectionPreference }: CheckedCommands): void {
  for (const variant of commands) for (const command of Object.values(variant)) checkCommand(command)
  for (const { createdEventBlob } of disclosedContracts) {
    if (createdEventBlob.length === 0) throw missingField('DisclosedContract.createdEventBlob')
  }
  for (const id of packageIdSelectionPreference) {
    const problem = packageIdProblem(id)
    if (problem === undefined) continue
    const field = 'package_id_selection_preference'
    const wanted = `The ${field} field must contain non-empty and valid package ids`
    throw invalidArgument(`${field} parsing failed with \`${problem}\`. ${wanted}`)
  }
}

function checkCommand(command: Command): void {
  const { templateId, createArguments, contractId, contractKey, choice, choiceArgument } = command
  checkType(templateId)
  checkValue(createArguments)
  if (contractId !== undefined) {
    if (contractId === '') throw missingField('contract_id')
    const problem = contractIdProblem(contractId)
    if (problem !== undefined) throw invalidField('contract_id', problem)
  }
  checkValue(contractKey)
  if (choice === undefined) return
  if (choice === '') throw missingField('choice')
  const problem = nameProblem(choice)
  if (problem !== undefined) throw invalidField('choice', problem)
  checkValue(choiceArgument)
}

/** The package is before the first colon, the entity after the last. */
function checkType(templateId: string): void {
  const [first, last] = [templateId.indexOf(':'), templateId.lastIndexOf(':')]
  checkQualifiedName(templateId.slice(first + 1, last), templateId.slice(last + 1))
  const problem = packageReferenceProblem(templateId.slice(0, first))
  if (problem !== undefined) throw invalidField('package reference', problem)
}

function checkValue(value: unknown): void {
  const bytes = keptProtobufOf(value)
  if (bytes !== undefined) checkedValue(bytes)
}
