// The wallet of a party: its balances and holdings, what is on its way, what moved, and the rounds of the network.
import { type ComponentChildren, Fragment } from 'preact'
import { queryContracts } from '../api/contract-query.ts'
import { rowOf } from '../api/contract-rows.ts'
import { readSummaries, type SummariesQuery } from '../api/update-summaries.ts'
import {
  allocationFrom,
  balancesOf,
  type Holding,
  holdingFrom,
  type Instrument,
  offerFrom,
  type Payment,
  type Round,
  requestFrom,
  roundFrom,
  type Settlement,
  servedOf,
  shownAmount,
  transferFrom,
  walletInterfaces,
  walletTemplates,
} from '../api/wallet.ts'
import type { EventFormat, Json } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { ContractLink, hintOf, Parties, Party, Time } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { shortTotal } from '../parts/quantities.ts'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { pathTo } from '../state/location.ts'
import { usePackageNames } from '../state/package-names.ts'
import type { PageProps } from '../state/page.ts'
import {
  eventFormat,
  everything,
  filtersOf,
  interfaceFilter,
  readers,
  templateFilter,
  updateFormat,
} from '../state/party-view.ts'
import { mayReadAs } from '../state/session.ts'
import { UpdateTable } from './update-table.tsx'

export function WalletPage({ params }: PageProps) {
  const id = params.id!
  const { value: names, error } = usePackageNames()
  const trail = [['Parties', '/parties'] as const, [hintOf(id), pathTo('parties', id)] as const]
  return (
    <>
      <PageHead title={`Wallet of ${hintOf(id)}`} heading={<Heading id={id} />} trail={trail} />
      {error !== undefined && <Problem error={error} />}
      {names === undefined ? (
        error === undefined && <Loading what="packages" />
      ) : !mayReadAs(id) ? (
        <Empty icon="eye" title="Your token may not read as this party" />
      ) : servedOf(walletInterfaces.holdings, names).length === 0 ? (
        <Empty icon="box" title="There are no tokens on this ledger">
          It has no packages of the token standard; those of <code>tallystick localnet</code> bring them.
        </Empty>
      ) : (
        <Wallet id={id} names={names} />
      )}
    </>
  )
}

function Heading({ id }: { readonly id: string }) {
  return (
    <>
      Wallet of <Party id={id} isLink={false} />
    </>
  )
}

type WalletProps = { readonly id: string; readonly names: ReadonlySet<string> }

function Wallet({ id, names }: WalletProps) {
  const known = (references: readonly string[]) => servedOf(references, names)
  const holdings = known(walletInterfaces.holdings)
  const payments = {
    columns: paymentColumns,
    isFor: ({ sender, receiver }: Payment) => sender === id || receiver === id,
  }
  const settlements = { columns: settlementColumns, isFor: () => true }
  const rounds = { columns: roundColumns, isFor: () => true, party: undefined, hidesEmpty: true }
  const sections: readonly Section[] = [
    section({ title: 'Transfers', of: known(walletInterfaces.transfers), from: transferFrom, party: id, ...payments }),
    section({ title: 'Offers', of: known(walletTemplates.offers), from: offerFrom, party: id, ...payments }),
    section({
      title: 'Allocations',
      of: known(walletInterfaces.allocations),
      from: allocationFrom,
      party: id,
      ...settlements,
    }),
    section({
      title: 'Allocation requests',
      of: known(walletInterfaces.requests),
      from: requestFrom,
      party: id,
      ...settlements,
    }),
    section({ title: 'Open rounds', of: known(walletTemplates.openRounds), from: roundFrom, ...rounds }),
    section({ title: 'Issuing rounds', of: known(walletTemplates.issuingRounds), from: roundFrom, ...rounds }),
  ]
  return (
    <div class="stack">
      <Holdings id={id} of={holdings} />
      {sections
        .filter(({ of }) => of.length > 0)
        .map(({ of, content }) => (
          <Fragment key={of.join(' ')}>{content}</Fragment>
        ))}
      {known(walletTemplates.openRounds).length > 0 && <Taps id={id} />}
      <Movements id={id} of={holdings} />
    </div>
  )
}

/** So many contracts of a kind are read; the rest is counted. */
const rowsShown = 200

type Row<T> = { readonly contractId: string; readonly value: T }
type Read<T> = { readonly rows: readonly Row<T>[]; readonly total: string; readonly isWhole: boolean }

const isInterface = (reference: string): boolean => Object.values(walletInterfaces).flat().includes(reference)

/** The newest contracts of a template, or of the versions of an interface. */
async function readAll<T>(
  of: readonly string[],
  parties: readonly string[] | undefined,
  from: (value: Json) => T,
  signal: AbortSignal,
): Promise<Read<T>> {
  const page = await queryContracts({ format: formatOf(of, parties), size: rowsShown }, signal)
  const rows = page.activeContracts.flatMap(({ contractEntry }) => {
    const { contractId, createArgument, interfaceViews } = rowOf(contractEntry).event
    const values = isInterface(of[0]!) ? (interfaceViews ?? []).map(({ viewValue }) => viewValue) : [createArgument]
    const value = values.find((one) => one !== undefined && one !== null)
    return value === undefined ? [] : [{ contractId, value: from(value) }]
  })
  return { rows, total: shortTotal(page.total), isWhole: !page.nextPageToken }
}

function formatOf(references: readonly string[], parties: readonly string[] | undefined): EventFormat {
  return eventFormat(
    filtersOf(...references.map((one) => (isInterface(one) ? interfaceFilter(one) : templateFilter(one)))),
    parties,
  )
}

type Section = { readonly of: readonly string[]; readonly content: ComponentChildren }

type SectionProps<T> = {
  readonly title: string
  /** The template, or the versions of the interface, that the ledger knows. */
  readonly of: readonly string[]
  readonly from: (value: Json) => T
  /** Whose contracts they are; undefined for all that the reader sees. */
  readonly party: string | undefined
  readonly columns: readonly Column<Row<T>>[]
  readonly isFor: (value: T) => boolean
  /** Rounds are seen by few: nothing is said where there are none. */
  readonly hidesEmpty?: boolean
}

function section<T>(props: SectionProps<T>): Section {
  return { of: props.of, content: <ContractSection {...props} /> }
}

function ContractSection<T>({ title, of, from, party, columns, isFor, hidesEmpty = false }: SectionProps<T>) {
  const parties = party === undefined ? readers.value : [party]
  const read = useLive(
    (signal) => readAll(of, parties, from, signal),
    [of.join(' '), parties?.join(' '), ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  const rows = read.value?.rows.filter((row) => isFor(row.value)) ?? []
  if (hidesEmpty && read.error === undefined && rows.length === 0) return null
  return (
    <Frame title={title} read={read}>
      {rows.length > 0 && <Rows title={title} columns={columns} read={{ ...read.value!, rows }} />}
    </Frame>
  )
}

type FrameProps = {
  readonly title: string
  readonly read: { readonly value?: unknown; readonly error?: unknown }
  /** What was read; false if that is nothing. */
  readonly children: ComponentChildren
  readonly nothing?: ComponentChildren
}

/** A titled part of the page, while it is read and afterwards. */
function Frame({ title, read: { value, error }, children, nothing = <p class="faint">None</p> }: FrameProps) {
  const head = `wallet-${title.toLowerCase().replaceAll(' ', '-')}`
  return (
    <section aria-labelledby={head}>
      <div class="section-head">
        <h2 id={head}>{title}</h2>
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? error === undefined && <Loading what={title.toLowerCase()} /> : children || nothing}
    </section>
  )
}

type RowsProps<T> = { readonly title: string; readonly columns: readonly Column<Row<T>>[]; readonly read: Read<T> }

function Rows<T>({ title, columns, read }: RowsProps<T>) {
  const { rows, total, isWhole } = read
  return (
    <>
      <Table
        caption={`${title} on the ledger`}
        columns={[contractColumn, ...columns]}
        rows={rows}
        keyOf={({ contractId }) => contractId}
        linkOf={({ contractId }) => pathTo('contracts', contractId)}
      />
      {!isWhole && (
        <p class="list-note">
          The newest {rowsShown} of {total}.
        </p>
      )}
    </>
  )
}

const contractColumn: Column<Row<unknown>> = {
  name: 'contract',
  title: 'Contract',
  show: ({ contractId }) => <ContractLink id={contractId} />,
}

function InstrumentName({ of }: { readonly of: Instrument }) {
  return (
    <span title={`${of.id} of ${of.admin}`}>
      {of.id} <span class="faint">of {hintOf(of.admin)}</span>
    </span>
  )
}

/** `of` has the versions of the interface that the ledger knows. */
type HoldingsProps = { readonly id: string; readonly of: readonly string[] }

function Holdings({ id, of }: HoldingsProps) {
  const read = useLive(
    (signal) => readAll(of, [id], holdingFrom, signal),
    [id, of.join(' '), ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  const rows = read.value?.rows.filter((row) => row.value.owner === id) ?? []
  return (
    <Frame title="Holdings" read={read} nothing={<Empty icon="box" title="It holds nothing" />}>
      {rows.length > 0 && (
        <div class="stack">
          <Table
            caption="Balances"
            columns={balanceColumns}
            rows={balancesOf(rows.map((row) => row.value))}
            keyOf={({ instrument }) => `${instrument.admin} ${instrument.id}`}
          />
          <Rows title="Holdings" columns={holdingColumns} read={{ ...read.value!, rows }} />
        </div>
      )}
    </Frame>
  )
}

const balanceColumns: readonly Column<ReturnType<typeof balancesOf>[number]>[] = [
  { name: 'instrument', title: 'Instrument', show: ({ instrument }) => <InstrumentName of={instrument} /> },
  { name: 'available', title: 'Available', isNumber: true, show: ({ available }) => available },
  { name: 'locked', title: 'Locked', isNumber: true, show: ({ locked }) => locked },
]

const holdingColumns: readonly Column<Row<Holding>>[] = [
  { name: 'instrument', title: 'Instrument', show: ({ value }) => <InstrumentName of={value.instrument} /> },
  { name: 'amount', title: 'Amount', isNumber: true, show: ({ value }) => shownAmount(value.amount) },
  {
    name: 'lock',
    title: 'Lock',
    isWide: true,
    show: ({ value: { lock } }) =>
      lock === undefined ? (
        <span class="faint">none</span>
      ) : (
        <span class="row">
          <Badge>locked</Badge> <Parties ids={lock.holders} />
          {lock.expiresAt !== undefined && (
            <>
              until <Time iso={lock.expiresAt} isShort />
            </>
          )}
        </span>
      ),
  },
]

function Leg({ payment }: { readonly payment: Payment }) {
  return (
    <span class="row">
      {shownAmount(payment.amount)} <InstrumentName of={payment.instrument} /> from <Party id={payment.sender} /> to{' '}
      <Party id={payment.receiver} />
    </span>
  )
}

const paymentColumns: readonly Column<Row<Payment>>[] = [
  { name: 'what', title: 'What', isWide: true, show: ({ value }) => <Leg payment={value} /> },
  { name: 'until', title: 'Until', show: ({ value }) => <Time iso={value.expiresAt} isShort /> },
]

const settlementColumns: readonly Column<Row<Settlement>>[] = [
  { name: 'settlement', title: 'Settlement', show: ({ value }) => value.id },
  { name: 'executor', title: 'Executor', show: ({ value }) => <Parties ids={value.executors} /> },
  {
    name: 'legs',
    title: 'Legs',
    isWide: true,
    show: ({ value }) =>
      value.legs.map((leg) => <Leg key={`${leg.sender} ${leg.receiver} ${leg.amount}`} payment={leg} />),
  },
]

const roundColumns: readonly Column<Row<Round>>[] = [
  { name: 'round', title: 'Round', isNumber: true, show: ({ value }) => value.number },
  { name: 'opens', title: 'Opens', show: ({ value }) => <Time iso={value.opensAt} isShort /> },
  { name: 'closes', title: 'Closes', show: ({ value }) => <Time iso={value.closesAt} isShort /> },
  { name: 'price', title: 'Price', isNumber: true, show: ({ value }) => shownAmount(value.price) },
]

const updatesShown = 10

/** The choice of Amulet's faucet, wherever it was exercised in an update. */
const tapChoice = 'AmuletRules_DevNet_Tap'

function Taps({ id }: { readonly id: string }) {
  const format = updateFormat(everything, [id])
  return <Updates id={id} title="Taps" query={{ format, filter: { kind: 'transaction', choice: tapChoice } }} />
}

/** All that changed holdings: transfers, locks, taps. */
function Movements({ id, of }: HoldingsProps) {
  const format = updateFormat(filtersOf(...of.map(interfaceFilter)), [id])
  return <Updates id={id} title="Movements" query={{ format, filter: { kind: 'transaction' } }} />
}

type UpdatesProps = { readonly id: string; readonly title: string; readonly query: Omit<SummariesQuery, 'size'> }

function Updates({ id, title, query }: UpdatesProps) {
  const read = useLive(
    (signal) => readSummaries({ ...query, size: updatesShown }, signal),
    [id, ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  const updates = read.value?.updates ?? []
  return (
    <Frame title={title} read={read}>
      {updates.length > 0 && <UpdateTable rows={updates} caption={`${title} on the ledger`} />}
    </Frame>
  )
}
