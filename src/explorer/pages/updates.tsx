// Updates, newest first and live: a window over the ledger. Older ones are read page by page.
import { useSignal } from '@preact/signals'
import { readUpdates } from '../api/ledger-reads.ts'
import { passes, summaryOf, type UpdateFilter, type UpdateSummary } from '../api/update-summary.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { filtersFor, type Kind, kindFrom } from '../parts/kind-picker.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'

import { useLive } from '../state/live-reads.ts'

import { query, setQuery } from '../state/location.ts'
import { maySee, readers, updateFormat } from '../state/party-view.ts'
import { UpdateFilters } from './update-filters.tsx'
import { UpdateTable } from './update-table.tsx'

const rowsShown = 50
const pageSize = 200
/** How many updates are looked through at once for those that pass a filter. */
const lookedThrough = 2_000

type Window = {
  readonly rows: readonly UpdateSummary[]
  /** Where the next window begins; undefined at the start of the ledger. */
  readonly olderUpTo: number | undefined
  readonly looked: number
}

export function UpdatesPage() {
  const isPaused = useSignal(false)
  const upTo = Number(query.value.get('upTo')) || undefined
  const isLive = upTo === undefined && !isPaused.value
  const filter = filterFromQuery(query.value)
  const kind = kindFrom(query.value)
  const inputs = [JSON.stringify([filter, kind]), upTo, readers.value?.join(), ledgerEpoch.value]
  const end = isLive ? ledgerEnd.value : undefined

  const { value: shown, error: problem } = useLive(
    async (signal) => (maySee.peek() ? readWindow(upTo, kind, filter, signal) : undefined),
    inputs,
    end,
  ).value

  if (!maySee.value) {
    return (
      <>
        <PageHead title="Updates" />
        <Empty icon="eye" title="Your token has no right to read as a party">
          An administrator can grant CanReadAs or CanReadAsAnyParty.
        </Empty>
      </>
    )
  }
  return (
    <>
      <PageHead title="Updates" note={isLive ? 'Newest first, as they come' : undefined}>
        {upTo === undefined ? (
          <Button
            icon={isPaused.value ? 'play' : 'pause'}
            onClick={() => {
              isPaused.value = !isPaused.value
            }}
          >
            {isPaused.value ? 'Continue' : 'Pause'}
          </Button>
        ) : (
          <Button onClick={() => setQuery({ upTo: undefined })}>To the newest</Button>
        )}
      </PageHead>
      <UpdateFilters />
      {problem !== undefined && <Problem error={problem} />}
      <Rows window={shown} />
    </>
  )
}

function Rows({ window }: { readonly window: Window | undefined }) {
  if (window === undefined) return <Loading what="updates" />
  const { rows, olderUpTo, looked } = window
  return (
    <>
      {rows.length === 0 ? (
        <Empty icon="activity" title={olderUpTo === undefined ? 'Nothing has happened yet' : 'Nothing found so far'}>
          {looked > 0 && `None of ${looked} updates passes the filter.`}
        </Empty>
      ) : (
        <UpdateTable rows={rows} />
      )}
      <div class="pager">
        {olderUpTo !== undefined && (
          <Button onClick={() => setQuery({ upTo: String(olderUpTo) })}>
            {rows.length < rowsShown ? 'Look further back' : 'Older'}
          </Button>
        )}
      </div>
    </>
  )
}

async function readWindow(
  upTo: number | undefined,
  kind: Kind | undefined,
  filter: UpdateFilter,
  signal: AbortSignal,
): Promise<Window> {
  const format = updateFormat(filtersFor(kind))
  const { includeTopologyEvents: _topology, ...withoutTopology } = format
  const isFiltered = kind !== undefined || Object.values(filter).some((value) => value !== undefined)
  const rows: UpdateSummary[] = []
  let looked = 0
  let pageToken: string | undefined
  let lowest = 0
  do {
    const size = isFiltered ? pageSize : rowsShown
    const page = await readUpdates(
      { upTo, size, newestFirst: true, format: kind === undefined ? format : withoutTopology, pageToken },
      signal,
    )
    const summaries = (page.updates ?? []).map(({ update }) => summaryOf(update))
    looked += summaries.length
    for (const summary of summaries) {
      if (!passes(summary, filter)) continue
      rows.push(summary)
      if (rows.length === rowsShown) return { rows, looked, olderUpTo: olderThan(summary.offset) }
    }
    lowest = page.lowestPageOffsetExclusive
    pageToken = page.nextPageToken ?? undefined
  } while (pageToken !== undefined && looked < lookedThrough)
  return { rows, looked, olderUpTo: pageToken === undefined ? undefined : olderThan(lowest + 1) }
}

const olderThan = (offset: number): number | undefined => (offset <= 1 ? undefined : offset - 1)

function filterFromQuery(given: URLSearchParams): UpdateFilter {
  const text = (name: string) => given.get(name) || undefined
  const kind = text('kind') as UpdateFilter['kind']
  const time = (name: string) => {
    const date = new Date(text(name) ?? '')
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
  }
  return { kind, choice: text('choice'), commandId: text('commandId'), from: time('from'), to: time('to') }
}
