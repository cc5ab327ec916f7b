// A Daml value while somebody enters it: as fields or as JSON, kept while the tab is open, with what is wrong so far.
import { type Signal, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { blankOf, type Draft, draftFrom, jsonOf, type Types, unbound } from '../api/drafts.ts'
import { problemsInDraft, problemsInJson, type ValueProblem } from '../api/value-problems.ts'
import type { Json } from '../api/wire.ts'
import { dropForm, keepForm, keptForm } from '../state/kept-forms.ts'
import type { TypeDescription } from '../state/packages.ts'
import { Button } from './button.tsx'
import { TextField } from './fields.tsx'
import { Tabs } from './tabs.tsx'
import { focusField, placeOf, ValueField } from './value-field.tsx'

/** What is in the form: a draft of fields, or a text instead of them, and who acts if somebody has chosen that. */
type Content = {
  readonly draft: Draft
  readonly text: string | undefined
  readonly actAs: readonly string[] | undefined
}

type Typed = { readonly type: TypeDescription; readonly types: Types }

type Form = Typed & {
  /** What the form is kept by (state/kept-forms.ts). */
  readonly formKey: string
  /** What the form begins with, unless something was kept. */
  readonly initial?: Json | undefined
}

export type EnteredValue = ReturnType<typeof useEnteredValue>

/** What the form holds, kept while it changes. */
export function useEnteredValue({ formKey, initial, type, types }: Form) {
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
  const { draft, text } = content.value
  return {
    content: content.value,
    isKept: isKept.value,
    ...(text === undefined ? readDraft(draft, { type, types }) : readText(text, { type, types })),
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
    /** Where a problem is. */
    focusOn: (path: string) => focusField(text === undefined ? path : ''),
  }
}

type Read = { readonly value: Json; readonly problems: readonly ValueProblem[] }

function readDraft(draft: Draft, { type, types }: Typed): Read {
  return { value: jsonOf(draft, type, types), problems: problemsInDraft(draft, type, types) }
}

function readText(text: string, { type, types }: Typed): Read {
  try {
    const value = JSON.parse(text) as Json
    return { value, problems: problemsInJson(value, type, types) }
  } catch (error) {
    return { value: null, problems: [{ path: '', words: (error as Error).message, isOfShape: true }] }
  }
}

/** Undefined if something of the text would be lost. */
function formOf(text: string, { type, types }: Typed): Draft | undefined {
  const { value, problems } = readText(text, { type, types })
  return problems.some(({ isOfShape }) => isOfShape) ? undefined : draftFrom(value, type, types)
}

type Props = Typed & { readonly entered: EnteredValue }

/** Fields, or JSON; what was entered goes along, unless the fields could not show it. */
export function HowToEnter({ type, types, entered }: Props) {
  const { content, isKept, set, empty } = entered
  const { draft, text } = content
  const isStuck = text !== undefined && formOf(text, { type, types }) === undefined
  return (
    <div class="row form-head">
      <Tabs
        label="How to enter it"
        value={text === undefined ? 'form' : 'json'}
        options={[
          ['form', 'Form'],
          ['json', 'JSON'],
        ]}
        onChange={(view) => {
          if (view === 'json' && text === undefined) set({ text: JSON.stringify(jsonOf(draft, type, types), null, 2) })
          const form = view === 'form' && text !== undefined ? formOf(text, { type, types }) : undefined
          if (form !== undefined) set({ draft: form, text: undefined })
        }}
      />
      {isStuck && <span class="faint">The form cannot show this JSON</span>}
      {isKept && (
        <>
          <span class="faint">As you left it</span>
          <Button kind="quiet" onClick={empty}>
            Start anew
          </Button>
        </>
      )}
    </div>
  )
}

const rowsMin = 8
const rowsMax = 30

/** The fields of a record need no label around them. */
export function EnteredFields({ label = '', type, types, entered }: Props & { readonly label?: string }) {
  const { content, problems, set } = entered
  const { draft, text } = content
  if (text === undefined) {
    return (
      <ValueField
        {...{ label: draft.kind === 'record' ? '' : label, path: '', type, types, bound: unbound, draft }}
        onChange={(next) => set({ draft: next })}
      />
    )
  }
  return (
    <div id={placeOf('')}>
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
  )
}
