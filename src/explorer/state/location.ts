// Where the reader is: the path below /explorer and its query, kept in the address of the page.
import { computed, signal } from '@preact/signals'

export const basePath = '/explorer'

const address = signal({ path: pathNow(), search: location.search })

/** Below /explorer, with a leading slash: `/updates/12`. */
export const path = computed(() => address.value.path)
export const query = computed(() => new URLSearchParams(address.value.search))

function pathNow(): string {
  const below = location.pathname.slice(basePath.length).replace(/\/+$/, '')
  return below === '' ? '/' : below
}

function update(): void {
  address.value = { path: pathNow(), search: location.search }
}

addEventListener('popstate', update)

/** `to` is a path below /explorer, perhaps with a query. */
export function navigate(to: string, options: { readonly replace?: boolean } = {}): void {
  const url = hrefOf(to)
  if (options.replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  update()
  if (!options.replace) scrollTo(0, 0)
}

export function hrefOf(to: string): string {
  return to === '/' ? basePath : `${basePath}${to}`
}

/** Changes parts of the query; empty ones are removed. The address changes, the history does not grow. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const next = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  navigate(`${path.peek()}${text === '' ? '' : `?${text}`}`, { replace: true })
}

/** A path from parts that may contain any character. */
export function pathTo(...parts: readonly (string | number)[]): string {
  return `/${parts.map((part) => encodeURIComponent(part)).join('/')}`
}
