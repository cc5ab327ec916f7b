// What the list of contracts shows, as its address says it: so a reload, Back and a shared link show the same rows.
//   where=amount greater 100   one for each condition
//   sort=amount, sort=amount descending, sort=created (the oldest first); none for the newest first
//   page=50.TOKEN              rows before the page, and where the node goes on
import type { FieldFilter } from './contract-query.ts'

export type Order = { readonly by: 'created' } | { readonly by: 'field'; readonly field: string }
export type ContractOrder = Order & { readonly isDescending: boolean }

export type ContractPlace = {
  readonly at: number | undefined
  /** What their fields, ids and parties contain. */
  readonly text: string
  readonly filters: readonly FieldFilter[]
  readonly order: ContractOrder
  readonly page: { readonly rowsBefore: number; readonly token: string } | undefined
}

export const newestFirst: ContractOrder = { by: 'created', isDescending: true }

/** An address is typed and shared: what it says wrongly is left out. */
export function placeFrom(query: URLSearchParams): ContractPlace {
  const at = query.get('at') ?? ''
  const [, rowsBefore, token] = /^(\d{1,12})\.(.+)$/.exec(query.get('page') ?? '') ?? []
  return {
    at: /^\d{1,15}$/.test(at) ? Number(at) : undefined,
    text: query.get('text') ?? '',
    filters: query.getAll('where').flatMap((text) => filterFrom(text) ?? []),
    order: orderFrom(query.get('sort') ?? ''),
    page: token === undefined ? undefined : { rowsBefore: Number(rowsBefore), token },
  }
}

function filterFrom(text: string): FieldFilter | undefined {
  const [, field, test, value] = /^(\S+) (equals|contains|less|greater) (.*)$/s.exec(text) ?? []
  if (field === undefined || value === undefined) return undefined
  return { field, test: test as FieldFilter['test'], value }
}

function orderFrom(text: string): ContractOrder {
  const [, field, direction] = /^(\S+)( descending)?$/.exec(text) ?? []
  if (field === undefined) return newestFirst
  const isDescending = direction !== undefined
  return field === 'created' ? { by: 'created', isDescending } : { by: 'field', field: fieldIn(field), isDescending }
}

/** A field may have the name of a column: `field:created` is not `created`. */
const fieldIn = (text: string): string => text.replace(/^field:/, '')

/** The parts of the address that say it. A change of what is listed begins at its first page. */
export type AddressChanges = Readonly<Record<string, string | readonly string[] | undefined>>

export const filtersInAddress = (filters: readonly FieldFilter[]): AddressChanges => ({
  where: filters.map(({ field, test, value }) => `${field} ${test} ${value}`),
  page: undefined,
})

export function orderInAddress(order: ContractOrder): AddressChanges {
  const name = order.by === 'created' ? 'created' : order.field === 'created' ? 'field:created' : order.field
  const isDefault = order.by === 'created' && order.isDescending
  return { sort: isDefault ? undefined : `${name}${order.isDescending ? ' descending' : ''}`, page: undefined }
}

export const pageInAddress = (rowsBefore: number, token: string): AddressChanges => ({
  page: `${rowsBefore}.${token}`,
})
