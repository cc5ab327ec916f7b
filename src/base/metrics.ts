// Metrics in plain numbers: to count costs an addition, and nothing is loaded for it at start. A page of them in
// Prometheus' text format is made when somebody asks for it; gauges are read only then.

export type Counter = {
  /** The counter for these values of the labels, in their order; worth keeping where it is used often. */
  with(...values: string[]): Count
}

export type Count = { add(by?: number): void }

export type Histogram = { with(...values: string[]): Observations }

export type Observations = { observe(value: number): void }

/** A value, or one for each combination of values of the labels. */
type Reading = number | readonly (readonly [labels: readonly string[], value: number])[] | undefined

export type Metrics = {
  counter(name: string, help: string, labels?: readonly string[]): Counter
  histogram(name: string, help: string, buckets: readonly number[], labels?: readonly string[]): Histogram
  /** Read when the page is asked for. Without a value, the metric is left out. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>, labels?: readonly string[]): void
  /** As a gauge, for what something else has counted. */
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
  const metrics: Metric[] = []

  /** One value or one set of buckets for each combination of labels that occurred. */
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
    if (first && names.length === 0) childOf([]) // It is there from the beginning, with 0.
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
      metrics.push({ name, help, type, lines })
    }
  }

  return {
    counter(name, help, labels = []) {
      const { known, childOf } = children(labels, () => new Sum(), true)
      const lines = () => [...known].map(([text, { value }]) => `${name}${braced(text)} ${value}`)
      metrics.push({ name, help, type: 'counter', lines })
      return { with: (...values) => childOf(values) }
    },
    histogram(name, help, buckets, labels = []) {
      const { known, childOf } = children(labels, () => new Buckets(buckets), true)
      const lines = () => [...known].flatMap(([text, child]) => child.lines(name, text))
      metrics.push({ name, help, type: 'histogram', lines })
      return { with: (...values) => childOf(values) }
    },
    gauge: read('gauge'),
    total: read('counter'),
    async page() {
      const parts: string[] = []
      for (const { name, help, type, lines } of metrics) {
        parts.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines()))
      }
      return `${parts.join('\n')}\n`
    },
  }
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

/** What a cache knows of its size; bytes where it counts them. */
type CacheSize = { entries(): number; bytes?(): number }

/** What a cache counts. */
export type CacheCounts = { hits: number; misses: number }

/** A cache says once how large it is, and counts with what it gets for that. */
export type CacheCounting = (size: CacheSize) => CacheCounts

export type Caches = {
  /** For the cache with this name, which the page shows once it counts. */
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
    'Look-ups that found an entry, by cache',
    each(({ hits }) => hits),
    ['cache'],
  )
  metrics.total(
    'tallystick_cache_misses_total',
    'Look-ups that found none, by cache',
    each(({ misses }) => misses),
    ['cache'],
  )
  metrics.gauge(
    'tallystick_cache_entries',
    'Entries, by cache',
    each((counts) => counts.entries()),
    ['cache'],
  )
  metrics.gauge(
    'tallystick_cache_bytes',
    'Bytes of the entries, for caches that count them',
    each((counts) => counts.bytes?.()),
    ['cache'],
  )
  return {
    counting: (name) => (size) => {
      const counts = { hits: 0, misses: 0, ...size }
      caches.set(name, counts)
      return counts
    },
  }
}
