// A frame around a large picture: it shows all of it at first, zooms with the wheel, buttons and keys, and moves by dragging
// and arrows.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'
import { fitted, moved, type Size, type ViewWindow, zoomed } from './view-window.ts'

type Props = {
  /** What the picture shows. */
  readonly title: string
  readonly picture: Size
  readonly children: ComponentChildren
}

const perStep = 1.3
const stepPx = 80
const heightMin = 200
/** Of the window. */
const heightShare = 0.68
const wheelStep = 0.002

export function ZoomFrame({ title, picture, children }: Props) {
  const box = useRef<HTMLElement>(null)
  const width = useSignal(0)
  /** Undefined as long as nobody has moved it: all of the picture. */
  const chosen = useSignal<ViewWindow | undefined>(undefined)
  const dragged = useRef<{ readonly x: number; readonly y: number }>(undefined)
  const frameWidth = width.value || picture.width // Before the first look.
  const heightWanted = Math.max(heightMin, picture.height * Math.min(1, frameWidth / picture.width))
  const frame = { width: frameWidth, height: Math.round(Math.min(innerHeight * heightShare, heightWanted)) }
  const view = chosen.value ?? fitted(picture, frame)
  const middle = { x: frame.width / 2, y: frame.height / 2 }
  const zoom = (factor: number, at = middle) => {
    chosen.value = zoomed(view, factor, at, picture, frame)
  }
  const move = (dx: number, dy: number) => {
    chosen.value = moved(view, dx, dy, picture, frame)
  }
  const fit = () => {
    chosen.value = undefined
  }

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = entry!.contentRect.width
    })
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  useEffect(fit, [picture.width, picture.height])
  // The browser asks only listeners that are not passive whether the page should scroll.
  useEffect(() => {
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const { left, top } = box.current!.getBoundingClientRect()
      zoom(Math.exp(-event.deltaY * wheelStep), { x: event.clientX - left, y: event.clientY - top })
    }
    box.current!.addEventListener('wheel', onWheel, { passive: false })
    return () => box.current?.removeEventListener('wheel', onWheel)
  })

  const keys = new Map<string, () => void>([
    ['+', () => zoom(perStep)],
    ['=', () => zoom(perStep)],
    ['-', () => zoom(1 / perStep)],
    ['0', fit],
    ['ArrowLeft', () => move(-stepPx, 0)],
    ['ArrowRight', () => move(stepPx, 0)],
    ['ArrowUp', () => move(0, -stepPx)],
    ['ArrowDown', () => move(0, stepPx)],
  ])
  return (
    <div class="zoom-frame">
      <section
        ref={box}
        class="zoom-picture"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what moves by keys must be reachable by keyboard.
        tabIndex={0}
        aria-label="Picture: arrows move it, plus and minus zoom, zero shows all of it"
        onKeyDown={(event) => {
          const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys.get(event.key)
          if (act === undefined) return
          event.preventDefault()
          act()
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          dragged.current = { x: event.clientX, y: event.clientY }
          event.currentTarget.setPointerCapture(event.pointerId)
        }}
        onPointerMove={(event) => {
          const from = dragged.current
          if (from === undefined) return
          dragged.current = { x: event.clientX, y: event.clientY }
          move(from.x - event.clientX, from.y - event.clientY)
        }}
        onPointerUp={() => {
          dragged.current = undefined
        }}
        onPointerCancel={() => {
          dragged.current = undefined
        }}
      >
        <svg
          class="graph"
          width="100%"
          height={frame.height}
          viewBox={`${view.x} ${view.y} ${frame.width / view.scale} ${frame.height / view.scale}`}
          role="img"
          aria-label={title}
        >
          {children}
        </svg>
      </section>
      <div class="zoom-buttons">
        <IconButton icon="plus" label="Zoom in" onClick={() => zoom(perStep)} />
        <IconButton icon="minus" label="Zoom out" onClick={() => zoom(1 / perStep)} />
        <IconButton icon="fit" label="Show all of it" onClick={fit} />
      </div>
    </div>
  )
}
