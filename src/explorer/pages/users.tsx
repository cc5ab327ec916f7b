// Users: who calls the API. Their rights are on their own pages.
import { useSignal } from '@preact/signals'
import { createUser, type KnownUser, readUsers } from '../api/people.ts'
import type { Right } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { TextField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Link } from '../parts/link.tsx'
import { Party } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pager, usePaging } from '../parts/paging.tsx'
import { PartyField } from '../parts/party-field.tsx'
import { Problem } from '../parts/problem.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { navigate, pathTo } from '../state/location.ts'

const rowsShown = 50

const columns: readonly Column<KnownUser>[] = [
  { name: 'user', title: 'User', show: ({ id }) => <Link to={pathTo('users', id)}>{id}</Link> },
  {
    name: 'primary',
    title: 'Primary party',
    show: ({ primaryParty }) => (primaryParty === '' ? <span class="faint">none</span> : <Party id={primaryParty} />),
  },
  {
    name: 'state',
    title: 'State',
    show: ({ isDeactivated }) =>
      isDeactivated ? <Badge kind="danger">deactivated</Badge> : <Badge kind="create">active</Badge>,
  },
  {
    name: 'provider',
    title: 'Identity provider',
    isWide: true,
    show: ({ identityProviderId }) => identityProviderId || 'default',
  },
]

export function UsersPage() {
  const isAdding = useSignal(false)
  const paging = usePaging([ledgerEpoch.value])
  const { value, error } = useLoaded(
    (signal) => readUsers({ size: rowsShown, token: paging.token }, signal),
    [paging.token, ledgerEpoch.value],
  ).value
  return (
    <>
      <PageHead title="Users" note="Who calls the API, with which rights">
        <Button
          kind="primary"
          icon="plus"
          onClick={() => {
            isAdding.value = true
          }}
        >
          New user
        </Button>
      </PageHead>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="users" />
      ) : value.items.length === 0 ? (
        <Empty icon="users" title="No users" />
      ) : (
        <>
          <Table
            caption="Users"
            columns={columns}
            rows={value.items}
            keyOf={({ id }) => id}
            linkOf={({ id }) => pathTo('users', id)}
          />
          <Pager paging={paging} next={value.next} />
        </>
      )}
      {isAdding.value && (
        <NewUser
          onClose={() => {
            isAdding.value = false
          }}
        />
      )}
    </>
  )
}

/** Its first right, if it has a primary party, is to act as it; others are granted on its page. */
function NewUser({ onClose }: { readonly onClose: () => void }) {
  const id = useSignal('')
  const party = useSignal('')
  const provider = useSignal('')

  async function create(): Promise<void> {
    const user = {
      id: id.value.trim(),
      primaryParty: party.value.trim(),
      identityProviderId: provider.value.trim(),
    }
    const rights: Right[] =
      user.primaryParty === '' ? [] : [{ kind: { CanActAs: { value: { party: user.primaryParty } } } }]
    await createUser(user, rights)
    navigate(pathTo('users', user.id))
  }

  return (
    <FormDialog
      title="New user"
      action="Create"
      isIncomplete={id.value.trim() === ''}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField
        label="User id"
        value={id.value}
        onInput={(text) => {
          id.value = text
        }}
      />
      <PartyField
        label="Primary party, which the user may then act as"
        value={party.value}
        onChange={(next) => {
          party.value = next
        }}
      />
      <TextField
        label="Identity provider"
        value={provider.value}
        note="Empty for the default one"
        onInput={(text) => {
          provider.value = text
        }}
      />
    </FormDialog>
  )
}
