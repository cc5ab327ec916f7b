// Contracts as rows. Those of one template or interface have its fields as columns.
import { useSignal } from '@preact/signals'
import { type ContractRow, compareValues, fieldOf } from '../api/contract-rows.ts'
import { ContractLink, OffsetLink, Parties, Synchronizer, Template } from '../parts/names.tsx'
import { type Column, type Sorting, Table } from '../parts/table.tsx'
import { ContractFields } from '../parts/typed.tsx'
import { Value } from '../parts/value.tsx'
import { type PackageTypes, partsOf, type TypeDescription, templateIn, typesOfPackage } from '../state/packages.ts'

type Props = {
  readonly rows: readonly ContractRow[]
  /** Whether all are of one template or interface, so that its fields can be columns. */
  readonly isOfOneKind: boolean
  /** Whether they are shown through an interface: by its view. */
  readonly isView: boolean
}

const id: Column<ContractRow> = {
  name: 'id',
  title: 'Contract',
  show: ({ event }) => <ContractLink id={event.contractId} />,
}
const template: Column<ContractRow> = {
  name: 'template',
  title: 'Template',
  isSortable: true,
  show: ({ event }) => <Template id={event.templateId} packageName={event.packageName} />,
}
const inline: Column<ContractRow> = {
  name: 'fields',
  title: 'Fields',
  isWide: true,
  show: ({ event }) => <ContractFields event={event} isInline />,
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
const place: Column<ContractRow> = {
  name: 'synchronizer',
  title: 'On',
  isSortable: true,
  show: ({ synchronizerId }) => (synchronizerId === '' ? 'in transit' : <Synchronizer id={synchronizerId} />),
}

export function ContractTable({ rows, isOfOneKind, isView }: Props) {
  const sorting = useSignal<Sorting | undefined>(undefined)
  const fields = isOfOneKind ? fieldColumns(rows[0]!, isView) : undefined
  const columns = fields
    ? [id, ...fields, ...(isView ? [template] : []), created, place]
    : [id, template, inline, stakeholders, created, place]
  return (
    <Table
      caption="Contracts"
      linkOf={({ event }) => `/contracts/${event.contractId}`}
      columns={columns}
      rows={sorted(rows, sorting.value, isView)}
      keyOf={({ event }) => event.contractId}
      sorting={sorting.value}
      onSort={(next) => {
        sorting.value = next
      }}
    />
  )
}

/** By the types of the newest contract, or else by what its JSON has. */
function fieldColumns(row: ContractRow, isView: boolean): Column<ContractRow>[] {
  const ownerId = isView ? row.event.interfaceViews?.[0]?.interfaceId : row.event.templateId
  const types = ownerId === undefined ? undefined : typesOfPackage(partsOf(ownerId).packageId)
  const known = ownerId === undefined ? undefined : recordFields(types, ownerId, isView)
  const value = isView ? row.event.interfaceViews?.[0]?.viewValue : row.event.createArgument
  const fields = known ?? Object.keys((value ?? {}) as object).map((name) => ({ name, type: undefined }))
  return fields.map(({ name, type }) => ({
    name: `field ${name}`,
    title: name,
    isSortable: true,
    isNumber: type?.kind === 'Numeric' || type?.kind === 'Int64',
    show: (shown) => <Value value={fieldOf(shown, name, isView)} type={type} types={types?.types} isInline />,
  }))
}

function recordFields(types: PackageTypes | undefined, ownerId: string, isView: boolean) {
  const type: TypeDescription | undefined = isView
    ? types?.interfaces.find(({ id: of }) => of === ownerId)?.view
    : templateIn(types, ownerId)?.payload
  if (types === undefined || type?.kind !== 'Data' || !Object.hasOwn(types.types, type.id)) return undefined
  const data = types.types[type.id]!
  return data.kind === 'record' ? data.fields : undefined
}

function sorted(rows: readonly ContractRow[], sorting: Sorting | undefined, isView: boolean): readonly ContractRow[] {
  if (sorting === undefined) return rows
  const sortedBy = (row: ContractRow) => {
    if (sorting.by === 'created') return row.event.offset
    if (sorting.by === 'template') return row.event.templateId
    if (sorting.by === 'synchronizer') return row.synchronizerId
    return fieldOf(row, sorting.by.slice('field '.length), isView)
  }
  const direction = sorting.isDescending ? -1 : 1
  return rows.toSorted((one, other) => direction * compareValues(sortedBy(one), sortedBy(other)))
}
