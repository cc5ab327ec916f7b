// The form behind creating and exercising: who acts, the fields or their JSON, a dry run beside them, and the same as code.
import { type Signal, useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { type Command, type Submission, submit, submitPath } from '../api/acting.ts'
import { newCommandId } from '../api/command-ids.ts'
import { blankOf, type Draft, draftFrom, jsonOf, type Types, unbound } from '../api/drafts.ts'
import type { RequiredActors } from '../api/required-actors.ts'
import { curlOf, typescriptOf } from '../api/snippets.ts'
import { problemsInDraft, problemsInJson, type ValueProblem } from '../api/value-problems.ts'
import type { Json } from '../api/wire.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { TextField } from '../parts/fields.tsx'
import { PartiesField } from '../parts/parties-field.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { focusField, ValueField } from '../parts/value-field.tsx'
import { dropForm, keepForm, keptForm } from '../state/kept-forms.ts'
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

/** What is in the form: a draft of fields, or a text instead of them, and who acts if somebody has chosen that. */
type Content = {
  readonly draft: Draft
  readonly text: string | undefined
  readonly actAs: readonly string[] | undefined
}

export function ActForm(props: Props) {
  const { type, types, commandWith, action, actorsFor, again } = props
  const { content, isKept, set, empty } = useKeptContent(props)
  const { draft, text, actAs: chosen } = content.value
  const commandId = useMemo(newCommandId, [])
  const problem = useSignal<unknown>(undefined)
  const isSending = useSignal(false)
  const actors = useRef<HTMLDivElement>(null)
  const json = useRef<HTMLDivElement>(null)

  const { value, problems } = text === undefined ? readDraft(draft, type, types) : readText(text, type, types)
  const required = actorsFor(value)
  const actAs = chosen ?? likelyActors(required)
  const forbidden = actAs.filter((party) => !mayActAs(party))
  const submission = submissionOf(commandId, actAs, commandWith(value))
  const isReady = problems.length === 0 && actAs.length > 0
  const isSendable = isReady && forbidden.length === 0
  const request = { method: 'POST', path: submitPath, body: { commands: submission } } as const
  const focusOn = (path: string) =>
    text === undefined ? focusField(path) : json.current?.querySelector('textarea')?.focus()
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
          <div class="row form-head">
            <Views content={content.value} type={type} types={types} set={set} />
            {isKept.value && (
              <>
                <span class="faint">As you left it</span>
                <Button kind="quiet" onClick={empty}>
                  Start anew
                </Button>
              </>
            )}
          </div>
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
          {text === undefined ? (
            <ValueField
              {...{ label: '', path: '', type, types, bound: unbound, draft }}
              onChange={(next) => set({ draft: next })}
            />
          ) : (
            <div ref={json}>
              <TextField
                label="Value"
                rows={Math.min(rowsMax, Math.max(rowsMin, text.split('\n').length + 1))}
                isMono
                value={text}
                error={problems[0]?.words}
                note="JSON, as in the API"
                onInput={(next) => set({ text: next })}
              />
            </div>
          )}
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

const rowsMin = 8
const rowsMax = 30

type ViewsProps = {
  readonly content: Content
  readonly type: TypeDescription
  readonly types: Types
  readonly set: (changes: Partial<Content>) => void
}

/** Fields, or JSON; what was entered goes along, unless the fields could not show it. */
function Views({ content: { draft, text }, type, types, set }: ViewsProps) {
  const isStuck = text !== undefined && formOf(text, type, types) === undefined
  return (
    <>
      <Tabs
        label="How to enter it"
        value={text === undefined ? 'form' : 'json'}
        options={[
          ['form', 'Form'],
          ['json', 'JSON'],
        ]}
        onChange={(view) => {
          if (view === 'json' && text === undefined) set({ text: JSON.stringify(jsonOf(draft, type, types), null, 2) })
          const form = view === 'form' && text !== undefined ? formOf(text, type, types) : undefined
          if (form !== undefined) set({ draft: form, text: undefined })
        }}
      />
      {isStuck && <span class="faint">The form cannot show this JSON</span>}
    </>
  )
}

/** Undefined if something of the text would be lost. */
function formOf(text: string, type: TypeDescription, types: Types): Draft | undefined {
  const { value, problems } = readText(text, type, types)
  return problems.some(({ isOfShape }) => isOfShape) ? undefined : draftFrom(value, type, types)
}

type Read = { readonly value: Json; readonly problems: readonly ValueProblem[] }

function readDraft(draft: Draft, type: TypeDescription, types: Types): Read {
  return { value: jsonOf(draft, type, types), problems: problemsInDraft(draft, type, types) }
}

function readText(text: string, type: TypeDescription, types: Types): Read {
  try {
    const value = JSON.parse(text) as Json
    return { value, problems: problemsInJson(value, type, types) }
  } catch (error) {
    return { value: null, problems: [{ path: '', words: (error as Error).message, isOfShape: true }] }
  }
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

/** What the form holds, kept while it changes. */
function useKeptContent({ formKey, initial, type, types }: Props) {
  const kept = useMemo(() => keptForm(formKey), [])
  const blank = (): Content => ({
    draft: initial === undefined ? blankOf(type, types) : draftFrom(initial, type, types),
    text: undefined,
    actAs: undefined,
  })
  const content: Signal<Content> = useSignal(
    useMemo(
      () =>
        kept === undefined
          ? blank()
          : { draft: draftFrom(kept.value, type, types), text: kept.text, actAs: kept.actAs },
      [],
    ),
  )
  const isKept = useSignal(kept !== undefined)
  return {
    content,
    isKept,
    set(changes: Partial<Content>) {
      const next = { ...content.peek(), ...changes }
      content.value = next
      keepForm(formKey, { value: jsonOf(next.draft, type, types), text: next.text, actAs: next.actAs })
    },
    empty() {
      content.value = blank()
      isKept.value = false
      dropForm(formKey)
    },
  }
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
