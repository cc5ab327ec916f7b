// Which contracts are listed: of one template or interface, and with a text in them. In the address, so that a link shares
// it.
import type { ContractRow } from '../api/contract-rows.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { chooseKind, KindPicker, kindFrom } from '../parts/kind-picker.tsx'
import { query, setQuery } from '../state/location.ts'
import { referenceTo } from '../state/packages.ts'

const quickMax = 6

export function ContractFilters({ found }: { readonly found: readonly ContractRow[] }) {
  const names = [...new Set(found.map(({ event }) => referenceTo(event.templateId, event.packageName)))]
  return (
    <>
      <div class="filters contract-filters">
        <KindPicker />
        <TextField
          label="Contains"
          value={query.value.get('text') ?? ''}
          onInput={(text) => setQuery({ text })}
          placeholder="Any text in its fields"
        />
      </div>
      {kindFrom(query.value) === undefined && names.length > 1 && (
        <p class="quick">
          {names.slice(0, quickMax).map((name) => (
            <Button key={name} onClick={() => chooseKind(name)}>
              {name.split(':').at(-1)}
            </Button>
          ))}
        </p>
      )}
    </>
  )
}
