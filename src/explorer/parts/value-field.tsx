// Fields for a Daml value of any type: each kind has its own, and they nest as the type does.
import type { ComponentChildren } from 'preact'
import { type Bound, blankOf, type Draft, dataOf, resolved, type Types } from '../api/drafts.ts'
import { fieldPath, itemPath, problemWith } from '../api/value-problems.ts'
import type { TypeDescription } from '../state/packages.ts'
import { Button, IconButton } from './button.tsx'
import { contractOptions } from './contract-options.tsx'
import { CheckField, SelectField, TextField } from './fields.tsx'
import { partyOptions } from './party-options.tsx'
import { Picker } from './picker.tsx'
import { counted } from './quantities.ts'
import { typeText } from './type-text.ts'

type Props = {
  readonly label: string
  /** Its place in the whole value, as problems name it (api/value-problems.ts). */
  readonly path: string
  readonly type: TypeDescription
  readonly types: Types
  readonly bound: Bound
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

/** Where a problem is. */
export function focusField(path: string): void {
  document.getElementById(placeOf(path))?.querySelector<HTMLElement>('input, select, textarea')?.focus()
}

export const placeOf = (path: string) => `field-${path}`

export function ValueField(props: Props): ComponentChildren {
  const { label, path, draft, onChange } = props
  switch (draft.kind) {
    case 'unit':
      return null
    case 'flag':
      return (
        <CheckField label={label} isChecked={draft.isSet} onChange={(isSet) => onChange({ kind: 'flag', isSet })} />
      )
    case 'json':
      return (
        <div id={placeOf(path)}>
          <TextField
            label={label}
            value={draft.text}
            rows={2}
            isMono
            note="As JSON"
            onInput={(text) => onChange({ kind: 'json', text })}
          />
        </div>
      )
    case 'text':
      return (
        <div id={placeOf(path)}>
          <Scalar {...props} text={draft.text} />
        </div>
      )
    case 'optional':
      return <OptionalField {...props} some={draft.some} />
    case 'list':
      return <ListField {...props} items={draft.items} />
    case 'entries':
      return <EntriesField {...props} entries={draft.entries} />
    case 'record':
      return <RecordField {...props} fields={draft.fields} />
    case 'variant':
      return <VariantField {...props} variant={draft} />
  }
}

function Scalar({ label, type: given, types, bound, text, onChange }: Props & { readonly text: string }) {
  const type = resolved(given, bound)
  const set = (next: string) => onChange({ kind: 'text', text: next })
  const data = type.kind === 'Data' ? dataOf(type, types, bound)?.data : undefined
  if (data?.kind === 'enum') {
    return <SelectField label={label} value={text} options={data.names.map((name) => [name, name])} onChange={set} />
  }
  if (type.kind === 'Party') {
    return <Picker label={label} value={text} find={partyOptions} onInput={set} onPick={set} placeholder="Party" />
  }
  if (type.kind === 'ContractId') {
    const find = contractOptions(type.of)
    return <Picker label={label} value={text} find={find} onInput={set} onPick={set} placeholder="Contract id" />
  }
  const error = text === '' ? undefined : problemWith(text, type)
  const note = type.kind === 'Text' ? undefined : noteOf(type)
  const kind = type.kind === 'Date' ? 'date' : 'text'
  return <TextField label={label} value={text} error={error} note={note} type={kind} onInput={set} />
}

function noteOf(type: TypeDescription): string {
  if (type.kind === 'Numeric' && type.scale !== undefined) return `${typeText(type)}: ${scaleText(type.scale)}`
  return type.kind === 'Timestamp' ? 'Time, in UTC' : typeText(type)
}

const scaleText = (scale: number) =>
  scale === 0 ? 'a whole number' : `up to ${counted(scale, 'digit')} after the point`

function OptionalField({ some, ...props }: Props & { readonly some: Draft | undefined }) {
  const { label, type: given, types, bound, onChange } = props
  const type = resolved(given, bound)
  const of = type.kind === 'Optional' ? type.of : ({ kind: 'Unknown' } as const)
  return (
    <Group label={label} isQuiet>
      <CheckField
        label={`${label}: given`}
        isChecked={some !== undefined}
        onChange={(isGiven) => onChange({ kind: 'optional', some: isGiven ? blankOf(of, types, bound) : undefined })}
      />
      {some !== undefined && (
        <ValueField {...props} type={of} draft={some} onChange={(next) => onChange({ kind: 'optional', some: next })} />
      )}
    </Group>
  )
}

function ListField({ items, ...props }: Props & { readonly items: readonly Draft[] }) {
  const { label, path, type: given, types, bound, onChange } = props
  const type = resolved(given, bound)
  const of = type.kind === 'List' ? type.of : ({ kind: 'Unknown' } as const)
  const set = (next: readonly Draft[]) => onChange({ kind: 'list', items: next })
  return (
    <Group label={label}>
      {items.map((item, index) => (
        <Removable key={index} what={`${label} ${index + 1}`} onRemove={() => set(items.toSpliced(index, 1))}>
          <ValueField
            {...props}
            label={`${label} ${index + 1}`}
            path={itemPath(path, index)}
            type={of}
            draft={item}
            onChange={(next) => set(items.with(index, next))}
          />
        </Removable>
      ))}
      <Button kind="quiet" icon="plus" onClick={() => set([...items, blankOf(of, types, bound)])}>
        Add to {label}
      </Button>
    </Group>
  )
}

type Entries = readonly (readonly [Draft, Draft])[]

function EntriesField({ entries, ...props }: Props & { readonly entries: Entries }) {
  const { label, path, type: given, types, bound, onChange } = props
  const type = resolved(given, bound)
  const keyType: TypeDescription = type.kind === 'GenMap' ? type.key : { kind: 'Text' }
  const of = 'of' in type ? type.of : ({ kind: 'Unknown' } as const)
  const set = (next: Entries) => onChange({ kind: 'entries', entries: next })
  return (
    <Group label={label}>
      {entries.map(([key, value], index) => (
        <Removable
          key={index}
          what={`entry ${index + 1} of ${label}`}
          onRemove={() => set(entries.toSpliced(index, 1))}
        >
          <ValueField
            {...props}
            label={`${label} key ${index + 1}`}
            path={itemPath(path, index, 'key')}
            type={keyType}
            draft={key}
            onChange={(next) => set(entries.with(index, [next, value]))}
          />
          <ValueField
            {...props}
            label={`${label} value ${index + 1}`}
            path={itemPath(path, index, 'value')}
            type={of}
            draft={value}
            onChange={(next) => set(entries.with(index, [key, next]))}
          />
        </Removable>
      ))}
      <Button
        kind="quiet"
        icon="plus"
        onClick={() => set([...entries, [blankOf(keyType, types, bound), blankOf(of, types, bound)]])}
      >
        Add to {label}
      </Button>
    </Group>
  )
}

type Fields = readonly (readonly [name: string, Draft])[]

function RecordField({ fields, ...props }: Props & { readonly fields: Fields }) {
  const { label, path, type: given, types, bound: outer, onChange } = props
  const type = resolved(given, outer)
  const found = type.kind === 'Data' ? dataOf(type, types, outer) : undefined
  if (found?.data.kind !== 'record') return null
  const { data, bound } = found
  const inside = fields.map(([name, draft], index) => (
    <ValueField
      key={name}
      label={name}
      path={fieldPath(path, name)}
      type={data.fields[index]!.type}
      types={types}
      bound={bound}
      draft={draft}
      onChange={(next) => onChange({ kind: 'record', fields: fields.with(index, [name, next]) })}
    />
  ))
  return label === '' ? <div class="value-fields">{inside}</div> : <Group label={label}>{inside}</Group>
}

function VariantField({ variant, ...props }: Props & { readonly variant: Draft & { readonly kind: 'variant' } }) {
  const { label, path, type: given, types, bound: outer, onChange } = props
  const type = resolved(given, outer)
  const found = type.kind === 'Data' ? dataOf(type, types, outer) : undefined
  if (found?.data.kind !== 'variant') return null
  const { data, bound } = found
  const typeOf = (tag: string): TypeDescription =>
    data.constructors.find(({ name }) => name === tag)?.type ?? { kind: 'Unknown' }
  return (
    <Group label={label} isQuiet>
      <SelectField
        label={label}
        value={variant.tag}
        options={data.constructors.map(({ name }) => [name, name])}
        onChange={(tag) => onChange({ kind: 'variant', tag, value: blankOf(typeOf(tag), types, bound) })}
      />
      <ValueField
        label={variant.tag}
        path={fieldPath(path, variant.tag)}
        type={typeOf(variant.tag)}
        types={types}
        bound={bound}
        draft={variant.value}
        onChange={(value) => onChange({ ...variant, value })}
      />
    </Group>
  )
}

type GroupProps = { readonly label: string; readonly isQuiet?: boolean; readonly children: ComponentChildren }

/** The legend of a quiet group is only heard: the field inside says the same. */
function Group({ label, isQuiet = false, children }: GroupProps) {
  return (
    <fieldset class={isQuiet ? 'group quiet' : 'group'}>
      <legend class={isQuiet ? 'unseen' : undefined}>{label}</legend>
      {children}
    </fieldset>
  )
}

type RemovableProps = { readonly what: string; readonly onRemove: () => void; readonly children: ComponentChildren }

function Removable({ what, onRemove, children }: RemovableProps) {
  return (
    <div class="removable">
      <div class="value-fields">{children}</div>
      <IconButton icon="close" label={`Remove ${what}`} onClick={onRemove} />
    </div>
  )
}
