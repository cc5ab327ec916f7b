// A form field for a party, found by its hint while one types.
import { partyOptions } from './party-options.tsx'
import { Picker } from './picker.tsx'

type Props = { readonly label: string; readonly value: string; readonly onChange: (party: string) => void }

export function PartyField({ label, value, onChange }: Props) {
  return (
    <Picker
      label={label}
      value={value}
      placeholder="Hint or party id"
      find={partyOptions}
      onInput={onChange}
      onPick={onChange}
    />
  )
}
