// A table of rows of any kind: columns are data. Rows are a page of a longer list, so there are never many.
import type { ComponentChildren } from 'preact'
import { rowLeadingTo } from './link.tsx'

export type Column<T> = {
  readonly name: string
  readonly title: ComponentChildren
  readonly show: (row: T) => ComponentChildren
  readonly isNumber?: boolean
  /** Leaves the room to others; its text is cut off. */
  readonly isWide?: boolean
  /** Its header sorts. */
  readonly isSortable?: boolean
}

export type Sorting = { readonly by: string; readonly isDescending: boolean }

type Props<T> = {
  /** What the rows are, for readers who do not see the page. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string | number
  readonly rowClass?: (row: T) => string
  /** Where a click anywhere on a row leads; the first link of the row has to lead there, too. */
  readonly linkOf?: (row: T) => string
  readonly sorting?: Sorting | undefined
  readonly onSort?: (sorting: Sorting) => void
}

export function Table<T>({ caption, columns, rows, keyOf, rowClass, linkOf, sorting, onSort }: Props<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section class="table-frame" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Header key={column.name} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={rowClass?.(row)} {...(linkOf && rowLeadingTo(linkOf(row)))}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type HeaderProps<T> = {
  readonly column: Column<T>
  readonly sorting: Sorting | undefined
  readonly onSort: ((sorting: Sorting) => void) | undefined
}

function Header<T>({ column, sorting, onSort }: HeaderProps<T>) {
  if (!column.isSortable || onSort === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {column.title}
      </th>
    )
  }
  const isSorted = sorting?.by === column.name
  const next = { by: column.name, isDescending: isSorted ? !sorting.isDescending : false }
  return (
    <th
      scope="col"
      class={classOf(column)}
      aria-sort={isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" class="sort" onClick={() => onSort(next)}>
        {column.title}
        <span aria-hidden="true" class={isSorted ? undefined : 'faint'}>
          {isSorted ? (sorting.isDescending ? ' ↓' : ' ↑') : ' ↕'}
        </span>
      </button>
    </th>
  )
}

function classOf<T>({ isNumber, isWide }: Column<T>): string {
  return [isNumber && 'number', isWide && 'wide'].filter(Boolean).join(' ')
}
