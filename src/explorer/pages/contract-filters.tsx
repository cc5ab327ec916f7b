// Which contracts are listed: of one template or interface, and with a text in them. In the address, so that a link shares
// it.
import { useSignal } from '@preact/signals'
import type { ContractRow } from '../api/contract-rows.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { Picker } from '../parts/picker.tsx'
import { kindOptions } from '../parts/template-options.tsx'
import { query, setQuery } from '../state/location.ts'
import { referenceTo } from '../state/packages.ts'

const quickMax = 6

export function ContractFilters({ found }: { readonly found: readonly ContractRow[] }) {
  const chosen = query.value.get('template') ?? query.value.get('interface') ?? ''
  const typed = useSignal<string | undefined>(undefined)
  const names = [...new Set(found.map(({ event }) => referenceTo(event.templateId, event.packageName)))]
  const choose = (value: string) => {
    typed.value = undefined
    const isInterface = value.startsWith('interface ')
    const name = value.replace('interface ', '')
    setQuery({ template: isInterface ? undefined : name, interface: isInterface ? name : undefined })
  }
  return (
    <>
      <div class="filters">
        <Picker
          label="Template or interface"
          placeholder="All"
          value={typed.value ?? chosen}
          find={kindOptions}
          onInput={(text) => {
            typed.value = text
            if (text === '') choose('')
          }}
          onPick={choose}
        />
        <TextField
          label="Contains"
          value={query.value.get('text') ?? ''}
          onInput={(text) => setQuery({ text })}
          placeholder="Any text in its fields"
        />
      </div>
      {chosen === '' && names.length > 1 && (
        <p class="quick">
          {names.slice(0, quickMax).map((name) => (
            <Button key={name} kind="plain" onClick={() => choose(name)}>
              {name.split(':').at(-1)}
            </Button>
          ))}
        </p>
      )}
    </>
  )
}
