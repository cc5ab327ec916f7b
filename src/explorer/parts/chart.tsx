// A small line chart of the last minutes, with axes. The value of a moment is shown under the pointer, and by arrow keys.
import { useSignal } from '@preact/signals'
import { ticksUpTo } from './quantities.ts'

export type Point = { readonly atMs: number; readonly value: number }

type Props = {
  readonly label: string
  readonly unit: string
  /** Oldest first, not empty after the first moment. */
  readonly points: readonly Point[]
  readonly format: (value: number) => string
  readonly timeOf: (atMs: number) => string
}

const size = { width: 320, height: 118 }
const plot = { left: 34, right: 314, top: 8, bottom: 96 }

export function Chart({ label, unit, points, format, timeOf }: Props) {
  const chosen = useSignal<number | undefined>(undefined)
  const newest = points.at(-1)
  const pointed = chosen.value === undefined ? undefined : points[Math.min(chosen.value, points.length - 1)]
  const ticks = ticksUpTo(Math.max(0, ...points.map(({ value }) => value)))
  const [start, end] = [points[0]?.atMs ?? 0, newest?.atMs ?? 1]
  const x = ({ atMs }: Point) => plot.left + ((atMs - start) / Math.max(1, end - start)) * (plot.right - plot.left)
  const y = (value: number) => plot.bottom - (value / ticks.at(-1)!) * (plot.bottom - plot.top)
  const line = points.map((point) => `${round(x(point))},${round(y(point.value))}`).join(' ')
  const words = (point: Point) => `${format(point.value)} ${unit} at ${timeOf(point.atMs)}`

  function choose(index: number): void {
    chosen.value = Math.min(points.length - 1, Math.max(0, index))
  }
  function pointAt(event: PointerEvent & { readonly currentTarget: Element }): void {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const at = ((event.clientX - left) / width) * size.width
    const distances = points.map((point) => Math.abs(x(point) - at))
    if (points.length > 0) choose(distances.indexOf(Math.min(...distances)))
  }
  function onKeyDown(event: KeyboardEvent): void {
    const now = chosen.value ?? points.length - 1
    const to = new Map([
      ['ArrowLeft', now - 1],
      ['ArrowRight', now + 1],
      ['Home', 0],
      ['End', points.length - 1],
    ]).get(event.key)
    if (to === undefined) return
    event.preventDefault()
    choose(to)
  }
  const forget = () => {
    chosen.value = undefined
  }

  return (
    <figure class="chart">
      <figcaption>
        <span class="faint">{label}</span>
        {pointed === undefined ? (
          <b>
            {newest === undefined ? '–' : format(newest.value)} <span class="faint">{unit}</span>
          </b>
        ) : (
          <span class="chart-value">{words(pointed)}</span>
        )}
      </figcaption>
      <div
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${label}, moment`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={Math.min(chosen.value ?? points.length - 1, Math.max(0, points.length - 1))}
        aria-valuetext={newest === undefined ? 'No values yet' : words(pointed ?? newest)}
        onPointerMove={pointAt}
        onPointerLeave={forget}
        onBlur={forget}
        onKeyDown={onKeyDown}
      >
        <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick} class="tick">
              <line x1={plot.left} x2={plot.right} y1={y(tick)} y2={y(tick)} />
              <text x={plot.left - 5} y={y(tick) + 3.5} class="of-value">
                {format(tick)}
              </text>
            </g>
          ))}
          {points.length > 1 && (
            <>
              <polygon class="area" points={`${plot.left},${plot.bottom} ${line} ${plot.right},${plot.bottom}`} />
              <polyline class="line" points={line} />
            </>
          )}
          <text x={plot.left} y={size.height - 6} class="of-time">
            {points.length > 1 && agoText(end - start)}
          </text>
          <text x={plot.right} y={size.height - 6} class="of-time now">
            now
          </text>
          {pointed !== undefined && (
            <>
              <line class="cursor" x1={x(pointed)} x2={x(pointed)} y1={plot.top} y2={plot.bottom} />
              <circle class="cursor" cx={x(pointed)} cy={y(pointed.value)} r="3" />
            </>
          )}
        </svg>
      </div>
    </figure>
  )
}

const round = (value: number) => Math.round(value * 10) / 10

function agoText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`
}
