// "View as": narrows every list to what one party sees.
import { useSignal } from '@preact/signals'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { hintOf, Party } from '../parts/names.tsx'
import { partyOptions } from '../parts/party-options.tsx'
import { Picker } from '../parts/picker.tsx'
import { viewAs, viewedParty } from '../state/party-view.ts'

export function PartyView() {
  const text = useSignal('')
  const party = viewedParty.value
  if (party !== undefined) {
    return (
      <div class="party-view chosen">
        <Icon name="eye" />
        <span class="unseen">Viewing as </span>
        <Party id={party} />
        <IconButton icon="close" label={`Stop viewing as ${hintOf(party)}`} onClick={() => viewAs(undefined)} />
      </div>
    )
  }
  return (
    <div class="party-view">
      <Icon name="eye" />
      <Picker
        label="View as party"
        isLabelHidden
        placeholder="View as…"
        value={text.value}
        find={partyOptions}
        isOnlyFound
        onInput={(next) => {
          text.value = next
        }}
        onPick={(picked) => {
          text.value = ''
          viewAs(picked)
        }}
      />
    </div>
  )
}
