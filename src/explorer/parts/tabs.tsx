// One of several views of the same thing, chosen by buttons.
type Props<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [value: T, words: string])[]
  readonly onChange: (value: T) => void
}

export function Tabs<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <fieldset class="tabs">
      <legend class="unseen">{label}</legend>
      {options.map(([of, words]) => (
        <button key={of} type="button" aria-pressed={of === value} onClick={() => onChange(of)}>
          {words}
        </button>
      ))}
    </fieldset>
  )
}
