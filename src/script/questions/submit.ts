// Submissions: several at once, each of which must succeed, must fail, or may do either.
import { randomUuid } from '../../base/random.ts'
import type { LfValue } from '../../lf/values/values.ts'
import { Unanswered } from '../failures.ts'
import { type Json, Refused } from '../participants.ts'
import type { ScriptValues } from '../script-values.ts'
import { contractIdIn, enumIn, fieldsIn, listIn, optionalIn, textIn, typeRepIn, wrappedTextIn } from '../shapes.ts'
import { commandIn, type ScriptCommand } from './commands.ts'
import { missingContract } from './missing-contracts.ts'
import type { AnswerQuestion, Asking, Questions } from './question.ts'
import { submitErrorOf } from './submit-errors.ts'
import { resultOf } from './transaction-tree.ts'

type Submission = {
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  readonly disclosures: readonly object[]
  readonly packagePreference: readonly string[]
  readonly prefetchKeys: readonly object[]
  /** MustSucceed, MustFail or Try. */
  readonly errorBehaviour: string
  readonly commands: readonly ScriptCommand[]
}

/** The older version has the keys of the standard library. */
const submitting =
  (hasLegacyKeys: boolean): AnswerQuestion =>
  async (payload, asking) => {
    const [list] = fieldsIn(payload, 1, 'Submit')
    const submissions = listIn(list, (each) => submissionIn(each, hasLegacyKeys, asking.values))
    const answers = await Promise.all(submissions.map((each) => submit(each, hasLegacyKeys, asking)))
    return asking.values.list(answers)
  }

async function submit(submission: Submission, hasLegacyKeys: boolean, asking: Asking): Promise<LfValue> {
  const { values } = asking
  let transaction: Json
  try {
    transaction = await transactionOf(submission, asking)
  } catch (error) {
    if (!(error instanceof Refused) || submission.errorBehaviour === 'MustSucceed') throw error
    const missing = await missingContract(error.error, submission, asking)
    return values.left(submitErrorOf(error.error, { values, hasLegacyKeys, missing }))
  }
  if (submission.errorBehaviour === 'MustFail') {
    throw new Unanswered('Expected submit to fail but it succeeded', 'UserError')
  }
  const packageIds = submission.commands.flatMap((command) => command.packageIds)
  const { results, tree } = resultOf(transaction, packageIds, values)
  return values.right(values.tuple2(results, tree))
}

async function transactionOf(submission: Submission, { participants, userId, random }: Asking): Promise<Json> {
  const { actAs, readAs, commands } = submission
  const participant = participants.of(actAs)
  const user = participant.userId ?? userId
  const filters = {
    cumulative: [{ identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }],
  }
  const request = {
    commands: {
      commandId: randomUuid(random),
      ...(user && { userId: user }),
      actAs,
      readAs,
      commands: commands.map(({ json }) => json),
      disclosedContracts: submission.disclosures,
      packageIdSelectionPreference: submission.packagePreference,
      prefetchContractKeys: submission.prefetchKeys,
    },
    transactionFormat: {
      eventFormat: { filtersByParty: Object.fromEntries(actAs.map((party) => [party, filters])), verbose: false },
      transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
    },
  }
  const path = '/v2/commands/submit-and-wait-for-transaction'
  return (await participant.call('POST', path, request)).transaction
}

function submissionIn(value: LfValue, hasLegacyKeys: boolean, values: ScriptValues): Submission {
  const [actAs, readAs, disclosures, packagePreference, prefetchKeys, errorBehaviour, commands] = fieldsIn(
    value,
    8,
    'a Submission',
  )
  const [first, others] = fieldsIn(actAs, 2, 'a NonEmpty')
  return {
    actAs: [...new Set([textIn(first), ...listIn(others, textIn)])].sort(),
    readAs: [...new Set(listIn(readAs, textIn))],
    disclosures: listIn(disclosures, disclosureIn),
    packagePreference: optionalIn(packagePreference, (ids) => listIn(ids, wrappedTextIn)) ?? [],
    prefetchKeys: listIn(prefetchKeys, (key) => prefetchKeyIn(key, hasLegacyKeys, values)),
    errorBehaviour: enumIn(errorBehaviour),
    commands: listIn(commands, (command) => commandIn(command, hasLegacyKeys, values)),
  }
}

function disclosureIn(value: LfValue): object {
  const [template, contractId, blob] = fieldsIn(value, 3, 'a Disclosure')
  const { packageId, module, name } = typeRepIn(template)
  return {
    templateId: `${packageId}:${module}:${name}`,
    contractId: contractIdIn(contractId),
    createdEventBlob: Buffer.from(textIn(blob), 'hex').toString('base64'),
    synchronizerId: '',
  }
}

function prefetchKeyIn(value: LfValue, hasLegacyKeys: boolean, values: ScriptValues): object {
  const { templateId, key } = values.contractKeyIn(value, hasLegacyKeys)
  return { templateId: values.reference(templateId), contractKey: values.toJson(key), limit: 1 }
}

export const submitQuestions: Questions = [
  ['Submit 1', submitting(true)],
  ['Submit 2', submitting(false)],
]
