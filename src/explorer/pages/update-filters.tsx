// The filters of the list of updates. They are in the address, so that a link shares them.
import { useSignal } from '@preact/signals'
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'
import { KindPicker } from '../parts/kind-picker.tsx'
import { PartyField } from '../parts/party-field.tsx'
import { query, setQuery } from '../state/location.ts'
import { fieldTextOf, timeFromField, zoneName } from '../state/time-zone.ts'

const names = ['kind', 'party', 'template', 'interface', 'choice', 'commandId', 'after', 'from', 'to'] as const

export function UpdateFilters() {
  const given = query.value
  const text = (name: string) => given.get(name) ?? ''
  const set = (name: string) => (value: string) => setQuery({ [name]: value, upTo: undefined })
  const isFiltered = names.some((name) => given.has(name))
  const isOpen = useSignal(isFiltered) // It stays open when the last filter is cleared.
  return (
    <details
      class="filter-box"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>{isFiltered ? 'Filtered' : 'Filter'}</summary>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SelectField
          label="Kind"
          value={text('kind')}
          onChange={set('kind')}
          options={[
            ['', 'All'],
            ['transaction', 'Transactions'],
            ['reassignment', 'Reassignments'],
            ['topology', 'Topology'],
          ]}
        />
        <PartyField label="Party" value={text('party')} onChange={set('party')} />
        <KindPicker />
        <TextField label="Choice" value={text('choice')} onInput={set('choice')} />
        <TextField label="Command id" value={text('commandId')} onInput={set('commandId')} />
        <TextField label="After offset" type="number" value={text('after')} onInput={set('after')} />
        <TimeField label="From" value={text('from')} onInput={set('from')} />
        <TimeField label="To" value={text('to')} onInput={set('to')} />
        {isFiltered && (
          <Button
            kind="quiet"
            onClick={() => setQuery(Object.fromEntries([...names, 'upTo'].map((name) => [name, undefined])))}
          >
            Clear the filter
          </Button>
        )}
      </form>
    </details>
  )
}

type TimeFieldProps = { readonly label: string; readonly value: string; readonly onInput: (iso: string) => void }

/** The address has UTC, so that a link means the same to everybody; the field has the zone of the reader. */
function TimeField({ label, value, onInput }: TimeFieldProps) {
  return (
    <TextField
      label={`${label} (${zoneName.value})`}
      type="datetime-local"
      step={1}
      value={fieldTextOf(value)}
      onInput={(typed) => onInput(timeFromField(typed))}
    />
  )
}
