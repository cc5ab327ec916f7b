// The ways to submit to the ledger, under the faults that a developer ordered.
import type { Ledger } from '../ledger.ts'
import type { Commands } from '../submission/commands.ts'
import type { Faults, SubmissionFacts } from './faults.ts'

type Submitting = Pick<Ledger, 'submissions' | 'interactive' | 'reassignments'>

export function underFaults({ submissions, interactive, reassignments }: Submitting, faults: Faults): Submitting {
  return {
    submissions: {
      ...submissions,
      submit: (commands, context) =>
        faults.around(factsOf(commands), context.signal, () => submissions.submit(commands, context)),
      submitAndWait: (commands, context) =>
        faults.around(factsOf(commands), context.signal, () => submissions.submitAndWait(commands, context)),
    },
    interactive: {
      ...interactive,
      execute: (request, context) =>
        faults.around(signed(request), context.signal, () => interactive.execute(request, context)),
      executeAndWait: (request, context) =>
        faults.around(signed(request), context.signal, () => interactive.executeAndWait(request, context)),
    },
    reassignments: {
      ...reassignments,
      submit: (commands, context, reads) =>
        faults.around(moving(commands), context.signal, () => reassignments.submit(commands, context, reads)),
      submitAndWait: (commands, context, reads) =>
        faults.around(moving(commands), context.signal, () => reassignments.submitAndWait(commands, context, reads)),
    },
  }
}

function factsOf({ userId, commandId, commands }: Commands): SubmissionFacts {
  return { userId, commandId, templateIds: commands.map(({ templateId }) => templateId) }
}

/** What a signed transaction says of itself is read later. */
function signed({ userId }: { readonly userId: string }): SubmissionFacts {
  return { userId, commandId: '', templateIds: [] }
}

function moving(commands: { readonly userId: string; readonly commandId: string } | undefined): SubmissionFacts {
  return { userId: commands?.userId ?? '', commandId: commands?.commandId ?? '', templateIds: [] }
}
