// The search box: any name, id, party or value leads to its place.
import { useSignal } from '@preact/signals'
import { Icon } from '../parts/icon.tsx'
import { Picker } from '../parts/picker.tsx'
import { navigate } from '../state/location.ts'
import { findPlaces } from './search-places.tsx'

export const searchId = 'search'

export function Search() {
  const text = useSignal('')
  return (
    <search class="search">
      <Icon name="search" />
      <Picker
        inputId={searchId}
        label="Search"
        isLabelHidden
        placeholder="Search: template, choice, party, id, offset, value"
        value={text.value}
        find={findPlaces}
        isOnlyFound
        onInput={(next) => {
          text.value = next
        }}
        onPick={(to) => {
          text.value = ''
          document.getElementById('content')?.focus() // So that keys are shortcuts again.
          navigate(to)
        }}
      />
      <kbd title="Press / to search">/</kbd>
    </search>
  )
}
