// A small line chart of the last values: a shape, its newest value and its highest. For numbers, tables are better.
type Props = {
  readonly label: string
  readonly unit: string
  /** Oldest first. */
  readonly values: readonly number[]
  readonly format?: (value: number) => string
}

const width = 240
const height = 48

export function Chart({ label, unit, values, format = String }: Props) {
  const highest = Math.max(1e-9, ...values)
  const drawn = values.length < 2 ? [0, 0] : values // A line on the ground until there is more to say.
  const step = width / (drawn.length - 1)
  const points = drawn.map(
    (value, index) => `${round(index * step)},${round(height - 2 - (value / highest) * (height - 6))}`,
  )
  const newest = values.at(-1)
  return (
    <figure class="chart">
      <figcaption>
        <span class="faint">{label}</span>
        <b>
          {newest === undefined ? '–' : format(newest)} <span class="faint">{unit}</span>
        </b>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}, highest ${format(highest)} ${unit}`}
      >
        <polygon class="area" points={`0,${height} ${points.join(' ')} ${width},${height}`} />
        <polyline class="line" points={points.join(' ')} />
      </svg>
    </figure>
  )
}

const round = (value: number) => Math.round(value * 10) / 10
