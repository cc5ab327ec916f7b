// Active contracts, now or at any offset of the past: a window over the list, as the address says it.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { type ContractPlace, newestFirst, pageInAddress, placeFrom } from '../api/contract-address.ts'
import { type ContractQuery, queryContracts } from '../api/contract-query.ts'
import { type ContractWindow, readWindow, totalText } from '../api/contract-window.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'
import { filtersFor, type Kind, kindFrom } from '../parts/kind-picker.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { counted } from '../parts/quantities.ts'
import { createPath } from '../state/act-paths.ts'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { isAfterPage, query, setQuery } from '../state/location.ts'
import { eventFormat, maySee, readers } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { ContractFilters } from './contract-filters.tsx'
import { ContractTable } from './contract-table.tsx'
import { OffsetSlider } from './offset-slider.tsx'

const rowsShown = 50

export function ContractsPage() {
  const kind = kindFrom(query.value)
  const { at } = placeFrom(query.value)
  return (
    <>
      <PageHead title="Contracts" note={at === undefined ? 'Active now' : `Active at offset ${at}`}>
        {kind?.isInterface !== true && session.value.actsAs.length > 0 && (
          <Link to={kind === undefined ? '/act/create' : createPath(kind.name)} class="button">
            <Icon name="plus" />
            Create one
          </Link>
        )}
      </PageHead>
      {maySee.value ? (
        <Contracts kind={kind} />
      ) : (
        <Empty icon="eye" title="Your token has no right to read as a party" />
      )}
    </>
  )
}

function Contracts({ kind }: { readonly kind: Kind | undefined }) {
  const place = offeredHere(placeFrom(query.value))
  const { shown, problem, isReading, stop, goOn, again } = useContractWindow(kind, place)
  return (
    <>
      <ContractFilters kind={kind} place={place} found={shown?.rows ?? []} />
      <OffsetSlider />
      {problem !== undefined && <Problem error={problem} />}
      {isReading && !isLive(place) && <Progress soFar={shown} onStop={stop} />}
      {!isReading && shown !== undefined && shown.rows.length > 0 && (
        <Range window={shown} place={place} onAgain={again} />
      )}
      {shown !== undefined && shown.rows.length > 0 && (
        <ContractTable
          rows={shown.rows}
          isOfOneKind={kind !== undefined}
          isView={kind?.isInterface === true}
          place={place}
        />
      )}
      {!isReading && shown !== undefined && shown.rows.length === 0 && (
        <None kind={kind} place={place} window={shown} />
      )}
      {!isReading && shown === undefined && problem === undefined && <Empty icon="file" title="Stopped" />}
      {isReading && shown === undefined && isLive(place) && <Loading what="contracts" />}
      {!isReading && <Pager window={shown} place={place} onGoOn={goOn} />}
    </>
  )
}

/** What looks through all contracts is offered on development nodes only; elsewhere an address that says it shows the rest. */
function offeredHere(place: ContractPlace): ContractPlace {
  if (session.value.isDevelopment) return place
  return { ...place, text: '', filters: [], order: place.order.by === 'created' ? place.order : newestFirst }
}

/** Whether it costs the node so little that it is read again whenever the ledger grows. */
function isLive({ at, text, filters, order, page }: ContractPlace): boolean {
  return at === undefined && page === undefined && text === '' && filters.length === 0 && order.by === 'created'
}

function useContractWindow(kind: Kind | undefined, place: ContractPlace) {
  const isBusy = useSignal(true)
  const soFar = useSignal<ContractWindow | undefined>(undefined)
  const stopping = useRef(new AbortController())
  const stopped = useRef<ContractWindow | undefined>(undefined)
  const started = useSignal(0)
  const inputs = [JSON.stringify([kind, place]), readers.value?.join(), ledgerEpoch.value]

  const { value, error } = useLive(
    async (signal) => {
      stopping.current = new AbortController()
      isBusy.value = true
      soFar.value = stopped.current
      const report = (found: ContractWindow) => {
        soFar.value = found
      }
      const reading = { ask: queryContracts, signal, stop: stopping.current.signal, report, from: stopped.current }
      stopped.current = undefined
      const window = await readWindow(queryFor(kind, place), reading)
        .catch((error) => {
          if (place.page === undefined || !(error instanceof ApiError) || error.status !== 400) throw error
          setQuery({ page: undefined }) // It is a page of what another reader sees, or of a ledger that was replaced.
          return undefined
        })
        .finally(() => {
          if (signal.aborted) return
          isBusy.value = false
          soFar.value = undefined
        })
      return { window, of: inputs[0] }
    },
    [...inputs, started.value],
    isLive(place) ? ledgerEnd.value : undefined,
  ).value

  // Until the first answer, the rows are those of the address before. A list that follows the ledger stays while it is read.
  const isOfBefore = value?.of !== inputs[0]
  const isReading = error === undefined && (isOfBefore || (isBusy.value && !isLive(place)))
  const read = isOfBefore && error !== undefined ? undefined : value?.window
  return {
    shown: isReading ? (soFar.value ?? read) : read,
    problem: error,
    isReading,
    stop: () => stopping.current.abort(),
    /** After a stop. */
    goOn: () => {
      stopped.current = value?.window
      started.value += 1
    },
    again: () => {
      started.value += 1
    },
  }
}

function queryFor(kind: Kind | undefined, place: ContractPlace): ContractQuery & { readonly size: number } {
  const { at, text, filters, order, page } = place
  return {
    format: eventFormat(filtersFor(kind)),
    size: rowsShown,
    at,
    ...(text !== '' && { text }),
    ...(filters.length > 0 && { filters }),
    ...(order.by === 'field' && { sortBy: { field: order.field, descending: order.isDescending } }),
    ...(order.by === 'created' && !order.isDescending && { oldestFirst: true }),
    ...(page !== undefined && { pageToken: page.token }),
  }
}

type ProgressProps = { readonly soFar: ContractWindow | undefined; readonly onStop: () => void }

function Progress({ soFar, onStop }: ProgressProps) {
  const looked = soFar?.looked
  return (
    <div class="progress">
      <p role="status">
        {looked === undefined
          ? 'Looking through contracts…'
          : `Looked through ${looked.count.toLocaleString('en-GB')} of ${totalText(looked.outOf)} contracts, ` +
            `${soFar?.rows.length} found so far`}
      </p>
      <progress aria-label="Contracts looked through" value={looked?.count} max={looked?.outOf.count ?? 1} />
      <Button onClick={onStop}>Stop</Button>
    </div>
  )
}

type NoneProps = {
  readonly kind: Kind | undefined
  readonly place: ContractPlace
  readonly window: ContractWindow
}

function None({ kind, place: { at, text, filters }, window }: NoneProps) {
  const isFiltered = text !== '' || filters.length > 0
  const what = `contracts${kind === undefined ? '' : ` of ${kind.name.split(':').at(-1)}`}${isFiltered ? ' that pass the filter' : ''}`
  return (
    <Empty
      icon="file"
      title={
        window.next !== undefined
          ? 'None found so far'
          : `No ${what} ${at === undefined ? 'are active' : `were active at offset ${at}`}`
      }
    />
  )
}

type PagerProps = {
  readonly window: ContractWindow | undefined
  readonly place: ContractPlace
  /** Goes on after a stop. */
  readonly onGoOn: () => void
}

function Pager({ window, place, onGoOn }: PagerProps) {
  const { next, rows = [] } = window ?? {}
  const before = place.page?.rowsBefore ?? 0
  const isStopped = window === undefined || (next !== undefined && rows.length < rowsShown)
  return (
    <div class="pager">
      {isAfterPage.value && <Button onClick={() => history.back()}>Back</Button>}
      {place.page !== undefined && (
        <Button
          kind={isAfterPage.value ? 'quiet' : 'plain'}
          onClick={() => setQuery({ page: undefined }, { isStep: true })}
        >
          First page
        </Button>
      )}
      {isStopped ? (
        <Button onClick={onGoOn}>Look further</Button>
      ) : (
        next !== undefined && (
          <Button
            onClick={() => setQuery(pageInAddress(before + rows.length, next), { isStep: true, isAfterPage: true })}
          >
            Next
          </Button>
        )
      )}
    </div>
  )
}

/** 51 to 100 of 200,000 contracts, newest first. What takes long is not read again by itself. */
type RangeProps = {
  readonly window: ContractWindow
  readonly place: ContractPlace
  readonly onAgain: () => void
}

function Range({ window, place, onAgain }: RangeProps) {
  const { rows, next, total, at } = window
  const before = place.page?.rowsBefore ?? 0
  const last = before + rows.length
  const all = next === undefined ? { count: last, is: 'exact' as const } : total
  const numbers = [before + 1, last].map((number) => number.toLocaleString('en-GB'))
  const isWhole = before === 0 && next === undefined
  const grown = place.at === undefined && place.page === undefined ? (ledgerEnd.value ?? 0) - at : 0
  return (
    <p class="range">
      {isWhole ? '' : `${numbers.join(' to ')} of `}
      {all.is === 'atLeast' && all.count <= last + 1 ? `more than ${numbers[1]}` : totalText(all)}{' '}
      {all.count === 1 ? 'contract' : 'contracts'}, {orderText(place.order)}
      {grown > 0 && !isLive(place) && (
        <>
          {' '}
          <span class="faint">
            as of offset {at}, {counted(grown, 'update')} ago
          </span>{' '}
          <Button kind="quiet" onClick={onAgain}>
            Look again
          </Button>
        </>
      )}
    </p>
  )
}

function orderText(order: ContractPlace['order']): string {
  if (order.by === 'created') return order.isDescending ? 'newest first' : 'oldest first'
  return `by ${order.field}, ${order.isDescending ? 'largest' : 'smallest'} first`
}
