// The form behind creating and exercising: who acts, the fields, a dry run beside them, and the same as code.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { type Command, type Submission, submit, submitPath } from '../api/acting.ts'
import { newCommandId } from '../api/command-ids.ts'
import { blankOf, type Draft, draftFrom, isComplete, jsonOf, type Types, unbound } from '../api/drafts.ts'
import { curlOf, typescriptOf } from '../api/snippets.ts'
import type { Json } from '../api/wire.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { PartiesField } from '../parts/parties-field.tsx'
import { Problem } from '../parts/problem.tsx'
import { ValueField } from '../parts/value-field.tsx'
import { refreshLedgerEnd } from '../state/ledger.ts'
import { navigate, pathTo } from '../state/location.ts'
import type { TypeDescription } from '../state/packages.ts'
import { viewedParty } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { toast } from '../state/toasts.ts'
import { DryRunPanel } from './dry-run-panel.tsx'

type Props = {
  readonly type: TypeDescription
  readonly types: Types
  readonly commandWith: (value: Json) => Command
  /** The words on the button that submits. */
  readonly action: string
  /** What the form begins with. */
  readonly initial?: Json | undefined
  readonly initialActAs?: readonly string[] | undefined
}

export function ActForm({ type, types, commandWith, action, initial, initialActAs }: Props) {
  const draft = useSignal<Draft>(useMemo(() => firstDraft(initial, type, types), []))
  const actAs = useSignal<readonly string[]>(initialActAs ?? likelyActors())
  const commandId = useMemo(newCommandId, [])
  const problem = useSignal<unknown>(undefined)
  const isSending = useSignal(false)
  const submission = submissionOf(commandId, actAs.value, commandWith(jsonOf(draft.value, type, types)))
  const isReady = isComplete(draft.value, type, types, unbound) && actAs.value.length > 0
  const request = { method: 'POST', path: submitPath, body: { commands: submission } } as const

  async function send(): Promise<void> {
    isSending.value = true
    problem.value = undefined
    try {
      const { offset } = await submit(submission)
      toast('Recorded')
      await refreshLedgerEnd()
      navigate(pathTo('updates', offset))
    } catch (error) {
      problem.value = error
      isSending.value = false
    }
  }

  return (
    <div class="columns wide-columns">
      <form
        class="panel"
        aria-label={action}
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isSending.peek()) void send()
        }}
      >
        <div class="panel-body stack">
          <PartiesField
            label="Act as"
            value={actAs.value}
            onChange={(parties) => {
              actAs.value = parties
            }}
          />
          <ValueField
            label=""
            type={type}
            types={types}
            bound={unbound}
            draft={draft.value}
            onChange={(next) => {
              draft.value = next
            }}
          />
          {problem.value !== undefined && <Problem error={problem.value} />}
          <div class="row">
            <Button kind="primary" icon="send" type="submit" disabled={!isReady || isSending.value}>
              {action}
            </Button>
            <CopyButton label="curl" what="the command as curl" text={() => curlOf(request, location.origin)} />
            <CopyButton
              label="TypeScript"
              what="the command as TypeScript"
              text={() => typescriptOf(request, location.origin)}
            />
          </div>
        </div>
      </form>
      <DryRunPanel submission={submission} isReady={isReady} />
    </div>
  )
}

function firstDraft(initial: Json | undefined, type: TypeDescription, types: Types): Draft {
  return initial === undefined ? blankOf(type, types) : draftFrom(initial, type, types)
}

/** The party that one looks as, or all that the token acts as, if they are few. */
function likelyActors(): readonly string[] {
  const { actsAs } = session.peek()
  const viewed = viewedParty.peek()
  if (viewed !== undefined) return [viewed]
  return actsAs !== 'any' && actsAs.length === 1 ? actsAs : []
}

/** A token without a user, such as that of the command line, needs a name. */
function submissionOf(commandId: string, actAs: readonly string[], command: Command): Submission {
  const { userId } = session.peek()
  return { commandId, ...(userId !== undefined ? { userId } : { userId: 'explorer' }), actAs, commands: [command] }
}
