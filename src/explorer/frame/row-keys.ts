// j and k walk through the rows of the lists of a page. The link or button of a row gets the focus: Enter opens it as usual.
import type { Shortcut } from '../state/shortcuts.ts'

export const rowShortcuts: readonly Shortcut[] = [
  { keys: 'j', words: 'To the next row; Enter opens it', run: () => step(1) },
  { keys: 'k', words: 'To the row before', run: () => step(-1) },
]

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('#content [data-row]')]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = current === -1 ? firstInView(rows) : rows[current + by]
  const target = next?.querySelector<HTMLElement>('a[href], button:not(:disabled)')
  target?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

function firstInView(rows: readonly HTMLElement[]): HTMLElement | undefined {
  const header = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
  return rows.find((row) => row.getBoundingClientRect().top >= header) ?? rows[0]
}
