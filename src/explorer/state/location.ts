// Where the reader is: the path below /explorer and its query, kept in the address of the page.
import { computed, signal } from '@preact/signals'

export const basePath = '/explorer'

const address = signal(addressNow())

/** Below /explorer, with a leading slash: `/updates/12`. */
export const path = computed(() => address.value.path)
export const query = computed(() => new URLSearchParams(address.value.search))
/** The part of the page that the address names. */
export const hash = computed(() => address.value.hash)
/** Whether Back leads to the page of the list before this one. */
export const isAfterPage = computed(() => address.value.isAfterPage)

function pathNow(): string {
  const below = location.pathname.slice(basePath.length).replace(/\/+$/, '')
  return below === '' ? '/' : below
}

function addressNow() {
  const hash = decodeURIComponent(location.hash.slice(1))
  return { path: pathNow(), search: location.search, hash, isAfterPage: history.state?.isAfterPage === true }
}

function update(): void {
  address.value = addressNow()
}

addEventListener('popstate', update)

/** `to` is a path below /explorer, perhaps with a query. */
export function navigate(to: string, { replace = false, isAfterPage: isNextPage = false }: Step = {}): void {
  const [url, state] = [hrefOf(to), isNextPage ? { isAfterPage: true } : null]
  if (replace) history.replaceState(state, '', url)
  else history.pushState(state, '', url)
  update()
  if (!replace) scrollTo(0, 0)
}

type Step = { readonly replace?: boolean; readonly isAfterPage?: boolean }

export function hrefOf(to: string): string {
  return to === '/' ? basePath : `${basePath}${to}`
}

export type QueryChanges = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Changes parts of the query; empty ones are removed, lists have one part for each item. The history grows only for a step
 * that Back should undo.
 */
export function setQuery(changes: QueryChanges, { isStep = false, isAfterPage: isNextPage = false } = {}): void {
  const next = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name)
    for (const item of typeof value === 'string' ? [value] : (value ?? [])) if (item !== '') next.append(name, item)
  }
  const text = next.toString()
  navigate(`${path.peek()}${text === '' ? '' : `?${text}`}`, { replace: !isStep, isAfterPage: isNextPage })
}

/** A path from parts that may contain any character. */
export function pathTo(...parts: readonly (string | number)[]): string {
  return `/${parts.map((part) => encodeURIComponent(part)).join('/')}`
}
