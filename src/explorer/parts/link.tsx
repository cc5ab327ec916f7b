// A link inside the explorer: an ordinary one, so that it can be opened in a new tab, that does not load the page anew.
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
