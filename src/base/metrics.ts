// Metrics as plain numbers: counting costs an addition and loads nothing at start. The page in Prometheus' text format
// is rendered on request; gauges are read only then.

export type Counter = {
  /** The counter for these label values, in order; worth keeping on hot paths. */
  with(...values: string[]): Count
}

export type Count = { add(by?: number): void }

export type Histogram = { with(...values: string[]): Observations }

export type Observations = { observe(value: number): void }

/** One value, or one per combination of label values. */
type Reading = number | readonly (readonly [labels: readonly string[], value: number])[] | undefined

/** Names are unique. A part that is created again, over a restored ledger, continues its counters. */
export type Metrics = {
  counter(name: string, help: string, labels?: readonly string[]): Counter
  histogram(name: string, help: string, buckets: readonly number[], labels?: readonly string[]): Histogram
  /** Read when the page is rendered. If the value is undefined, the metric is left out. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>, labels?: readonly string[]): void
  /** Like a gauge, for a counter that is kept elsewhere. */
  total(name: string, help: string, read: () => Reading | Promise<Reading>, labels?: readonly string[]): void
  page(): Promise<string>
}

type Metric = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  lines(): readonly string[] | Promise<readonly string[]>
}

export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

export function createMetrics(): Metrics {
  const metrics = new Map<string, Metric>()
  const counters = new Map<string, Counter>()
  const histograms = new Map<string, Histogram>()

  /** One value or set of buckets per combination of labels that occurred. */
  function children<T>(names: readonly string[], create: () => T, first: boolean) {
    const known = new Map<string, T>()
    const childOf = (values: readonly string[]): T => {
      const key = labelsText(names, values)
      let child = known.get(key)
      if (child === undefined) {
        child = create()
        known.set(key, child)
      }
      return child
    }
    if (first && names.length === 0) childOf([]) // Exported as 0 from the start.
    return { known, childOf }
  }

  function read(type: 'gauge' | 'counter'): Metrics['gauge'] {
    return (name, help, value, labels = []) => {
      async function lines(): Promise<readonly string[]> {
        const reading = await value()
        if (reading === undefined) return []
        if (typeof reading === 'number') return [`${name} ${reading}`]
        return reading.map(([values, number]) => `${name}${braced(labelsText(labels, values))} ${number}`)
      }
      metrics.set(name, { name, help, type, lines })
    }
  }

  return {
    counter(name, help, labels = []) {
      const existing = counters.get(name)
      if (existing !== undefined) return existing
      const { known, childOf } = children(labels, () => new Sum(), true)
      const lines = () => [...known].map(([text, { value }]) => `${name}${braced(text)} ${value}`)
      metrics.set(name, { name, help, type: 'counter', lines })
      const counter: Counter = { with: (...values) => childOf(values) }
      counters.set(name, counter)
      return counter
    },
    histogram(name, help, buckets, labels = []) {
      const existing = histograms.get(name)
      if (existing !== undefined) return existing
      const { known, childOf } = children(labels, () => new Buckets(buckets), true)
      const lines = () => [...known].flatMap(([text, child]) => child.lines(name, text))
      metrics.set(name, { name, help, type: 'histogram', lines })
      const histogram: Histogram = { with: (...values) => childOf(values) }
      histograms.set(name, histogram)
      return histogram
    },
    gauge: read('gauge'),
    total: read('counter'),
    async page() {
      const parts: string[] = []
      for (const { name, help, type, lines } of metrics.values()) {
        parts.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines()))
      }
      return `${parts.join('\n')}\n`
    },
  }
}

type Labelled = Map<string, () => Reading | Promise<Reading>>

/** What each gauge reads, by the value of the further label. */
const labelledGauges = new WeakMap<Metrics, Map<string, Labelled>>()

/** Metrics with a further label, which comes first: the parts that share a page have different values of it. */
export function labelledMetrics(metrics: Metrics, label: string, value: string): Metrics {
  const gauges = labelledGauges.getOrInsertComputed(metrics, () => new Map())

  function read(kind: 'gauge' | 'total'): Metrics['gauge'] {
    return (name, help, reading, labels = []) => {
      const readings = gauges.getOrInsertComputed(name, () => new Map())
      readings.set(value, reading)
      metrics[kind](name, help, () => readAll(readings), [label, ...labels])
    }
  }

  return {
    counter(name, help, labels = []) {
      const counter = metrics.counter(name, help, [label, ...labels])
      if (labels.length === 0) counter.with(value) // Exported as 0 from the start.
      return { with: (...values) => counter.with(value, ...values) }
    },
    histogram(name, help, buckets, labels = []) {
      const histogram = metrics.histogram(name, help, buckets, [label, ...labels])
      if (labels.length === 0) histogram.with(value)
      return { with: (...values) => histogram.with(value, ...values) }
    },
    gauge: read('gauge'),
    total: read('total'),
    page: metrics.page,
  }
}

async function readAll(readings: Labelled): Promise<Reading> {
  const all: (readonly [labels: readonly string[], value: number])[] = []
  for (const [value, read] of readings) {
    const reading = await read()
    if (reading === undefined) continue
    if (typeof reading === 'number') all.push([[value], reading])
    else for (const [labels, number] of reading) all.push([[value, ...labels], number])
  }
  return all
}

class Sum {
  value = 0

  add(by = 1): void {
    this.value += by
  }
}

class Buckets {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let index = 0
    while (index < this.#bounds.length && value > this.#bounds[index]!) index += 1
    this.#counts[index]! += 1
    this.#sum += value
  }

  lines(name: string, labels: string): string[] {
    const prefix = labels === '' ? '' : `${labels},`
    let count = 0
    const buckets = this.#counts.map((own, index) => {
      count += own
      return `${name}_bucket{${prefix}le="${this.#bounds[index] ?? '+Inf'}"} ${count}`
    })
    return [...buckets, `${name}_sum${braced(labels)} ${this.#sum}`, `${name}_count${braced(labels)} ${count}`]
  }
}

function labelsText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`).join(',')
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

/** The size of a cache; bytes if it counts them. */
type CacheSize = { entries(): number; bytes?(): number }

export type CacheCounts = { hits: number; misses: number }

/** A cache registers its size once and gets the counters to update. */
export type CacheCounting = (size: CacheSize) => CacheCounts

export type Caches = {
  /** Counters for the cache with this name; it appears on the page once registered. */
  counting(name: string): CacheCounting
}

export function createCaches(metrics: Metrics): Caches {
  const caches = new Map<string, CacheCounts & CacheSize>()
  const each = (value: (counts: CacheCounts & CacheSize) => number | undefined) => () =>
    [...caches].flatMap(([name, counts]) => {
      const found = value(counts)
      return found === undefined ? [] : [[[name], found] as const]
    })
  metrics.total(
    'tallystick_cache_hits_total',
    'Cache hits, by cache',
    each(({ hits }) => hits),
    ['cache'],
  )
  metrics.total(
    'tallystick_cache_misses_total',
    'Cache misses, by cache',
    each(({ misses }) => misses),
    ['cache'],
  )
  metrics.gauge(
    'tallystick_cache_entries',
    'Cache entries, by cache',
    each((counts) => counts.entries()),
    ['cache'],
  )
  metrics.gauge(
    'tallystick_cache_bytes',
    'Bytes of cache entries, by cache, for caches that count them',
    each((counts) => counts.bytes?.()),
    ['cache'],
  )
  return {
    counting: (name) => (size) => {
      const { hits = 0, misses = 0 } = caches.get(name) ?? {}
      const counts = { hits, misses, ...size }
      caches.set(name, counts)
      return counts
    },
  }
}
