// Which users may act or read as a party, for administrators. The API lists rights by user, so users are looked through page
// by page.
import { useSignal } from '@preact/signals'
import { readRights, readUsers, rightsReaching } from '../api/people.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/empty.tsx'
import { Link } from '../parts/link.tsx'
import { Problem } from '../parts/problem.tsx'
import { counted } from '../parts/quantities.ts'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { pathTo } from '../state/location.ts'

type Entitled = { readonly user: string; readonly rights: readonly string[] }
type Found = { readonly entitled: readonly Entitled[]; readonly looked: number; readonly isMore: boolean }

const usersPerLook = 50

/** One user after the other: a look costs the node a bounded share of its time. */
async function usersReaching(party: string, lookedMax: number, signal: AbortSignal): Promise<Found> {
  const entitled: Entitled[] = []
  let [looked, token] = [0, undefined as string | undefined]
  do {
    const { items, next } = await readUsers({ size: usersPerLook, token }, signal)
    for (const { id } of items) {
      const rights = rightsReaching(await readRights(id, signal), party)
      if (rights.length > 0) entitled.push({ user: id, rights })
    }
    looked += items.length
    token = next
  } while (token !== undefined && looked < lookedMax)
  return { entitled, looked, isMore: token !== undefined }
}

const columns: readonly Column<Entitled>[] = [
  { name: 'user', title: 'User', show: ({ user }) => <Link to={pathTo('users', user)}>{user}</Link> },
  {
    name: 'rights',
    title: 'Rights',
    isWide: true,
    show: ({ rights }) => (
      <span class="row">
        {rights.map((right) => (
          <Badge key={right} kind={right.startsWith('CanActAs') ? 'accent' : 'neutral'}>
            {right}
          </Badge>
        ))}
      </span>
    ),
  },
]

export function PartyRights({ id }: { readonly id: string }) {
  const lookedMax = useSignal(usersPerLook)
  const { value, error } = useLoaded(
    (signal) => usersReaching(id, lookedMax.value, signal),
    [id, lookedMax.value, ledgerEpoch.value],
  ).value
  return (
    <section aria-labelledby="party-rights">
      <div class="section-head">
        <h2 id="party-rights">Who may act or read as it</h2>
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="rights" />
      ) : (
        <>
          {value.entitled.length > 0 ? (
            <Table
              caption="Users with rights"
              columns={columns}
              rows={value.entitled}
              keyOf={({ user }) => user}
              linkOf={({ user }) => pathTo('users', user)}
            />
          ) : (
            <p class="faint">None of {counted(value.looked, 'user')} has a right for it</p>
          )}
          {value.isMore && (
            <div class="pager">
              <span>{counted(value.looked, 'user')} looked through</span>
              <Button
                onClick={() => {
                  lookedMax.value += usersPerLook
                }}
              >
                Look further
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}
