// Contracts as rows. Those of one template or interface have its fields as columns. A value leads to the rows that have it.
import type { ComponentChildren } from 'preact'
import { type ContractPlace, filtersInAddress, orderInAddress } from '../api/contract-address.ts'
import { type ContractRow, fieldOf, leafText } from '../api/contract-rows.ts'
import type { Json } from '../api/wire.ts'
import { Icon } from '../parts/icon.tsx'
import { chooseKind } from '../parts/kind-picker.tsx'
import { ContractLink, OffsetLink, Parties, Synchronizer, Template } from '../parts/names.tsx'
import { type Column, type Sorting, Table } from '../parts/table.tsx'
import { Value } from '../parts/value.tsx'
import { setQuery } from '../state/location.ts'
import { referenceTo } from '../state/packages.ts'
import { session } from '../state/session.ts'
import { fieldsOfRow } from './contract-fields.ts'

type Props = {
  readonly rows: readonly ContractRow[]
  /** Whether all are of one template or interface, so that its fields can be columns. */
  readonly isOfOneKind: boolean
  /** Whether they are shown through an interface: by its view. */
  readonly isView: boolean
  readonly place: ContractPlace
}

const id: Column<ContractRow> = {
  name: 'id',
  title: 'Contract',
  show: ({ event }) => <ContractLink id={event.contractId} />,
}
const template: Column<ContractRow> = {
  name: 'template',
  title: 'Template',
  show: ({ event }) => (
    <span class="filterable">
      <Template id={event.templateId} packageName={event.packageName} />
      <FilterButton
        words="Only contracts of this template"
        onClick={() => chooseKind(referenceTo(event.templateId, event.packageName))}
      />
    </span>
  ),
}
const stakeholders: Column<ContractRow> = {
  name: 'stakeholders',
  title: 'Stakeholders',
  show: ({ event }) => <Parties ids={[...new Set([...event.signatories, ...(event.observers ?? [])])]} />,
}
const created: Column<ContractRow> = {
  name: 'created',
  title: 'Created',
  isNumber: true,
  isSortable: true,
  show: ({ event }) => <OffsetLink offset={event.offset} />,
}
const synchronizer: Column<ContractRow> = {
  name: 'synchronizer',
  title: 'On',
  show: ({ synchronizerId }) => (synchronizerId === '' ? 'in transit' : <Synchronizer id={synchronizerId} />),
}

const inlineFields = 3

export function ContractTable({ rows, isOfOneKind, isView, place }: Props) {
  const { order } = place
  const inline: Column<ContractRow> = {
    name: 'fields',
    title: 'Fields',
    isWide: true,
    show: (row) => <InlineFields row={row} place={place} />,
  }
  const columns = isOfOneKind
    ? [id, ...fieldColumns(rows[0]!, isView, place), ...(isView ? [template] : []), created, synchronizer]
    : [id, template, inline, stakeholders, created, synchronizer]
  const sorting = {
    by: order.by === 'created' ? 'created' : `field ${order.field}`,
    isDescending: order.isDescending,
  }
  return (
    <Table
      caption="Contracts"
      linkOf={({ event }) => `/contracts/${event.contractId}`}
      columns={columns}
      rows={rows}
      keyOf={({ event }) => event.contractId}
      sorting={sorting}
      onSort={(next) => sortBy(next, sorting)}
    />
  )
}

/** Fields begin with the smallest value, and time with the newest. */
function sortBy({ by, isDescending }: Sorting, before: Sorting): void {
  const order =
    by === 'created'
      ? { by: 'created' as const, isDescending: before.by === 'created' ? isDescending : true }
      : { by: 'field' as const, field: by.slice('field '.length), isDescending }
  setQuery(orderInAddress(order), { isStep: true })
}

function fieldColumns(first: ContractRow, isView: boolean, place: ContractPlace): Column<ContractRow>[] {
  const { fields, types } = fieldsOfRow(first, isView)
  return fields.map(({ name, type }) => ({
    name: `field ${name}`,
    title: name,
    isSortable: session.value.isDevelopment,
    isNumber: type?.kind === 'Numeric' || type?.kind === 'Int64',
    show: (row) => {
      const value = fieldOf(row, name, isView)
      return (
        <FilterableValue field={name} value={value} place={place}>
          <Value value={value} type={type} types={types?.types} isInline />
        </FilterableValue>
      )
    },
  }))
}

/** The first fields of a contract among others of other templates. */
function InlineFields({ row, place }: { readonly row: ContractRow; readonly place: ContractPlace }) {
  const { fields, types } = fieldsOfRow(row, false)
  return (
    <span class="value inline-record">
      {fields.slice(0, inlineFields).map(({ name, type }) => {
        const value = fieldOf(row, name, false)
        return (
          <span key={name} class="inline-field">
            <span class="faint">{name}</span>{' '}
            <FilterableValue field={name} value={value} place={place}>
              <Value value={value} type={type} types={types?.types} isInline />
            </FilterableValue>
          </span>
        )
      })}
      {fields.length > inlineFields && <span class="faint">…</span>}
    </span>
  )
}

type FilterableProps = {
  readonly field: string
  readonly value: Json | undefined
  readonly place: ContractPlace
  readonly children: ComponentChildren
}

function FilterableValue({ field, value, place: { filters }, children }: FilterableProps) {
  const text = leafText(value)
  const isFilteredBy = filters.some((one) => one.field === field && one.test === 'equals' && one.value === text)
  if (text === undefined || isFilteredBy || !session.value.isDevelopment) return children
  const others = filters.filter((one) => one.field !== field || one.test !== 'equals')
  return (
    <span class="filterable">
      {children}
      <FilterButton
        words={`Filter by this ${field}`}
        onClick={() =>
          setQuery(filtersInAddress([...others, { field, test: 'equals', value: text }]), { isStep: true })
        }
      />
    </span>
  )
}

/** For the pointer only: a page has hundreds, and "Add a filter" does the same. */
function FilterButton({ words, onClick }: { readonly words: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="filter-by" tabIndex={-1} aria-hidden title={words} onClick={onClick}>
      <Icon name="filter" />
    </button>
  )
}
