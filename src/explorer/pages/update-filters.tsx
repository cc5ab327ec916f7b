// The filters of the list of updates. They are in the address, so that a link shares them.
import { useSignal } from '@preact/signals'
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'
import { KindPicker } from '../parts/kind-picker.tsx'
import { query, setQuery } from '../state/location.ts'
import { zoneName } from '../state/time-zone.ts'

const names = ['kind', 'template', 'interface', 'choice', 'commandId', 'from', 'to'] as const

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
        <KindPicker />
        <TextField label="Choice" value={text('choice')} onInput={set('choice')} />
        <TextField label="Command id" value={text('commandId')} onInput={set('commandId')} />
        <TextField
          label={`From (${zoneName.value})`}
          type="datetime-local"
          value={text('from')}
          onInput={set('from')}
        />
        <TextField label={`To (${zoneName.value})`} type="datetime-local" value={text('to')} onInput={set('to')} />
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
