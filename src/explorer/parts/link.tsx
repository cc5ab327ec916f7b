// Links inside the explorer, and rows that a click anywhere opens.
import type { ComponentChildren } from 'preact'
import { hrefOf, navigate } from '../state/location.ts'

type Props = {
  /** A path below /explorer. */
  readonly to: string
  readonly class?: string
  readonly title?: string
  readonly 'aria-current'?: 'page' | undefined
  readonly children: ComponentChildren
}

/** An ordinary link, so that it can be opened in a new tab, that does not load the page anew. */
export function Link({ to, children, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a href={hrefOf(to)} onClick={follow} {...rest}>
      {children}
    </a>
  )
}

/** Whether a click is for the row itself: not for something inside that has its own, and not the end of a selection. */
export function isForRow(event: MouseEvent): boolean {
  const inside = (event.target as Element).closest('a, button, input, select, textarea, label, summary')
  return inside === null && getSelection()?.isCollapsed !== false
}

/** What makes a row lead somewhere as a whole. The row also has a link to the same place, which keyboards reach. */
export function rowLeadingTo(to: string) {
  return {
    'data-row': true,
    onClick(event: MouseEvent) {
      if (!isForRow(event) || event.shiftKey || event.altKey) return
      if (event.metaKey || event.ctrlKey) open(hrefOf(to))
      else navigate(to)
    },
    onAuxClick(event: MouseEvent) {
      if (event.button === 1 && isForRow(event)) open(hrefOf(to))
    },
    /** Else the browser would begin to scroll. */
    onMouseDown(event: MouseEvent) {
      if (event.button === 1 && isForRow(event)) event.preventDefault()
    },
  }
}
