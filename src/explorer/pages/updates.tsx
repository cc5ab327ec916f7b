// Updates, newest first and live: a window over the ledger. Older ones are read page by page.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { SummariesPage, SummaryFilter } from '../api/update-summaries.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { kindFrom } from '../parts/kind-picker.tsx'
import { Link } from '../parts/link.tsx'
import { Party } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { counted } from '../parts/quantities.ts'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { query, setQuery } from '../state/location.ts'
import { maySee, readers } from '../state/party-view.ts'
import { UpdateFilters } from './update-filters.tsx'
import { UpdateTable } from './update-table.tsx'
import { isReadAs, readWindow, rowsShown } from './update-window.ts'

export function UpdatesPage() {
  const isPaused = useSignal(false)
  const upTo = Number(query.value.get('upTo')) || undefined
  const after = Number(query.value.get('after')) || undefined
  const isLive = upTo === undefined && !isPaused.value
  const filter = filterFromQuery(query.value)
  const kind = kindFrom(query.value)
  const isFiltered =
    kind !== undefined || after !== undefined || Object.values(filter).some((value) => value !== undefined)
  const inputs = [JSON.stringify([filter, kind]), after, upTo, readers.value?.join(), ledgerEpoch.value]
  const end = isLive ? ledgerEnd.value : undefined

  const key = JSON.stringify(inputs)
  const last = useRef<{ readonly key: string; readonly window: SummariesPage }>(undefined)
  const held = () => (isPaused.peek() && last.current?.key === key ? last.current.window : undefined)
  /** What is shown stays while one pauses, also when a read is due or under way. */
  async function read(signal: AbortSignal): Promise<SummariesPage | undefined> {
    if (!maySee.peek()) return undefined
    const window = held() ?? (await readWindow({ after, upTo, kind, filter }, signal))
    last.current = { key, window: held() ?? window }
    return last.current.window
  }

  const { value: shown, error: problem } = useLive(read, inputs, end).value

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
      {isReadAs(filter.party) && (
        <p class="list-note">
          Rows show what <Party id={filter.party} /> sees of each update.
        </p>
      )}
      {problem !== undefined && <Problem error={problem} />}
      {(shown !== undefined || problem === undefined) && <Rows window={shown} isFiltered={isFiltered} />}
    </>
  )
}

type RowsProps = { readonly window: SummariesPage | undefined; readonly isFiltered: boolean }

function Rows({ window, isFiltered }: RowsProps) {
  if (window === undefined) return <Loading what="updates" />
  const { updates: rows, next, looked } = window
  return (
    <>
      {rows.length === 0 ? (
        <Empty icon="activity" title={titleOfNothing(isFiltered, next !== null)}>
          {looked > 0 && `${counted(looked, 'update')} looked through`}
        </Empty>
      ) : (
        <UpdateTable rows={rows} />
      )}
      <div class="pager">
        {next !== null && (
          <Link to={olderPath(next)} class="button">
            {rows.length < rowsShown ? 'Look further back' : 'Older'}
          </Link>
        )}
      </div>
    </>
  )
}

/** A place of its own: Back leads to the newer ones. */
function olderPath(upTo: number): string {
  const wanted = new URLSearchParams(query.value)
  wanted.set('upTo', String(upTo))
  return `/updates?${wanted}`
}

function filterFromQuery(given: URLSearchParams): SummaryFilter {
  const text = (name: string) => given.get(name) || undefined
  const kind = text('kind') as SummaryFilter['kind']
  const time = (name: string) => {
    const date = new Date(text(name) ?? '')
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
  }
  const texts = { party: text('party'), choice: text('choice'), commandId: text('commandId') }
  return { kind, ...texts, from: time('from'), to: time('to') }
}

function titleOfNothing(isFiltered: boolean, isMore: boolean): string {
  if (isMore) return 'Nothing found so far'
  return isFiltered ? 'No update passes the filter' : 'Nothing has happened yet'
}
