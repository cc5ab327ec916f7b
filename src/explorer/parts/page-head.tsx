// The head of every page: its title, which takes the focus when one arrives, its trail and its actions.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Link } from './link.tsx'

type Props = {
  readonly title: string
  /** What the title says, if it is more than text. */
  readonly heading?: ComponentChildren
  readonly trail?: readonly (readonly [words: string, to: string])[]
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}

let isFirst = true

export function PageHead({ title, heading, trail = [], note, children }: Props) {
  const shown = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tallystick explorer`
  }, [title])
  // Before the page can be used: later it would take the focus from where somebody types already.
  useLayoutEffect(() => {
    if (!isFirst) shown.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return (
    <div class="page-head">
      <div>
        {trail.length > 0 && (
          <nav aria-label="Trail" class="trail">
            {trail.map(([words, to]) => (
              <Link key={to} to={to}>
                {words}
              </Link>
            ))}
          </nav>
        )}
        <h1 tabIndex={-1} ref={shown}>
          {heading ?? title}
        </h1>
        {note && <p class="note">{note}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  )
}
