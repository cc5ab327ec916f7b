// Form fields with their labels, notes and errors. Forms of values (records, variants, …) are built from these.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  readonly label: string
  readonly note?: ComponentChildren
  readonly error?: string | undefined
  /** Gets the ids that connect it with its label and its words. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby': string }) => ComponentChildren
}

export function Field({ label, note, error, children }: FieldProps) {
  const id = useId()
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-words` })}
      <p id={`${id}-words`} class="field-words">
        {error ?? note}
      </p>
    </div>
  )
}

type TextFieldProps = {
  readonly label: string
  readonly value: string
  readonly onInput: (text: string) => void
  readonly note?: ComponentChildren
  readonly error?: string | undefined
  readonly placeholder?: string
  readonly isMono?: boolean
  readonly rows?: number
  /** Of numbers and times. */
  readonly step?: number
  readonly type?: 'text' | 'number' | 'date' | 'datetime-local' | 'password' | 'search'
}

export function TextField({
  label,
  value,
  onInput,
  note,
  error,
  isMono,
  rows,
  type = 'text',
  ...rest
}: TextFieldProps) {
  const look = isMono ? 'mono' : undefined
  return (
    <Field label={label} note={note} error={error}>
      {(ids) =>
        rows === undefined ? (
          <input
            {...ids}
            {...rest}
            type={type as 'text'}
            class={look}
            value={value}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={error !== undefined}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        ) : (
          <textarea
            {...ids}
            {...rest}
            rows={rows}
            class={look}
            value={value}
            spellcheck={false}
            aria-invalid={error !== undefined}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )
      }
    </Field>
  )
}

type SelectFieldProps = {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onChange: (value: string) => void
  readonly note?: ComponentChildren
}

export function SelectField({ label, value, options, onChange, note }: SelectFieldProps) {
  return (
    <Field label={label} note={note}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([of, words]) => (
            <option key={of} value={of} selected={of === value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type CheckFieldProps = {
  readonly label: string
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

export function CheckField({ label, isChecked, onChange }: CheckFieldProps) {
  const id = useId()
  return (
    <div class="field check">
      <input id={id} type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <label for={id}>{label}</label>
    </div>
  )
}
