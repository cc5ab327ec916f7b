// Commands as people enter them: submitted, or tried without recording anything.
import { post } from './client.ts'
import type { Json, Transaction } from './wire.ts'

export type Command =
  | { readonly CreateCommand: { readonly templateId: string; readonly createArguments: Json } }
  | {
      readonly ExerciseCommand: {
        readonly templateId: string
        readonly contractId: string
        readonly choice: string
        readonly choiceArgument: Json
      }
    }

export type Submission = {
  readonly commandId: string
  readonly userId?: string
  readonly actAs: readonly string[]
  readonly commands: readonly Command[]
}

export const submitPath = '/v2/commands/submit-and-wait-for-transaction'

export async function submit(commands: Submission): Promise<Transaction> {
  return (await post<{ transaction: Transaction }>(submitPath, { commands })).transaction
}

type OfNode = {
  readonly nodeId: number
  readonly authorizers: readonly string[]
  readonly witnesses: readonly string[]
}
type OfContract = OfNode & {
  readonly templateId: string
  readonly packageName: string
  readonly contractId: string
  readonly signatories: readonly string[]
}

export type DryRunNode =
  | { readonly Create: OfContract & { readonly createArgument: Json } }
  | {
      readonly Exercise: OfContract & {
        readonly interfaceId?: string | null
        readonly choice: string
        readonly choiceArgument: Json
        readonly exerciseResult?: Json
        readonly consuming: boolean
        readonly children: readonly number[]
      }
    }
  | { readonly Fetch: OfContract }
  | { readonly QueryByKey: OfNode & { readonly templateId: string; readonly packageName: string } }
  | { readonly Rollback: OfNode & { readonly children: readonly number[] } }

export type DryRun = {
  readonly synchronizerAlias: string
  readonly ledgerTime: string
  readonly roots: readonly number[]
  readonly nodes: readonly DryRunNode[]
  readonly traces: readonly string[]
  readonly steps: number
  readonly microseconds: number
}

export function dryRun(commands: Submission, signal?: AbortSignal): Promise<DryRun> {
  return post('/dev/dry-run', { commands }, { signal })
}

/** Resolves if the node would accept the command, for readers without the tools of a development node. */
export async function prepare(submission: Submission, signal?: AbortSignal): Promise<void> {
  // The other schemes know no contract keys.
  await post(
    '/v2/interactive-submission/prepare',
    { ...submission, hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V3' },
    { signal },
  )
}
