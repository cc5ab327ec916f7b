// Commands and completions on the wire. Mirrors Canton's JsCommandService and JsCommands.
import { type Static, Type } from 'typebox'
import { invalidArgument, missingField } from '../../base/errors.ts'
import { partyProblem } from '../../base/names.ts'
import type { Command, Commands, DeduplicationPeriod } from '../../ledger/model/commands.ts'
import {
  offset,
  offsetCheckpoint,
  status,
  synchronizerTime,
  traceContext,
  transaction,
  transactionTree,
} from './events.ts'
import { transactionFormat } from './formats.ts'
import {
  boxed,
  bytes,
  configured,
  damlValue,
  duration,
  emptyVariant,
  flat,
  identifier,
  int32,
  int64,
  list,
  message,
  oneOf,
  optional,
  text,
  timestamp,
  undefaulted,
  variants,
} from './schema.ts'

const templateId = identifier('The template: #package-name:Module:Template, or with the package id')
const createArguments = damlValue('The arguments of the contract')
const choice = {
  choice: Type.String({ description: 'The choice' }),
  choiceArgument: damlValue('The argument of the choice; null is the same as {}'),
}

export const command = variants(
  'Command',
  [
    flat(
      'CreateAndExerciseCommand',
      configured(
        'CreateAndExerciseCommand',
        { templateId, createArguments, ...choice },
        { description: 'Create a contract and exercise a choice of it' },
      ),
    ),
    flat(
      'CreateCommand',
      configured('CreateCommand', { templateId, createArguments }, { description: 'Create a contract' }),
    ),
    flat(
      'ExerciseByKeyCommand',
      configured(
        'ExerciseByKeyCommand',
        { templateId, contractKey: damlValue('The key of the contract'), ...choice },
        { description: 'Exercise a choice of the contract that has a key' },
      ),
    ),
    flat(
      'ExerciseCommand',
      configured(
        'ExerciseCommand',
        {
          templateId: identifier('The template, or an interface of it'),
          contractId: Type.String({ description: 'The contract' }),
          ...choice,
        },
        { description: 'Exercise a choice of a contract' },
      ),
    ),
  ],
  { description: 'A command' },
)

/** Canton's document has a numbered component for each use. */
export const deduplicationPeriod = (number: string, emptyTitle: string) =>
  oneOf(
    `DeduplicationPeriod${number}`,
    [
      boxed('DeduplicationDuration', duration, `DeduplicationDuration${number}`),
      boxed('DeduplicationOffset', int64('Back to this offset, exclusive'), `DeduplicationOffset${number}`),
      emptyVariant(emptyTitle),
    ],
    { description: 'The deduplication period; the longest one if absent' },
  )

export const disclosedContract = message(
  'DisclosedContract',
  {
    templateId: optional(identifier('Its template, which must be that of the blob')),
    contractId: text('Its id, which must be that of the blob'),
    createdEventBlob: bytes('The createdEventBlob of the contract'),
    synchronizerId: text('The synchronizer it is assigned to'),
  },
  { description: 'A disclosed contract, which the submitter got from a stakeholder', requires: ['createdEventBlob'] },
)

export const prefetchContractKey = configured(
  'PrefetchContractKey',
  {
    templateId: identifier('The template, with its package id'),
    contractKey: damlValue('The key'),
    limit: undefaulted(Type.Integer({ format: 'int32', description: 'Contracts to load; 1 if absent' })),
  },
  { description: 'A contract key to load in advance' },
)

export const commandsRequest = configured(
  'JsCommands',
  {
    commands: Type.Array(command, { description: 'The commands, executed atomically; at least one' }),
    commandId: Type.String({ description: 'Identifies the command for deduplication, together with user and actAs' }),
    actAs: Type.Array(Type.String(), { description: 'The parties to act as; at least one' }),
    userId: optional(text('The user; by default that of the token')),
    readAs: list(Type.String(), 'Further parties whose contracts may be read'),
    workflowId: optional(text('The id of the workflow it belongs to, visible to every reader')),
    deduplicationPeriod: optional(deduplicationPeriod('', 'Empty')),
    minLedgerTimeAbs: optional(timestamp('The earliest ledger time')),
    minLedgerTimeRel: optional(duration),
    submissionId: optional(text('Distinguishes submissions of the same command; generated if absent')),
    disclosedContracts: list(disclosedContract, 'Disclosed contracts, which the command may use'),
    synchronizerId: optional(text('The synchronizer to use; chosen by the node if absent')),
    packageIdSelectionPreference: list(Type.String(), 'Packages to prefer where a package name is ambiguous'),
    prefetchContractKeys: list(prefetchContractKey, 'Contract keys to load in advance, for speed'),
    tapsMaxPasses: optional(int32('Maximum number of passes of package selection')),
  },
  { description: 'Commands to execute atomically' },
)

export const submitResponse = message('SubmitResponse', {})
export const submitAndWaitResponse = message(
  'SubmitAndWaitResponse',
  {
    updateId: text('The transaction: 68 hex digits'),
    completionOffset: int64('Its offset'),
  },
  { requires: 'all' },
)
export const submitForTransactionRequest = configured('JsSubmitAndWaitForTransactionRequest', {
  commands: commandsRequest,
  transactionFormat: optional(transactionFormat),
})
export const submitForTransactionResponse = message('JsSubmitAndWaitForTransactionResponse', { transaction })
export const submitForTreeResponse = message(
  'JsSubmitAndWaitForTransactionTreeResponse',
  { transactionTree },
  { requires: [] },
)

const beginExclusive = int64('Only completions after this offset; 0 for the start of the ledger')

export const completionsRequest = message(
  'CompletionStreamRequest',
  {
    userId: text('The user that submitted the commands; that of the token if empty'),
    parties: list(Type.String(), 'The submitting parties, one of which must match; at least one'),
    beginExclusive,
  },
  { requires: ['parties'] },
)
export const commandCompletionsRequest = message('GetCompletionsRequest', {
  parties: list(Type.String(), 'The submitting parties, one of which must match; all if empty'),
  beginExclusive,
})

const completion = message(
  'Completion1',
  {
    commandId: text('The command'),
    status,
    updateId: text('Its transaction: 68 hex digits; empty if it was rejected'),
    userId: text('The user that submitted it'),
    actAs: list(Type.String(), 'Those of the requested parties that submitted it'),
    submissionId: text('The submission'),
    deduplicationPeriod: deduplicationPeriod('1', 'Empty3'),
    traceContext: optional(traceContext),
    offset,
    synchronizerTime,
    paidTrafficCost: int64('Its traffic cost'),
  },
  { description: 'The outcome of a command', requires: ['commandId', 'userId', 'actAs', 'offset', 'synchronizerTime'] },
)

export const completionsResponse = Type.Array(
  message('CompletionStreamResponse', {
    completionResponse: oneOf(
      'CompletionResponse',
      [boxed('Completion', completion), emptyVariant('Empty4'), boxed('OffsetCheckpoint', offsetCheckpoint)],
      { description: 'One completion' },
    ),
  }),
  { description: 'By offset' },
)

type CommandsJson = Static<typeof commandsRequest>
type CommandJson = CommandsJson['commands'][number]

const byNode = { foundBy: 'node' } as const

/** Canton validates the first acting party before the token, because it selects packages by it. */
export function checkActAs({ actAs: [first] }: Pick<CommandsJson, 'actAs'>): void {
  if (first === undefined) throw missingField('act_as/actAs', byNode)
  const problem = partyProblem(first)
  if (problem !== undefined) throw invalidArgument(`Invalid party in actAs/act_as: ${problem}`, byNode)
}

export function commandsFromJson(json: CommandsJson, userId: string): Commands {
  return {
    ...json,
    commands: json.commands.map(commandFromJson),
    userId,
    workflowId: json.workflowId ?? '',
    submissionId: json.submissionId ?? '',
    synchronizerId: json.synchronizerId ?? '',
    deduplicationPeriod: json.deduplicationPeriod && deduplicationPeriodFromJson(json.deduplicationPeriod),
    minLedgerTimeAbs: json.minLedgerTimeAbs,
    minLedgerTimeRel: json.minLedgerTimeRel,
    disclosedContracts: json.disclosedContracts.map((contract) => ({ templateId: '', ...contract })),
    prefetchContractKeys: json.prefetchContractKeys.map((key) => ({ limit: undefined, ...key })),
    tapsMaxPasses: json.tapsMaxPasses,
  }
}

export function commandFromJson(json: CommandJson): Command {
  if ('CreateCommand' in json) return { kind: 'create', ...json.CreateCommand }
  if ('ExerciseCommand' in json) return { kind: 'exercise', ...json.ExerciseCommand }
  if ('ExerciseByKeyCommand' in json) return { kind: 'exercise-by-key', ...json.ExerciseByKeyCommand }
  return { kind: 'create-and-exercise', ...json.CreateAndExerciseCommand }
}

export function deduplicationPeriodFromJson(
  json: Static<ReturnType<typeof deduplicationPeriod>>,
): DeduplicationPeriod | undefined {
  if ('DeduplicationDuration' in json) return { kind: 'duration', duration: json.DeduplicationDuration.value }
  if ('DeduplicationOffset' in json) return { kind: 'offset', offset: json.DeduplicationOffset.value }
  return undefined
}
