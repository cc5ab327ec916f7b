// The annotations of a party or user: names and values that applications keep there.
import { TextField } from './fields.tsx'

type Annotations = Readonly<Record<string, string>>

export function AnnotationList({ annotations }: { readonly annotations: Annotations }) {
  const entries = Object.entries(annotations)
  if (entries.length === 0) return <span class="faint">none</span>
  return (
    <dl class="annotations">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt class="mono">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

type FieldProps = { readonly value: string; readonly onInput: (text: string) => void }

export function AnnotationsField({ value, onInput }: FieldProps) {
  const error = annotationsFrom(value) === undefined ? 'Each line is name=value' : undefined
  return (
    <TextField
      label="Annotations"
      value={value}
      onInput={onInput}
      error={error}
      isMono
      rows={4}
      note="One a line: name=value"
    />
  )
}

export function annotationText(annotations: Annotations): string {
  return Object.entries(annotations)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

/** Undefined if a line is not name=value. */
export function annotationsFrom(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line) => /^\s*([^=\s]+)\s*=(.+)$/.exec(line))
  if (pairs.includes(null)) return undefined
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!.trim()]))
}
