// The filters of the list of updates. They are in the address, so that a link shares them.
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'
import { query, setQuery } from '../state/location.ts'
import { zoneName } from '../state/time-zone.ts'

const names = ['kind', 'template', 'choice', 'commandId', 'from', 'to'] as const

export function UpdateFilters() {
  const given = query.value
  const text = (name: string) => given.get(name) ?? ''
  const set = (name: string) => (value: string) => setQuery({ [name]: value, upTo: undefined })
  const isFiltered = names.some((name) => given.has(name))
  return (
    <details class="filter-box" open={isFiltered}>
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
        <TextField
          label="Template"
          value={text('template')}
          onInput={set('template')}
          placeholder="#package:Module:Template"
        />
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
