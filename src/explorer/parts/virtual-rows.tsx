// Rows of a long list of which only those on the screen are in the page. Rows may differ in height, and change it.
import {
  measureElement,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core'
import type { VNode } from 'preact'
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'

/** Fewer are all there, and the browser's own search finds them. */
const wholeMax = 100
const rowsBeyond = 12

/** Goes on the element of a row. */
export type RowProps = {
  readonly 'data-index': number
  readonly 'aria-posinset': number
  readonly 'aria-setsize': number
  readonly ref: (row: HTMLLIElement | null) => void
}

type Props<T> = {
  readonly label: string
  readonly class: string
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Of a row that was not on the screen yet. */
  readonly rowHeight: number
  readonly show: (row: T, props: RowProps) => VNode
}

export function VirtualRows<T>({ label, rows, keyOf, rowHeight, show, ...rest }: Props<T>) {
  const list = useRef<HTMLUListElement>(null)
  const [, showAgain] = useReducer((count: number) => count + 1, 0)
  const top = useRef(0)
  const options: VirtualizerOptions<Window, HTMLLIElement> = {
    count: rows.length,
    getItemKey: (index) => keyOf(rows[index]!),
    estimateSize: () => rowHeight,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    measureElement,
    initialOffset: () => scrollY,
    initialRect: { width: innerWidth, height: innerHeight },
    overscan: rowsBeyond,
    scrollMargin: top.current,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const isWhole = count <= wholeMax
      const first = isWhole ? 0 : Math.max(0, startIndex - overscan)
      const last = isWhole ? count - 1 : Math.min(count - 1, endIndex + overscan)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    },
    onChange: () => showAgain(undefined),
  }
  const virtualizer = useRef<Virtualizer<Window, HTMLLIElement>>(undefined)
  virtualizer.current ??= new Virtualizer(options)
  const own = virtualizer.current
  own.setOptions(options)
  useLayoutEffect(() => own._didMount(), [])
  useLayoutEffect(() => {
    own._willUpdate()
    const found = list.current!.getBoundingClientRect().top + scrollY
    if (Math.abs(found - top.current) < 1) return
    top.current = found
    showAgain(undefined)
  })

  const shown = own.getVirtualItems()
  const before = (shown[0]?.start ?? top.current) - top.current
  const after = own.getTotalSize() - ((shown.at(-1)?.end ?? top.current) - top.current)
  return (
    <ul ref={list} aria-label={label} {...rest}>
      {before > 0 && <Gap height={before} />}
      {shown.map(({ index }) =>
        show(rows[index]!, {
          'data-index': index,
          'aria-posinset': index + 1,
          'aria-setsize': rows.length,
          ref: own.measureElement,
        }),
      )}
      {after > 0 && <Gap height={after} />}
    </ul>
  )
}

/** The room of rows that are not there. A picture has its height as an attribute: the page may not have inline styles. */
function Gap({ height }: { readonly height: number }) {
  return (
    <li class="row-gap" aria-hidden="true">
      <svg width="1" height={height} aria-hidden="true" />
    </li>
  )
}
