// What a party has on the ledger: its active contracts by template, and its latest updates.
import { queryContracts, type Total } from '../api/contract-query.ts'
import { rowOf } from '../api/contract-rows.ts'
import { readSummaries } from '../api/update-summaries.ts'
import { Empty, Loading } from '../parts/empty.tsx'
import { Link } from '../parts/link.tsx'
import { Template } from '../parts/names.tsx'
import { Problem } from '../parts/problem.tsx'
import { shortTotal } from '../parts/quantities.ts'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { referenceTo } from '../state/packages.ts'
import { asSeenBy, eventFormat, everything, filtersOf, templateFilter, updateFormat } from '../state/party-view.ts'
import { UpdateTable } from './update-table.tsx'

type OfTemplate = { readonly templateId: string; readonly packageName: string; readonly total: Total }
type Counts = { readonly templates: readonly OfTemplate[]; readonly total: Total; readonly isWhole: boolean }

/** So many of the newest and of the oldest contracts tell which templates there are. */
const looked = 100
const templatesMax = 20

async function countByTemplate(party: string, signal: AbortSignal): Promise<Counts> {
  const format = eventFormat(everything, [party])
  const newest = await queryContracts({ format, size: looked }, signal)
  const all = newest.activeContracts.map(({ contractEntry }) => rowOf(contractEntry).event)
  const isWhole = newest.nextPageToken === undefined || newest.nextPageToken === null
  if (!isWhole) {
    const oldest = await queryContracts({ format, size: looked, oldestFirst: true }, signal)
    all.push(...oldest.activeContracts.map(({ contractEntry }) => rowOf(contractEntry).event))
  }
  const groups = [...Map.groupBy(all, ({ templateId, packageName }) => referenceTo(templateId, packageName))]
  const templates: OfTemplate[] = []
  for (const [reference, events] of groups.slice(0, templatesMax)) {
    const { templateId, packageName } = events[0]!
    const of = eventFormat(filtersOf(templateFilter(reference)), [party])
    const total: Total = isWhole
      ? { count: events.length, is: 'exact' }
      : (await queryContracts({ format: of, size: 1 }, signal)).total
    templates.push({ templateId, packageName, total })
  }
  templates.sort((one, other) => other.total.count - one.total.count)
  return { templates, total: newest.total, isWhole }
}

/** A link shows what the party sees, not all that the reader may see. */
const contractsPath = (party: string, { templateId, packageName }: OfTemplate): string =>
  asSeenBy(party, `/contracts?${new URLSearchParams({ template: referenceTo(templateId, packageName) })}`)

const columnsFor = (party: string): readonly Column<OfTemplate>[] => [
  {
    name: 'template',
    title: 'Template',
    isWide: true,
    show: (row) => (
      <Link to={contractsPath(party, row)} class="plain">
        <Template id={row.templateId} packageName={row.packageName} />
      </Link>
    ),
  },
  { name: 'count', title: 'Active contracts', isNumber: true, show: ({ total }) => shortTotal(total) },
]

export function PartyContracts({ id }: { readonly id: string }) {
  const { value, error } = useLive(
    (signal) => countByTemplate(id, signal),
    [id, ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  return (
    <section aria-labelledby="party-contracts">
      <div class="section-head">
        <h2 id="party-contracts">Contracts by template</h2>
        <Link to={asSeenBy(id, '/contracts')}>All that it sees</Link>
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="its contracts" />
      ) : value.templates.length === 0 ? (
        <Empty icon="file" title="It sees no active contract" />
      ) : (
        <>
          <Table
            caption="Templates"
            columns={columnsFor(id)}
            rows={value.templates}
            keyOf={({ templateId }) => templateId}
            linkOf={(row) => contractsPath(id, row)}
          />
          {!value.isWhole && (
            <p class="list-note">
              {shortTotal(value.total)} in all. The templates are those of its newest and oldest contracts.
            </p>
          )}
        </>
      )}
    </section>
  )
}

const updatesShown = 5

export function PartyUpdates({ id }: { readonly id: string }) {
  const { value, error } = useLive(
    (signal) => readSummaries({ format: updateFormat(everything, [id]), size: updatesShown }, signal),
    [id, ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined || value.updates.length === 0) return null
  return (
    <section aria-labelledby="party-updates">
      <div class="section-head">
        <h2 id="party-updates">Latest updates</h2>
        <Link to={asSeenBy(id, '/updates')}>All that it sees</Link>
      </div>
      <UpdateTable rows={value.updates} />
    </section>
  )
}
