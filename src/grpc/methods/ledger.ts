// The services that submit commands and read the ledger.
import { type TSchema, Type } from 'typebox'
import { commandsRequest } from '../../api/wire/commands.ts'
import { readersOf, readersOfUpdates, transactionFormat } from '../../api/wire/formats.ts'
import { executeForTransactionRequest, executeRequest } from '../../api/wire/interactive-submission.ts'
import { optionalEventFormat } from '../../api/wire/state.ts'
import { optionalFormat } from '../../api/wire/updates.ts'
import type { WireSchema } from '../../protobuf/json-reading.ts'
import type { Request, Row } from '../method.ts'

const asWire = (schema: TSchema) => schema as WireSchema

const optionalCommands = asWire(Type.Object({ commands: Type.Optional(commandsRequest) }))
const optionalCommandsWithFormat = asWire(
  Type.Object({ commands: Type.Optional(commandsRequest), transactionFormat: Type.Optional(transactionFormat) }),
)

/** What Canton misses only after it has looked at the token. */
const signedParts = ['preparedTransaction', 'partySignatures'] as const
const optionalSigned = (schema: typeof executeRequest | typeof executeForTransactionRequest) => {
  const { preparedTransaction, partySignatures, ...others } = schema.properties
  return asWire(
    Type.Object({
      ...others,
      preparedTransaction: Type.Optional(preparedTransaction),
      partySignatures: Type.Optional(partySignatures),
    }),
  )
}

const submittedCommands = ({ commands }: Request) => commands && { submissionId: '', ...commands }
const commandsAsBody = ({ commands }: Request) => ({ body: commands })

const updateReaders = (request: Request) => readersOfUpdates(optionalFormat(request))
const eventReaders = (request: Request) => readersOf(optionalEventFormat(request))

const ofEventFormat = ({ eventFormat }: Request): boolean => eventFormat?.verbose ?? false
const ofUpdateFormat = {
  isVerbose: ({ updateFormat }: Request): boolean => updateFormat?.includeTransactions?.eventFormat?.verbose ?? false,
  isVerboseInReassignments: ({ updateFormat }: Request): boolean =>
    updateFormat?.includeReassignments?.verbose ?? false,
}
/** Canton's default format has all names. */
const ofTransactionFormat = ({ transactionFormat: format }: Request): boolean =>
  format === undefined ? true : (format.eventFormat?.verbose ?? false)

export const ledgerMethods: readonly Row[] = [
  {
    method: 'CommandSubmissionService/Submit',
    operation: 'POST /v2/commands/async/submit',
    schema: optionalCommands,
    input: commandsAsBody,
    needs: ['commands'],
    commandsOf: submittedCommands,
  },
  {
    method: 'CommandSubmissionService/SubmitReassignment',
    operation: 'POST /v2/commands/async/submit-reassignment',
  },
  {
    method: 'CommandService/SubmitAndWait',
    operation: 'POST /v2/commands/submit-and-wait',
    schema: optionalCommands,
    input: commandsAsBody,
    needs: ['commands'],
    commandsOf: submittedCommands,
  },
  {
    method: 'CommandService/SubmitAndWaitForTransaction',
    operation: 'POST /v2/commands/submit-and-wait-for-transaction',
    schema: optionalCommandsWithFormat,
    needs: ['commands'],
    commandsOf: submittedCommands,
    isVerbose: ofTransactionFormat,
  },
  {
    method: 'CommandService/SubmitAndWaitForReassignment',
    operation: 'POST /v2/commands/submit-and-wait-for-reassignment',
    isVerbose: ofEventFormat,
  },
  { method: 'CommandCompletionService/CompletionStream', operation: 'POST /v2/commands/completions' },
  { method: 'CommandCompletionService/GetCompletions', operation: 'POST /v2/commands/command-completions' },

  {
    method: 'UpdateService/GetUpdates',
    operation: 'POST /v2/updates',
    subject: updateReaders,
    needs: ['updateFormat'],
    ...ofUpdateFormat,
  },
  {
    method: 'UpdateService/GetUpdateByOffset',
    operation: 'POST /v2/updates/update-by-offset',
    ...ofUpdateFormat,
  },
  { method: 'UpdateService/GetUpdateById', operation: 'POST /v2/updates/update-by-id', ...ofUpdateFormat },
  {
    method: 'UpdateService/GetUpdatesPage',
    operation: 'POST /v2/updates/get-updates-page',
    ...ofUpdateFormat,
  },

  {
    method: 'StateService/GetActiveContracts',
    operation: 'POST /v2/state/active-contracts',
    subject: eventReaders,
    needs: ['eventFormat'],
    isVerbose: ofEventFormat,
  },
  {
    method: 'StateService/GetActiveContractsPage',
    operation: 'POST /v2/state/active-contracts-page',
    isVerbose: ofEventFormat,
  },
  {
    method: 'StateService/GetConnectedSynchronizers',
    operation: 'GET /v2/state/connected-synchronizers',
    schema: null,
    input: (query) => ({ query }),
  },
  { method: 'StateService/GetLedgerEnd', operation: 'GET /v2/state/ledger-end' },
  { method: 'StateService/GetLatestPrunedOffsets', operation: 'GET /v2/state/latest-pruned-offsets' },

  {
    method: 'EventQueryService/GetEventsByContractId',
    operation: 'POST /v2/events/events-by-contract-id',
    isVerbose: ofEventFormat,
  },
  {
    method: 'ContractService/GetContract',
    operation: 'POST /v2/contracts/contract-by-id',
    isVerbose: () => false,
  },

  {
    method: 'interactive.InteractiveSubmissionService/PrepareSubmission',
    operation: 'POST /v2/interactive-submission/prepare',
    commandsOf: (request) => request,
  },
  {
    method: 'interactive.InteractiveSubmissionService/ExecuteSubmission',
    operation: 'POST /v2/interactive-submission/execute',
    schema: optionalSigned(executeRequest),
    needs: signedParts,
  },
  {
    method: 'interactive.InteractiveSubmissionService/ExecuteSubmissionAndWait',
    operation: 'POST /v2/interactive-submission/executeAndWait',
    schema: optionalSigned(executeRequest),
    needs: signedParts,
  },
  {
    method: 'interactive.InteractiveSubmissionService/ExecuteSubmissionAndWaitForTransaction',
    operation: 'POST /v2/interactive-submission/executeAndWaitForTransaction',
    schema: optionalSigned(executeForTransactionRequest),
    needs: signedParts,
    isVerbose: ofTransactionFormat,
  },
  {
    method: 'interactive.InteractiveSubmissionService/GetPreferredPackageVersion',
    operation: 'GET /v2/interactive-submission/preferred-package-version',
    schema: null,
    input: ({ parties, packageName, synchronizerId, vettingValidAt }) => ({
      query: {
        parties,
        'package-name': packageName,
        'synchronizer-id': synchronizerId,
        vetting_valid_at: vettingValidAt,
      },
    }),
  },
  {
    method: 'interactive.InteractiveSubmissionService/GetPreferredPackages',
    operation: 'POST /v2/interactive-submission/preferred-packages',
  },
]
