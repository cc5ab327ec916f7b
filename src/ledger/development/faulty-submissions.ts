// The ways to submit to the ledger, under the faults that a developer ordered.
import type { InteractiveSubmissions } from '../interactive/interactive-requests.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Reassignments } from '../reassignment/reassignment-commands.ts'
import type { Submissions } from '../submission/submission.ts'
import type { Development } from './development.ts'
import { type RejectedRequest, submitted, toExecute, toReassign } from './rejected-request.ts'

type Submitting = {
  readonly submissions: Submissions
  readonly interactive: InteractiveSubmissions
  readonly reassignments: Reassignments
}
type Context = { readonly signal: AbortSignal }

export function underFaults(
  { submissions, interactive, reassignments, time }: Submitting & { readonly time: LedgerTime },
  { faults, rejections }: Pick<Development, 'faults' | 'rejections'>,
): Submitting {
  function around<T>(request: () => RejectedRequest, { signal }: Context, submit: () => Promise<T>): Promise<T> {
    const onRefused = (error: Error) => rejections.note(request(), error, { at: time.now() })
    return faults.around(request, { signal, onRefused }, submit)
  }

  return {
    submissions: {
      ...submissions,
      submit: (commands, context) =>
        around(submitted.bind(undefined, commands), context, () => submissions.submit(commands, context)),
      submitAndWait: (commands, context) =>
        around(submitted.bind(undefined, commands), context, () => submissions.submitAndWait(commands, context)),
    },
    interactive: {
      ...interactive,
      execute: (request, context) =>
        around(toExecute.bind(undefined, request), context, () => interactive.execute(request, context)),
      executeAndWait: (request, context) =>
        around(toExecute.bind(undefined, request), context, () => interactive.executeAndWait(request, context)),
    },
    reassignments: {
      ...reassignments,
      submit: (commands, context, reads) =>
        around(toReassign.bind(undefined, commands), context, () => reassignments.submit(commands, context, reads)),
      submitAndWait: (commands, context, reads) =>
        around(toReassign.bind(undefined, commands), context, () =>
          reassignments.submitAndWait(commands, context, reads),
        ),
    },
  }
}
