// Active contracts, now or at any offset of the past: a window over the list, by template or interface.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ContractRow } from '../api/contract-rows.ts'
import { containsText, rowOf } from '../api/contract-rows.ts'
import { readContracts } from '../api/ledger-reads.ts'
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
import { query } from '../state/location.ts'
import { eventFormat, maySee, readers } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { ContractFilters } from './contract-filters.tsx'
import { ContractTable } from './contract-table.tsx'
import { OffsetSlider } from './offset-slider.tsx'

const rowsShown = 50
const pageSize = 200
/** How many contracts are looked through at once for those that contain a text. */
const lookedThrough = 2_000

type Window = {
  readonly rows: readonly ContractRow[]
  readonly looked: number
  readonly at: number
  /** Where the next window begins. */
  readonly next: string | undefined
}

type Wanted = {
  readonly kind: Kind | undefined
  readonly at: number | undefined
  readonly text: string
}

export function ContractsPage() {
  const wanted = wantedFrom(query.value)
  /** The tokens of the windows before, to go back. */
  const tokens = useSignal<readonly string[]>([])
  const inputs = [JSON.stringify(wanted), readers.value?.join(), ledgerEpoch.value]
  useEffect(() => {
    if (tokens.peek().length > 0) tokens.value = []
  }, inputs)
  const isLive = wanted.at === undefined && tokens.value.length === 0

  const { value: shown, error: problem } = useLive(
    async (signal) => (maySee.peek() ? readWindow(wanted, tokens.value.at(-1), signal) : undefined),
    [...inputs, tokens.value],
    isLive ? ledgerEnd.value : undefined,
  ).value

  const { kind } = wanted
  return (
    <>
      <PageHead title="Contracts" note={wanted.at === undefined ? 'Active now' : `Active at offset ${wanted.at}`}>
        {kind?.isInterface !== true && session.value.actsAs.length > 0 && (
          <Link to={kind === undefined ? '/act/create' : createPath(kind.name)} class="button">
            <Icon name="plus" />
            Create one
          </Link>
        )}
      </PageHead>
      {maySee.value ? (
        <>
          <ContractFilters found={shown?.rows ?? []} />
          <OffsetSlider />
          {problem !== undefined && <Problem error={problem} />}
          {(shown !== undefined || problem === undefined) && <Rows window={shown} wanted={wanted} />}
          <Pager
            window={shown}
            tokens={tokens.value}
            onTokens={(next) => {
              tokens.value = next
            }}
          />
        </>
      ) : (
        <Empty icon="eye" title="Your token has no right to read as a party" />
      )}
    </>
  )
}

function Rows({ window, wanted }: { readonly window: Window | undefined; readonly wanted: Wanted }) {
  if (window === undefined) return <Loading what="contracts" />
  if (window.rows.length === 0) {
    return (
      <Empty icon="file" title={window.next === undefined ? titleOfNone(wanted) : 'None found so far'}>
        {window.looked > 0 && `The text is in none of ${counted(window.looked, 'contract')}.`}
      </Empty>
    )
  }
  return (
    <ContractTable
      rows={window.rows}
      isOfOneKind={wanted.kind !== undefined}
      isView={wanted.kind?.isInterface === true}
    />
  )
}

const titleOfNone = ({ kind, at, text }: Wanted): string =>
  `No contracts${kind === undefined ? '' : ` of ${kind.name.split(':').at(-1)}`}${text === '' ? '' : ' with this text'} ` +
  (at === undefined ? 'are active' : `were active at offset ${at}`)

type PagerProps = {
  readonly window: Window | undefined
  readonly tokens: readonly string[]
  readonly onTokens: (tokens: readonly string[]) => void
}

function Pager({ window, tokens, onTokens }: PagerProps) {
  const next = window?.next
  return (
    <div class="pager">
      {tokens.length > 0 && <Button onClick={() => onTokens(tokens.slice(0, -1))}>Back</Button>}
      {next !== undefined && <Button onClick={() => onTokens([...tokens, next])}>More</Button>}
      {window !== undefined && window.rows.length > 0 && (
        <span>
          {counted(window.rows.length, 'contract')}
          {next === undefined && tokens.length === 0 ? '' : ' of more'}, oldest first
        </span>
      )}
    </div>
  )
}

async function readWindow(wanted: Wanted, token: string | undefined, signal: AbortSignal): Promise<Window> {
  const { kind, at, text } = wanted
  const format = eventFormat(filtersFor(kind))
  const rows: ContractRow[] = []
  let [looked, pageToken, offset] = [0, token, 0]
  // A page is taken whole, because the next one begins after it.
  do {
    const size = text === '' ? rowsShown : pageSize
    const page = await readContracts({ at, size, format, pageToken }, signal)
    const found = page.activeContracts.map(({ contractEntry }) => rowOf(contractEntry))
    looked += found.length
    rows.push(...(text === '' ? found : found.filter((row) => containsText(row, text))))
    offset = page.activeAtOffset
    pageToken = page.nextPageToken ?? undefined
  } while (text !== '' && pageToken !== undefined && rows.length < rowsShown && looked < lookedThrough)
  return { rows, looked, at: offset, next: pageToken }
}

function wantedFrom(given: URLSearchParams): Wanted {
  const at = given.get('at')
  return {
    kind: kindFrom(given),
    at: at !== null && /^\d{1,15}$/.test(at) ? Number(at) : undefined,
    text: given.get('text') ?? '',
  }
}
