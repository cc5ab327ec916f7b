// The overview: what the ledger holds, what is new since the last visit, and how its commands fare.
import type { ComponentChildren } from 'preact'
import { queryContracts } from '../api/contract-query.ts'
import { type ConnectedSynchronizer, readSynchronizers } from '../api/ledger-reads.ts'
import { readParties } from '../api/people.ts'
import { readSummaries } from '../api/update-summaries.ts'
import { Button } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { counted, shortTotal } from '../parts/quantities.ts'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { useLoaded } from '../state/loading.ts'
import { eventFormat, maySee, readers, updateFormat } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { sinceText } from '../state/time-zone.ts'
import { lastVisit, seeEverything } from '../state/visits.ts'
import { Causes, CommandCharts, commandCounts, NodeFacts, useCommandHistory } from './overview-commands.tsx'
import { UpdateTable } from './update-table.tsx'

export function OverviewPage() {
  useCommandHistory()
  return (
    <>
      <PageHead title="Overview" note={`Ledger API ${session.value.version}`} />
      <div class="stack">
        <News />
        <Numbers />
        <CommandCharts />
        <Causes />
        <LatestUpdates />
        <Places />
        <Synchronizers />
        <NodeFacts />
      </div>
    </>
  )
}

const newsMax = 100

/** What has happened since the reader was here last. */
function News() {
  const since = lastVisit.value
  const end = ledgerEnd.value ?? 0
  const isNew = since !== undefined && since.offset < end
  const { value } = useLive(
    async (signal) =>
      isNew && maySee.peek()
        ? readSummaries({ format: updateFormat(), after: since.offset, size: newsMax }, signal)
        : undefined,
    [since?.offset, isNew, readers.value?.join(), ledgerEpoch.value],
    end,
  ).value
  if (!isNew || value === undefined || value.updates.length === 0) return null
  const count = value.updates.length
  return (
    <section class="news" aria-label="New since your last visit">
      <Icon name="activity" />
      <p>
        {value.next === null ? counted(count, 'update') : `More than ${counted(count, 'update')}`} since{' '}
        {sinceText(since.atMs)}. <Link to={`/updates?after=${since.offset}`}>Show them</Link>
      </p>
      <Button kind="quiet" onClick={seeEverything}>
        Mark as seen
      </Button>
    </section>
  )
}

const partiesCounted = 1_000

function Numbers() {
  const inputs = [readers.value?.join(), ledgerEpoch.value]
  const contracts = useLive(
    async (signal) => (maySee.peek() ? queryContracts({ format: eventFormat(), size: 1 }, signal) : undefined),
    inputs,
    ledgerEnd.value,
  ).value.value
  const { isAdmin, isIdentityProviderAdmin, readsAs } = session.value
  const isListed = isAdmin || isIdentityProviderAdmin
  const parties = useLoaded(
    async (signal) => (isListed ? readParties({ prefix: '', size: partiesCounted }, signal) : undefined),
    [ledgerEpoch.value],
  ).value.value
  const commands = commandCounts()
  const partiesText =
    parties === undefined
      ? undefined
      : shortTotal({ count: parties.items.length, is: parties.next === undefined ? 'exact' : 'atLeast' })
  return (
    <div class="tiles numbers">
      <Tile label="Active contracts" to="/contracts" value={contracts && shortTotal(contracts.total)} />
      {isListed ? (
        <Tile label="Parties" to="/parties" value={partiesText} />
      ) : (
        <Tile label="Parties you read as" value={readsAs === 'any' ? 'any' : String(readsAs.length)} />
      )}
      <Tile label="Commands since start" value={commands?.accepted.toLocaleString('en-GB')}>
        {commands !== undefined && commands.refused > 0 && (
          <span class="tile-note">{commands.refused.toLocaleString('en-GB')} refused</span>
        )}
      </Tile>
      <Tile label="Ledger end" to="/updates" value={ledgerEnd.value?.toLocaleString('en-GB')} />
    </div>
  )
}

type TileProps = {
  readonly label: string
  readonly value: string | undefined
  readonly to?: string
  readonly children?: ComponentChildren
}

function Tile({ label, value, to, children }: TileProps) {
  const inside = (
    <>
      <span class="faint">{label}</span>
      <span class="tile-value">{value ?? '…'}</span>
      {children}
    </>
  )
  if (to === undefined) return <div class="tile panel">{inside}</div>
  return (
    <Link to={to} class="tile panel">
      {inside}
    </Link>
  )
}

const columns: readonly Column<ConnectedSynchronizer>[] = [
  { name: 'alias', title: 'Synchronizer', show: ({ synchronizerAlias }) => <b>{synchronizerAlias}</b> },
  {
    name: 'id',
    title: 'Id',
    isWide: true,
    show: ({ synchronizerId }) => <span class="mono">{synchronizerId}</span>,
  },
]

function Synchronizers() {
  const { value } = useLoaded((signal) => readSynchronizers(signal), [ledgerEpoch.value]).value
  if (value === undefined) return null
  return <Table caption="Synchronizers" columns={columns} rows={value} keyOf={({ synchronizerId }) => synchronizerId} />
}

const latestShown = 5

function LatestUpdates() {
  const { value } = useLive(
    async (signal) =>
      maySee.peek() ? readSummaries({ size: latestShown, format: updateFormat() }, signal) : undefined,
    [readers.value?.join(), ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  const updates = value?.updates ?? []
  if (updates.length === 0) return null
  return (
    <section class="latest" aria-labelledby="latest">
      <div class="section-head">
        <h2 id="latest">Latest updates</h2>
        <Link to="/updates">All updates</Link>
      </div>
      <UpdateTable rows={updates} />
    </section>
  )
}

const places: readonly (readonly [to: string, icon: IconName, words: string, note: string])[] = [
  ['/act/create', 'send', 'Create a contract', 'From a form, with a dry run beside it'],
  ['/packages', 'box', 'Packages', 'Models, their choices and what these create'],
  ['/controls', 'flask', 'Controls', 'Time, snapshots, faults: nothing is lost unasked'],
  ['/api', 'book', 'API description', 'Every operation, with its fields, to try'],
]

function Places() {
  const { actsAs, isDevelopment, isAdmin } = session.value
  const isOf = (to: string) =>
    to === '/act/create' ? actsAs.length > 0 : to === '/controls' ? isDevelopment && isAdmin : true
  return (
    <ul class="tiles">
      {places
        .filter(([to]) => isOf(to))
        .map(([to, icon, words, note]) => (
          <li key={to}>
            <Link to={to} class="tile panel place">
              <Icon name={icon} />
              <span>
                <b>{words}</b>
                <span class="faint">{note}</span>
              </span>
            </Link>
          </li>
        ))}
    </ul>
  )
}
