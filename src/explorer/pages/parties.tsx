// Parties: those that the node knows, by the beginning of their ids, and a form for new ones.
import { useSignal } from '@preact/signals'
import { type KnownParty, readParties } from '../api/people.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CopyIcon } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { TextField } from '../parts/fields.tsx'
import { Party } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pager, usePaging } from '../parts/paging.tsx'
import { Problem } from '../parts/problem.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { pathTo, query, setQuery } from '../state/location.ts'
import { NewParty } from './new-party.tsx'

const rowsShown = 50

const columns: readonly Column<KnownParty>[] = [
  { name: 'party', title: 'Party', show: ({ party }) => <Party id={party} /> },
  {
    name: 'id',
    title: 'Id',
    isWide: true,
    show: ({ party }) => (
      <span class="with-copy">
        <span class="mono cut" title={party}>
          {party}
        </span>
        <CopyIcon text={party} what="the party id" />
      </span>
    ),
  },
  {
    name: 'hosted',
    title: 'Hosted',
    show: ({ isLocal }) => (isLocal ? <Badge kind="accent">here</Badge> : <Badge>elsewhere</Badge>),
  },
  { name: 'provider', title: 'Identity provider', show: ({ identityProviderId }) => identityProviderId || 'default' },
]

export function PartiesPage() {
  const isAdding = useSignal(false)
  const added = useSignal(0)
  const prefix = query.value.get('prefix') ?? ''
  const paging = usePaging([prefix, ledgerEpoch.value])
  const { value, error } = useLoaded(
    (signal) => readParties({ prefix, size: rowsShown, token: paging.token }, signal),
    [prefix, paging.token, added.value, ledgerEpoch.value],
  ).value
  return (
    <>
      <PageHead title="Parties" note="Who acts on the ledger">
        <Button
          kind="primary"
          icon="plus"
          onClick={() => {
            isAdding.value = true
          }}
        >
          New party
        </Button>
      </PageHead>
      <div class="filters">
        <TextField
          label="Id begins with"
          type="search"
          value={prefix}
          onInput={(text) => setQuery({ prefix: text.trim() })}
        />
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="parties" />
      ) : value.items.length === 0 ? (
        <Empty icon="users" title={prefix === '' ? 'No parties yet' : `No party begins with ${prefix}`} />
      ) : (
        <>
          <Table
            caption="Parties"
            columns={columns}
            rows={value.items}
            keyOf={({ party }) => party}
            linkOf={({ party }) => pathTo('parties', party)}
          />
          <Pager paging={paging} next={value.next} />
        </>
      )}
      {isAdding.value && (
        <NewParty
          onClose={() => {
            isAdding.value = false
            added.value += 1
          }}
        />
      )}
    </>
  )
}
