// A form field for several parties.
import { useSignal } from '@preact/signals'
import { IconButton } from './button.tsx'
import { hintOf, Party } from './names.tsx'
import { partyOptions } from './party-options.tsx'
import { Picker } from './picker.tsx'

type Props = {
  readonly label: string
  readonly value: readonly string[]
  readonly onChange: (parties: readonly string[]) => void
}

export function PartiesField({ label, value, onChange }: Props) {
  const text = useSignal('')
  const add = (party: string) => {
    text.value = ''
    if (!value.includes(party)) onChange([...value, party])
  }
  return (
    <div class="parties-field">
      <Picker
        label={label}
        value={text.value}
        find={partyOptions}
        isOnlyFound
        onPick={add}
        placeholder={value.length === 0 ? 'Party' : 'Another party'}
        onInput={(next) => {
          text.value = next
        }}
      />
      {value.length > 0 && (
        <ul class="chips">
          {value.map((party) => (
            <li key={party}>
              <Party id={party} isLink={false} />
              <IconButton
                icon="close"
                label={`Remove ${hintOf(party)}`}
                onClick={() => onChange(value.filter((one) => one !== party))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
