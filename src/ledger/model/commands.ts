// Commands as clients send them, in the ledger's own terms.
import type { TraceContext } from '../../events/format/stored-update.ts'

type Choice = { readonly choice: string; readonly choiceArgument: unknown }

/** Types are as the client wrote them: `package-id:Module:Entity` or `#package-name:Module:Entity`. Values are JSON. */
export type Command =
  | { readonly kind: 'create'; readonly templateId: string; readonly createArguments: unknown }
  | ({ readonly kind: 'exercise'; readonly templateId: string; readonly contractId: string } & Choice)
  | ({ readonly kind: 'exercise-by-key'; readonly templateId: string; readonly contractKey: unknown } & Choice)
  | ({ readonly kind: 'create-and-exercise'; readonly templateId: string; readonly createArguments: unknown } & Choice)

const kinds: Readonly<Record<Command['kind'], string>> = {
  create: 'CreateCommand',
  exercise: 'ExerciseCommand',
  'exercise-by-key': 'ExerciseByKeyCommand',
  'create-and-exercise': 'CreateAndExerciseCommand',
}

/** The command in the form of the API, so that it can be sent again. */
export function asSent({ kind, ...fields }: Command): object {
  return { [kinds[kind]]: fields }
}

export type Duration = { readonly seconds: bigint; readonly nanos: number }

export type DeduplicationPeriod =
  | { readonly kind: 'duration'; readonly duration: Duration }
  | { readonly kind: 'offset'; readonly offset: bigint }

export type DisclosedContract = {
  readonly createdEventBlob: Uint8Array
  /** "" means unspecified, here and below. */
  readonly templateId: string
  readonly contractId: string
  readonly synchronizerId: string
}

export type PrefetchKey = {
  readonly templateId: string
  readonly contractKey: unknown
  readonly limit: number | undefined
}

export type Commands = {
  readonly commands: readonly Command[]
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  readonly workflowId: string
  readonly submissionId: string
  /** Undefined means the longest. */
  readonly deduplicationPeriod: DeduplicationPeriod | undefined
  /** Microseconds since 1970. */
  readonly minLedgerTimeAbs: bigint | undefined
  readonly minLedgerTimeRel: Duration | undefined
  readonly disclosedContracts: readonly DisclosedContract[]
  readonly synchronizerId: string
  readonly packageIdSelectionPreference: readonly string[]
  readonly prefetchContractKeys: readonly PrefetchKey[]
  readonly tapsMaxPasses: number | undefined
}

/** The context of a submission. */
export type SubmissionContext = {
  readonly traceContext: TraceContext | null
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
  readonly answer?: AnswerChecks
}

/** Each throws if the answer cannot be given in the format it is wanted in. */
export type AnswerChecks = {
  /** Called before the command is validated. */
  checkForm(): void
  /** Called when nothing is wrong with the command, and before it is recorded. */
  checkNames(): Promise<void>
}
