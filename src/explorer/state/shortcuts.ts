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
