// Keyboard shortcuts: single keys, and `g` followed by the letter of a page. None act while somebody types.
import { signal } from '@preact/signals'

export type Shortcut = {
  /** `?`, `/`, or two keys: `g u`. */
  readonly keys: string
  readonly words: string
  run(): void
}

/** Those of the frame and of the page that is open. */
export const shortcuts = signal<readonly Shortcut[]>([])
export const isHelpShown = signal(false)

const sequenceMs = 1_000
let first = ''
let firstAtMs = 0

export function addShortcuts(added: readonly Shortcut[]): () => void {
  shortcuts.value = [...shortcuts.peek(), ...added]
  return () => {
    shortcuts.value = shortcuts.peek().filter((one) => !added.includes(one))
  }
}

export function listenForShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
    const keys = event.timeStamp - firstAtMs < sequenceMs && first !== '' ? `${first} ${event.key}` : event.key
    const found = shortcuts.peek().find((one) => one.keys === keys)
    const isPrefix = found === undefined && shortcuts.peek().some((one) => one.keys.startsWith(`${keys} `))
    first = isPrefix ? keys : ''
    firstAtMs = event.timeStamp
    if (found === undefined) return
    event.preventDefault()
    found.run()
  })
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.closest('dialog') !== null
  )
}

/** Through the rows of the lists of a page. The link or button of a row gets the focus: Enter opens it as usual. */
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
