// The rights of a user: each can be revoked, and others granted.
import { useSignal } from '@preact/signals'
import {
  grant,
  isOfParty,
  type KnownUser,
  partsOfRight,
  type RightKind,
  readRights,
  revoke,
  rightKinds,
  rightOf,
} from '../api/people.ts'
import type { Right } from '../api/wire.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { SelectField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { hintOf, Party } from '../parts/names.tsx'
import { PartyField } from '../parts/party-field.tsx'
import { Problem } from '../parts/problem.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { confirm } from '../state/confirmation.ts'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { refreshSession, session } from '../state/session.ts'
import { toast, toastError } from '../state/toasts.ts'

const meanings: Readonly<Record<RightKind, string>> = {
  CanActAs: 'Submits commands for the party, and reads what it sees',
  CanReadAs: 'Reads what the party sees',
  CanReadAsAnyParty: 'Reads what every party sees',
  CanExecuteAs: 'Executes submissions that the party signed itself',
  CanExecuteAsAnyParty: 'Executes submissions that any party signed itself',
  ParticipantAdmin: 'Administers the participant',
  IdentityProviderAdmin: 'Administers users and parties of its identity provider',
}

export function UserRights({ user }: { readonly user: KnownUser }) {
  const changes = useSignal(0)
  const isGranting = useSignal(false)
  const { value, error } = useLoaded(
    (signal) => readRights(user.id, signal),
    [user.id, changes.value, ledgerEpoch.value],
  ).value

  async function changed(): Promise<void> {
    changes.value += 1
    if (user.id === session.peek().userId) await refreshSession()
  }

  async function take(right: Right): Promise<void> {
    const { kind, party } = partsOfRight(right)
    const isSure = await confirm({
      title: 'Revoke this right?',
      text: `${user.id} loses ${kind}${party === undefined ? '' : ` ${hintOf(party)}`}, and its open streams end.`,
      action: 'Revoke',
      isDangerous: true,
    })
    if (!isSure) return
    try {
      await revoke(user, right)
      toast(`Revoked ${kind}`)
      await changed()
    } catch (refusal) {
      toastError(refusal)
    }
  }

  const columns: readonly Column<Right>[] = [
    { name: 'kind', title: 'Right', show: (right) => <b>{partsOfRight(right).kind}</b> },
    { name: 'party', title: 'Party', show: (right) => <PartyOf right={right} /> },
    { name: 'meaning', title: 'Meaning', isWide: true, show: (right) => meaningOf(partsOfRight(right).kind) },
    {
      name: 'revoke',
      title: <span class="unseen">Revoke</span>,
      show: (right) => (
        <Button kind="quiet" onClick={() => void take(right)}>
          Revoke
        </Button>
      ),
    },
  ]
  return (
    <section class="stack">
      <div class="section-head">
        <h2>Rights</h2>
        <Button
          icon="plus"
          onClick={() => {
            isGranting.value = true
          }}
        >
          Grant
        </Button>
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="rights" />
      ) : value.length === 0 ? (
        <Empty icon="eye" title="This user has no rights" />
      ) : (
        <Table caption="Rights" columns={columns} rows={value} keyOf={(right) => JSON.stringify(right)} />
      )}
      {isGranting.value && (
        <Grant
          user={user}
          onClose={() => {
            isGranting.value = false
            void changed().catch(toastError)
          }}
        />
      )}
    </section>
  )
}

function PartyOf({ right }: { readonly right: Right }) {
  const { party } = partsOfRight(right)
  return party === undefined ? <span class="faint">–</span> : <Party id={party} />
}

function meaningOf(kind: string): string {
  return rightKinds.includes(kind as RightKind) ? meanings[kind as RightKind] : ''
}

function Grant({ user, onClose }: { readonly user: KnownUser; readonly onClose: () => void }) {
  const kind = useSignal<RightKind>('CanActAs')
  const party = useSignal('')
  const needsParty = isOfParty(kind.value)
  return (
    <FormDialog
      title={`Grant a right to ${user.id}`}
      action="Grant"
      isIncomplete={needsParty && party.value.trim() === ''}
      onSubmit={() => grant(user, rightOf(kind.value, party.value.trim()))}
      onClose={onClose}
    >
      <SelectField
        label="Right"
        value={kind.value}
        options={rightKinds.map((one) => [one, one])}
        note={meanings[kind.value]}
        onChange={(next) => {
          kind.value = next as RightKind
        }}
      />
      {needsParty && (
        <PartyField
          label="Party"
          value={party.value}
          onChange={(next) => {
            party.value = next
          }}
        />
      )}
    </FormDialog>
  )
}
