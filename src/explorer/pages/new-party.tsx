// The form for a new party.
import { useSignal } from '@preact/signals'
import { get } from '../api/client.ts'
import { allocateParty } from '../api/people.ts'
import { SelectField, TextField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useLoaded } from '../state/loading.ts'
import { toast } from '../state/toasts.ts'

type Connected = { readonly synchronizerAlias: string; readonly synchronizerId: string }

export function NewParty({ onClose }: { readonly onClose: () => void }) {
  const hint = useSignal('')
  const user = useSignal('')
  const place = useSignal('')
  const places = useLoaded(readSynchronizers, []).value.value ?? []
  const synchronizerId = place.value || places[0]?.synchronizerId

  async function allocate(): Promise<void> {
    const { party } = await allocateParty({
      partyIdHint: hint.value.trim(),
      ...(user.value.trim() !== '' && { userId: user.value.trim() }),
      ...(synchronizerId !== undefined && places.length > 1 && { synchronizerId }),
    })
    toast(`Allocated ${party}`)
  }

  return (
    <FormDialog title="New party" action="Allocate" onSubmit={allocate} onClose={onClose}>
      <TextField
        label="Hint"
        value={hint.value}
        note="The first part of its id: letters, digits, spaces, -, _ and :. Empty for a random one"
        onInput={(text) => {
          hint.value = text
        }}
      />
      <TextField
        label="User"
        value={user.value}
        note="Gets the right to act as the party. May be empty"
        onInput={(text) => {
          user.value = text
        }}
      />
      {places.length > 1 && (
        <SelectField
          label="Synchronizer"
          value={synchronizerId ?? ''}
          options={places.map((one) => [one.synchronizerId, one.synchronizerAlias])}
          onChange={(id) => {
            place.value = id
          }}
        />
      )}
    </FormDialog>
  )
}

async function readSynchronizers(signal: AbortSignal): Promise<readonly Connected[]> {
  const answer = await get<{ connectedSynchronizers?: Connected[] }>('/v2/state/connected-synchronizers', { signal })
  return answer.connectedSynchronizers ?? []
}
