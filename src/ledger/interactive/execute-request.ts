// Validates a request to execute before anything is looked up, and then the transaction in it. Checks, their order and
// error texts are those of Canton's SubmitRequestValidator and PreparedTransactionDecoder.
import { foundByNode, invalidArgument, invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { ledgerStringProblem, partyProblem, shorten, uniqueIdentifierProblem, userIdProblem } from '../../base/names.ts'
import { setOrder } from '../../base/scala-order.ts'
import type { Limits } from '../../base/settings.ts'
import type { HashingScheme } from '../../lf/codec/prepared-hash-input.ts'
import type { PreparedMetadata, PreparedNode, PreparedNodes } from '../../lf/codec/prepared-transaction.ts'
import type { Deduplication } from '../commit/commit-item.ts'
import type { Signature } from '../keys/signatures.ts'
import { validateSignature } from '../keys/signatures.ts'
import { deduplicationOf, earliestTime, latestTime, ledgerTimeOf } from '../submission/command-validation.ts'
import type { ExecuteRequest } from './interactive-requests.ts'
import { validateScheme } from './interactive-requests.ts'
import { inputContractProblem, nodesProblem, seedsProblem } from './node-decoding.ts'

export type ValidExecution = {
  readonly userId: string
  readonly submissionId: string
  readonly deduplication: Deduplication
  readonly signatures: ReadonlyMap<string, readonly Signature[]>
  readonly scheme: HashingScheme
  /** The requested time; it is clamped to what the transaction allows. */
  readonly ledgerTime: bigint
}

/** A transaction with all its parts present. Times are microseconds since 1970. */
export type ReadTransaction = {
  readonly nodes: PreparedNodes
  readonly metadata: PreparedMetadata
  readonly actAs: readonly string[]
  readonly commandId: string
  /** `name::fingerprint`, and the suffix of the physical synchronizer's id if there is one. */
  readonly synchronizerId: string
  readonly physicalSuffix: string | undefined
}

type Rules = { readonly limits: Limits; readonly now: bigint; readonly newSubmissionId: () => string }

export function validateExecution(request: ExecuteRequest, rules: Rules): ValidExecution {
  const { userId, prepared } = request
  if (request.submissionId !== '') {
    refuse(ledgerStringProblem(request.submissionId), (problem) => invalidField('submission_id', problem))
  }
  if (userId === '') throw missingField('user_id')
  refuse(userIdProblem(userId), (problem) => invalidField('user_id', problem))
  const deduplication = deduplicationOf(request.deduplicationPeriod, rules.limits)
  const signatures = signaturesOf(request)
  const scheme = validateScheme(request.hashingSchemeVersion)
  if (prepared.metadata === undefined) throw missingField('synchronizer_id')
  synchronizerOf(prepared.metadata.synchronizerId)
  const ledgerTime = ledgerTimeOf(request, rules.now) ?? rules.now
  return {
    userId,
    submissionId: request.submissionId === '' ? rules.newSubmissionId() : request.submissionId,
    deduplication,
    signatures,
    scheme,
    ledgerTime,
  }
}

/** Who submits it, according to the transaction itself, true or not. */
export function senderOf({ userId, prepared }: ExecuteRequest) {
  const { actAs = [], commandId = '' } = prepared.metadata?.submitterInfo ?? {}
  return { userId, commandId, actAs }
}

/** Several lists may hold signatures of one party. */
function signaturesOf({ partySignatures }: ExecuteRequest): Map<string, readonly Signature[]> {
  const byParty = new Map<string, Signature[]>()
  const field = 'SinglePartySignatures.party'
  for (const { party, signatures } of partySignatures) {
    refuse(partyProblem(party) ?? uniqueIdentifierProblem(party), (problem) => invalidField(field, problem))
    const known = byParty.get(party) ?? []
    const more = signatures.map((signature) => validateSignature(signature, 'SinglePartySignatures.signature'))
    byParty.set(party, [...known, ...more.filter((one) => !known.some((other) => isSame(one, other)))])
  }
  return byParty
}

function isSame(a: Signature, b: Signature): boolean {
  return a.signedBy === b.signedBy && Buffer.compare(a.signature, b.signature) === 0
}

const uuid = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/

export function readTransaction({ prepared }: ExecuteRequest): ReadTransaction {
  const { transaction: nodes, metadata } = prepared
  if (nodes !== undefined && nodes.roots.length !== 1) {
    throw failedToExecute('Transaction with multiple root nodes are not supported')
  }
  if (metadata === undefined) throw foundByNode(missingField('metadata'))
  const { submitterInfo, transactionUuid, mediatorGroup } = metadata
  if (submitterInfo === undefined) throw foundByNode(missingField('submitter_info'))
  if (!uuid.test(transactionUuid)) {
    const text = `Invalid UUID string: ${shorten(transactionUuid)}`
    throw failedToExecute(`Failed to deserialize transaction UUID: ${text}`)
  }
  if (mediatorGroup < 0) {
    const words = `Received the negative ${mediatorGroup} as argument, but we require a non-negative value here.`
    throw failedToExecute(
      `Failed to deserialize mediator group: Invariant violation in field \`mediator_group\`: ${words}`,
    )
  }
  checkTime(metadata.maxRecordTime, 'max record time')
  const { actAs, commandId } = submitterInfo
  const misnamed = ledgerStringProblem(commandId)
  const problems = [...actAs.map(actingProblem), misnamed && `${misnamed} at path commandId`]
  checkDecoding('submitter info', problems.filter((found) => found !== undefined).join(', ') || undefined)
  const synchronizer = synchronizerOf(metadata.synchronizerId)
  if (nodes === undefined) throw foundByNode(missingField('transaction'))
  const { minLedgerEffectiveTime: min, maxLedgerEffectiveTime: max } = metadata
  checkTime(min, 'time boundaries')
  checkTime(max, 'time boundaries')
  const isEmpty = min !== undefined && max !== undefined && min > max
  checkDecoding('time boundaries', isEmpty ? 'assertion failed' : undefined)
  checkTime(metadata.preparationTime, 'transaction meta', ' at path preparationTime')
  checkDecoding('transaction meta', seedsProblem(nodes))
  checkDecoding('transaction', nodesProblem(nodes))
  for (const contract of metadata.inputContracts) checkDecoding('input contracts', inputContractProblem(contract))
  checkInputs(nodes, metadata)
  return { nodes, metadata, actAs: [...new Set(actAs)].sort(), commandId, ...synchronizer }
}

function actingProblem(party: string, index: number): string | undefined {
  const problem = partyProblem(party)
  return problem && `${problem} at path actAs(${index})`
}

function checkDecoding(what: string, problem: string | undefined): void {
  if (problem !== undefined) throw failedToExecute(`Failed to deserialize ${what}: ${shorten(problem, 600)}`)
}

function checkTime(time: bigint | undefined, what: string, place = ''): void {
  if (time === undefined || (time >= earliestTime && time <= latestTime)) return
  checkDecoding(what, `cannot convert long ${time} into Timestamp:out of bound Timestamp ${time}${place}`)
}

/** What the transaction uses and does not create comes with it, and nothing else does. */
function checkInputs({ nodes }: PreparedNodes, { inputContracts }: PreparedMetadata): void {
  const used = new Set(nodes.flatMap(({ v1 }) => (v1 === undefined ? [] : usedBy(v1))))
  const created = new Set(nodes.flatMap(({ v1 }) => (v1?.kind === 'create' ? [v1.value.contractId] : [])))
  const inputs = used.difference(created)
  const sent = new Set(inputContracts.flatMap(({ v1 }) => v1?.contractId ?? []))
  refuseInputs('Missing', inputs.difference(sent))
  refuseInputs('Superfluous', sent.difference(inputs))
}

function usedBy(node: PreparedNode): readonly string[] {
  if (node.kind === 'exercise' || node.kind === 'fetch') return [node.value.contractId]
  return node.kind === 'query-by-key' ? node.value.result : []
}

function refuseInputs(word: string, contractIds: ReadonlySet<string>): void {
  if (contractIds.size === 0) return
  const words = 'Provided input contracts do not match the input contracts in the transaction'
  const shown = setOrder([...contractIds].map((id) => `ContractId(${shorten(id)})`)).join(',')
  throw failedToExecute(`${words}: ${word} input contracts: ${shorten(shown, 600)}`)
}

/** Logical or physical. Of one that is neither, Canton tells why it is not physical. */
function synchronizerOf(text: string): Pick<ReadTransaction, 'synchronizerId' | 'physicalSuffix'> {
  if (uniqueIdentifierProblem(text) === undefined) return { synchronizerId: text, physicalSuffix: undefined }
  const refused = (problem: string) =>
    invalidField('synchronizer_id', `Unable to convert field \`synchronizer_id\`: ${problem}`)
  const [name, fingerprint, suffix, ...more] = text.split('::')
  if (suffix === undefined || more.length > 0) {
    throw refused(`Unable to parse \`${shorten(text)}\` as physical synchronizer id`)
  }
  const synchronizerId = `${name}::${fingerprint}`
  refuse(uniqueIdentifierProblem(synchronizerId), refused)
  if (/^\d{1,9}-\d{1,9}$/.test(suffix)) return { synchronizerId, physicalSuffix: suffix }
  throw refused(`Cannot parse ${shorten(suffix)} as a physical synchronizer id suffix`)
}

export function failedToExecute(reason: string): LedgerError {
  return new LedgerError(
    'FAILED_TO_EXECUTE_TRANSACTION',
    `The participant failed to execute the transaction: ${reason}`,
  )
}

function refuse(problem: string | undefined, error: (problem: string) => LedgerError): void {
  if (problem !== undefined) throw error(shorten(problem, 600))
}

/** For bytes that are no transaction at all; checked before the token. */
export function unreadable(): LedgerError {
  return invalidArgument('Cannot parse prepared_transaction', { early: true })
}
