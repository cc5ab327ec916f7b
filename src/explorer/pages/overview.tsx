// The overview: the ledger at a glance, with the last minutes of its load.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { send } from '../api/client.ts'
import { type ConnectedSynchronizer, readSynchronizers, readUpdates } from '../api/ledger-reads.ts'
import { type Moment, momentFrom, type Rates, ratesBetween, samplesIn } from '../api/metrics.ts'
import { summaryOf } from '../api/update-summary.ts'
import { Chart } from '../parts/chart.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { bytesText } from '../parts/quantities.ts'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { useLoaded } from '../state/loading.ts'
import { maySee, readers, updateFormat } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { UpdateTable } from './update-table.tsx'

const everyMs = 1_000
const keptMax = 180

export function OverviewPage() {
  return (
    <>
      <PageHead title="Overview" note={`Ledger API ${session.value.version}`} />
      <div class="stack">
        <Load />
        <LatestUpdates />
        <Synchronizers />
        <Places />
      </div>
    </>
  )
}

type History = { readonly last: Moment; readonly rates: readonly Rates[] }

function Load() {
  const history = useSignal<History | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    const read = async () => {
      if (document.hidden) return
      const text = await (await send('GET', '/metrics', { signal: controller.signal })).text()
      const now = momentFrom(samplesIn(text), performance.now())
      const before = history.peek()
      const rates = before === undefined ? [] : [...before.rates, ratesBetween(before.last, now)].slice(-keptMax)
      history.value = { last: now, rates }
    }
    // Metrics may be switched off, or kept from this reader: then there are no charts.
    const look = () => void read().catch(() => undefined)
    look()
    const timer = setInterval(look, everyMs)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [])
  const { last, rates = [] } = history.value ?? {}
  const number = (value: number) => (value === 0 ? '0' : value < 10 ? value.toFixed(1) : Math.round(value).toString())
  /** There is none without commands. */
  const latency = (value: number) => (value === 0 ? '–' : number(value))
  return (
    <>
      <div class="tiles numbers">
        <Tile label="Ledger end" value={ledgerEnd.value === undefined ? '…' : String(ledgerEnd.value)} />
        <Tile label="Memory" value={last === undefined ? '…' : bytesText(last.memoryBytes)} />
        <Tile label="Store" value={last === undefined ? '…' : bytesText(last.storeBytes)} />
        <Tile label="Open streams" value={last === undefined ? '…' : String(last.streams)} />
      </div>
      <div class="tiles">
        <Chart label="Commands" unit="per second" values={rates.map(({ accepted }) => accepted)} format={number} />
        <Chart label="Latency" unit="ms" values={rates.map(({ latencyMs }) => latencyMs)} format={latency} />
        <Chart label="Refusals" unit="per second" values={rates.map(({ refused }) => refused)} format={number} />
      </div>
    </>
  )
}

function Tile({ label, value }: { readonly label: string; readonly value: ComponentChildren }) {
  return (
    <div class="tile panel">
      <p class="faint">{label}</p>
      <p class="tile-value">{value}</p>
    </div>
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
  const { value } = useLoaded(readSynchronizers, [ledgerEpoch.value]).value
  if (value === undefined) return null
  return <Table caption="Synchronizers" columns={columns} rows={value} keyOf={({ synchronizerId }) => synchronizerId} />
}

const latestShown = 5

function LatestUpdates() {
  const { value } = useLive(
    async (signal) =>
      maySee.peek() ? readUpdates({ size: latestShown, newestFirst: true, format: updateFormat() }, signal) : undefined,
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
      <UpdateTable rows={updates.map(({ update }) => summaryOf(update))} />
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
