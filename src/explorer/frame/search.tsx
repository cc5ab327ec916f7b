// The search box: an offset, or the beginning of an update id, contract id, party or template leads there.
import { useSignal } from '@preact/signals'
import { Icon } from '../parts/icon.tsx'
import { Picker } from '../parts/picker.tsx'
import { navigate } from '../state/location.ts'
import { toast } from '../state/toasts.ts'
import { findPlaces } from './search-places.tsx'

export const searchId = 'search'

export function Search() {
  const text = useSignal('')

  async function go(picked: string): Promise<void> {
    const wanted = picked.trim()
    if (wanted === '') return
    const to = wanted.startsWith('/') ? wanted : (await findPlaces(wanted, new AbortController().signal))[0]?.value
    if (to === undefined) return toast(`Nothing here begins with ${wanted}`, 'error')
    text.value = ''
    navigate(to)
  }

  return (
    <search class="search">
      <Icon name="search" />
      <Picker
        inputId={searchId}
        label="Search by offset, id, party or template"
        isLabelHidden
        placeholder="Search: offset, id, party, template"
        nothing="Nothing here begins with this"
        value={text.value}
        find={findPlaces}
        onInput={(next) => {
          text.value = next
        }}
        onPick={(picked) => void go(picked)}
      />
      <kbd title="Press / to search">/</kbd>
    </search>
  )
}
