// Which contracts are listed: of one template or interface, with a text in them, and with values in their fields. In the
// address, so that a link shares it.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ContractPlace, filtersInAddress } from '../api/contract-address.ts'
import type { FieldFilter } from '../api/contract-query.ts'
import type { ContractRow } from '../api/contract-rows.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'
import { chooseKind, type Kind, KindPicker } from '../parts/kind-picker.tsx'
import { hintOf } from '../parts/names.tsx'
import { PartyField } from '../parts/party-field.tsx'
import { setQuery } from '../state/location.ts'
import { referenceTo } from '../state/packages.ts'
import { session } from '../state/session.ts'
import { type FilterField, fieldsToFilter } from './contract-fields.ts'

const quickMax = 6
const pauseMs = 250
const testWords = { equals: 'is', contains: 'contains', greater: 'is greater than', less: 'is less than' } as const

type Props = {
  readonly kind: Kind | undefined
  readonly place: ContractPlace
  readonly found: readonly ContractRow[]
}

export function ContractFilters({ kind, place, found }: Props) {
  const names = [...new Set(found.map(({ event }) => referenceTo(event.templateId, event.packageName)))]
  return (
    <>
      <div class="filters contract-filters">
        <KindPicker />
        {session.value.isDevelopment && <TextFilter text={place.text} />}
      </div>
      {kind === undefined && names.length > 1 && (
        <p class="quick">
          {names.slice(0, quickMax).map((name) => (
            <Button key={name} onClick={() => chooseKind(name)}>
              {name.split(':').at(-1)}
            </Button>
          ))}
        </p>
      )}
      {session.value.isDevelopment ? (
        <FieldFilters filters={place.filters} fields={fieldsToFilter(kind, found)} />
      ) : (
        <p class="faint">
          Filtering and sorting by fields look through all contracts, so only development nodes offer them.
        </p>
      )}
    </>
  )
}

/** The node looks through all contracts for a text, so it is asked a moment after the last key. */
function TextFilter({ text }: { readonly text: string }) {
  const typed = useSignal<string | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <TextField
      label="Contains"
      value={typed.value ?? text}
      onInput={(next) => {
        typed.value = next
        clearTimeout(timer.current)
        timer.current = setTimeout(() => {
          typed.value = undefined
          setQuery({ text: next, page: undefined })
        }, pauseMs)
      }}
      placeholder="Any text in its fields"
    />
  )
}

type FieldFiltersProps = { readonly filters: readonly FieldFilter[]; readonly fields: readonly FilterField[] }

/** Conditions as chips; the words of a chip change it. */
function FieldFilters({ filters, fields }: FieldFiltersProps) {
  /** The one that is edited; the number of filters for a new one. */
  const edited = useSignal<number | undefined>(undefined)
  const save = (next: readonly FieldFilter[]) => {
    edited.value = undefined
    setQuery(filtersInAddress(next), { isStep: true })
  }
  const current = edited.value
  return (
    <div class="field-filters">
      {filters.length > 0 && (
        <ul class="chips">
          {filters.map((filter, index) => (
            <li key={`${filter.field} ${filter.test} ${filter.value}`}>
              <button
                type="button"
                class="chip-words"
                title={`Change: ${wordsOf(filter, filter.value)}`}
                onClick={() => {
                  edited.value = index
                }}
              >
                {wordsOf(filter, shortValue(filter.value))}
              </button>
              <IconButton
                icon="close"
                label={`Remove the filter ${wordsOf(filter, shortValue(filter.value))}`}
                onClick={() => save(filters.toSpliced(index, 1))}
              />
            </li>
          ))}
        </ul>
      )}
      {current === undefined ? (
        <Button
          kind="quiet"
          icon="filter"
          onClick={() => {
            edited.value = filters.length
          }}
        >
          Add a filter
        </Button>
      ) : (
        <FilterForm
          key={current}
          filter={filters[current] ?? { field: fields[0]?.name ?? '', test: 'equals', value: '' }}
          isNew={current >= filters.length}
          fields={fields}
          onSave={(filter) => save(filters.toSpliced(current, 1, filter))}
          onCancel={() => {
            edited.value = undefined
          }}
        />
      )}
    </div>
  )
}

type FormProps = {
  readonly filter: FieldFilter
  readonly isNew: boolean
  readonly fields: readonly FilterField[]
  readonly onSave: (filter: FieldFilter) => void
  readonly onCancel: () => void
}

function FilterForm({ filter, isNew, fields, onSave, onCancel }: FormProps) {
  const draft = useSignal(filter)
  const change = (part: Partial<FieldFilter>) => {
    draft.value = { ...draft.value, ...part }
  }
  const { field, test, value } = draft.value
  const known = new Set([...fields.map(({ name }) => name), ...(field === '' ? [] : [field])])
  const isParty = fields.some(({ name, isParty: is }) => name === field && is)
  return (
    <form
      class="filters filter-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (field !== '') onSave({ ...draft.value, field: field.trim(), value: value.trim() })
      }}
    >
      {known.size > 0 ? (
        <SelectField
          label="Field"
          value={field}
          options={[...known].map((name) => [name, name] as const)}
          onChange={(next) => change({ field: next })}
        />
      ) : (
        <TextField label="Field" value={field} onInput={(next) => change({ field: next.replace(/\s/g, '') })} />
      )}
      <SelectField
        label="Test"
        value={test}
        options={Object.entries(testWords)}
        onChange={(next) => change({ test: next as FieldFilter['test'] })}
      />
      {isParty ? (
        <PartyField label="Value" value={value} onChange={(next) => change({ value: next })} />
      ) : (
        <TextField label="Value" value={value} onInput={(next) => change({ value: next })} />
      )}
      <div class="row bottom">
        <Button kind="primary" type="submit" disabled={field === ''}>
          {isNew ? 'Add' : 'Change'}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function wordsOf({ field, test }: FieldFilter, value: string): string {
  return `${field} ${testWords[test]} ${value === '' ? 'empty' : value}`
}

/** Of a party, its hint. */
function shortValue(value: string): string {
  const short = /::1220[0-9a-f]{64}$/.test(value) ? hintOf(value) : value
  return short.length > 40 ? `${short.slice(0, 38)}…` : short
}
