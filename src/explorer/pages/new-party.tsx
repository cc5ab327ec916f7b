// The form for a new party.
import { useSignal } from '@preact/signals'
import { readSynchronizers } from '../api/ledger-reads.ts'
import { allocateParty } from '../api/people.ts'
import { CheckField, TextField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { hintOf } from '../parts/names.tsx'
import { useLoaded } from '../state/loading.ts'
import { refreshSession, session } from '../state/session.ts'
import { toast } from '../state/toasts.ts'

export function NewParty({ onClose }: { readonly onClose: () => void }) {
  const hint = useSignal('')
  const user = useSignal(session.peek().userId ?? '')
  const leftOut = useSignal<ReadonlySet<string>>(new Set())
  const places = useLoaded(readSynchronizers, []).value.value ?? []
  const chosen = places.filter(({ synchronizerId }) => !leftOut.value.has(synchronizerId))

  /** On one synchronizer after the other: the later ones host a party that exists. */
  async function allocate(): Promise<void> {
    const userId = user.value.trim()
    let partyIdHint = hint.value.trim()
    for (const { synchronizerId } of chosen) {
      const { party } = await allocateParty({ partyIdHint, synchronizerId, ...(userId !== '' && { userId }) })
      partyIdHint = hintOf(party)
    }
    toast(`Allocated ${partyIdHint}`)
    if (userId === session.peek().userId) await refreshSession()
  }

  return (
    <FormDialog
      title="New party"
      action="Allocate"
      isIncomplete={chosen.length === 0}
      onSubmit={allocate}
      onClose={onClose}
    >
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
        <fieldset class="row">
          <legend class="unseen">Synchronizers</legend>
          {places.map(({ synchronizerId, synchronizerAlias }) => (
            <CheckField
              key={synchronizerId}
              label={`On ${synchronizerAlias}`}
              isChecked={!leftOut.value.has(synchronizerId)}
              onChange={(isWanted) => {
                const next = new Set(leftOut.value)
                if (isWanted) next.delete(synchronizerId)
                else next.add(synchronizerId)
                leftOut.value = next
              }}
            />
          ))}
        </fieldset>
      )}
    </FormDialog>
  )
}
