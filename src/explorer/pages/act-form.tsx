// The form behind creating and exercising: who acts, the fields or their JSON, a dry run beside them, and the same as code.
import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { type Command, type Submission, submit, submitPath } from '../api/acting.ts'
import { newCommandId } from '../api/command-ids.ts'
import type { Types } from '../api/drafts.ts'
import type { RequiredActors } from '../api/required-actors.ts'
import { curlOf, typescriptOf } from '../api/snippets.ts'
import type { Json } from '../api/wire.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { EnteredFields, HowToEnter, useEnteredValue } from '../parts/entered-value.tsx'
import { PartiesField } from '../parts/parties-field.tsx'
import { refreshLedgerEnd } from '../state/ledger.ts'
import { navigate, pathTo } from '../state/location.ts'
import type { TypeDescription } from '../state/packages.ts'
import { viewedParty } from '../state/party-view.ts'
import { mayActAs, session } from '../state/session.ts'
import { type ToastAction, toast } from '../state/toasts.ts'
import { ForbiddenActors, RefusedCommand } from './authority.tsx'
import { DryRunPanel } from './dry-run-panel.tsx'

type Props = {
  readonly type: TypeDescription
  readonly types: Types
  readonly commandWith: (value: Json) => Command
  /** The words on the button that submits. */
  readonly action: string
  /** What the form is kept by (state/kept-forms.ts). */
  readonly formKey: string
  /** What the form begins with, unless something was kept. */
  readonly initial?: Json | undefined
  /** Who has to act, as far as the value says. */
  readonly actorsFor: (value: Json) => RequiredActors
  /** Those fields in words: `issuer and owner`. */
  readonly actorFields: string | undefined
  /** What may come after it was recorded. */
  readonly again?: ToastAction | undefined
}

export function ActForm(props: Props) {
  const { type, types, commandWith, action, actorsFor, again } = props
  const entered = useEnteredValue(props)
  const { content, value, problems, set, focusOn } = entered
  const { actAs: chosen } = content
  const commandId = useMemo(newCommandId, [])
  const problem = useSignal<unknown>(undefined)
  const isSending = useSignal(false)
  const actors = useRef<HTMLDivElement>(null)

  const required = actorsFor(value)
  const actAs = chosen ?? likelyActors(required)
  const forbidden = actAs.filter((party) => !mayActAs(party))
  const submission = submissionOf(commandId, actAs, commandWith(value))
  const isReady = problems.length === 0 && actAs.length > 0
  const isSendable = isReady && forbidden.length === 0
  const request = { method: 'POST', path: submitPath, body: { commands: submission } } as const
  const authority = {
    actAs,
    required: required.parties,
    onAdd: (parties: readonly string[]) => set({ actAs: [...new Set([...actAs, ...parties])] }),
  }

  async function send(): Promise<void> {
    isSending.value = true
    problem.value = undefined
    try {
      const { offset } = await submit(submission)
      toast('Recorded', 'done', again)
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
          if (isSendable && !isSending.peek()) void send()
        }}
      >
        <div class="panel-body stack">
          <HowToEnter {...{ type, types, entered }} />
          <div ref={actors}>
            <PartiesField label="Act as" value={actAs} onChange={(parties) => set({ actAs: parties })} />
            <ActorWords
              fields={props.actorFields}
              isChosen={chosen !== undefined}
              follow={() => set({ actAs: undefined })}
            />
          </div>
          <ForbiddenActors
            parties={forbidden}
            onRemove={(parties) => set({ actAs: actAs.filter((party) => !parties.includes(party)) })}
          />
          <EnteredFields {...{ type, types, entered }} />
          {problem.value !== undefined && <RefusedCommand error={problem.value} {...authority} />}
          <div class="row">
            <Button kind="primary" icon="send" type="submit" disabled={!isSendable || isSending.value}>
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
      <DryRunPanel
        submission={submission}
        missing={[
          ...problems.map(({ path, words }) => ({ words, focus: () => focusOn(path) })),
          ...(actAs.length > 0
            ? []
            : [{ words: 'Act as is missing', focus: () => actors.current?.querySelector('input')?.focus() }]),
        ]}
        authority={authority}
      />
    </div>
  )
}

type ActorProps = {
  readonly fields: string | undefined
  readonly isChosen: boolean
  readonly follow: () => void
}

/** Where the parties come from. */
function ActorWords({ fields, isChosen, follow }: ActorProps) {
  if (fields === undefined) return null
  return (
    <p class="field-words">
      {isChosen ? (
        <button type="button" class="plain-link" onClick={follow}>
          Follow {fields}
        </button>
      ) : (
        `Follows ${fields}`
      )}
    </p>
  )
}

/** Those who have to, as far as the token may act as them; until all are known, also the one that is looked as. */
function likelyActors({ parties, isComplete }: RequiredActors): readonly string[] {
  const { actsAs } = session.value
  const viewed = viewedParty.value
  const required = parties.filter(mayActAs)
  if (isComplete && required.length > 0) return required
  const likely = viewed !== undefined ? [viewed] : actsAs !== 'any' && actsAs.length === 1 ? actsAs : []
  return [...new Set([...likely.filter(mayActAs), ...required])]
}

/** A token without a user, such as that of the command line, needs a name. */
function submissionOf(commandId: string, actAs: readonly string[], command: Command): Submission {
  const { userId } = session.peek()
  return { commandId, ...(userId !== undefined ? { userId } : { userId: 'explorer' }), actAs, commands: [command] }
}
