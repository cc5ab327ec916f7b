// Counts what happens for Prometheus. What counts is loaded a little after the node has started, because loading it takes
// longer than most of the start; until then, what is to be counted waits.
import type { Figures, Watched } from './figures.ts'

export type Metrics = Figures & {
  /** Begins to count, and to watch the process. */
  start(): void
}

/** More than this does not wait. */
const waitingMax = 1000

export function createMetrics(watched: Watched): Metrics {
  const waiting: ((figures: Figures) => void)[] = []
  let figures: Figures | undefined
  let loading: Promise<Figures> | undefined

  function load(): Promise<Figures> {
    loading ??= import('./figures.ts').then(({ createFigures }) => {
      figures = createFigures(watched)
      for (const count of waiting.splice(0)) count(figures)
      return figures
    })
    return loading
  }

  function later(count: (figures: Figures) => void): void {
    waiting.push(count)
    if (waiting.length >= waitingMax) void load()
  }

  return {
    start: () => void load(),
    observe(operation, status, durationMs) {
      if (figures === undefined) later((loaded) => loaded.observe(operation, status, durationMs))
      else figures.observe(operation, status, durationMs)
    },
    streamOpened(operation, transport) {
      if (figures === undefined) later((loaded) => loaded.streamOpened(operation, transport))
      else figures.streamOpened(operation, transport)
    },
    streamClosed(operation, transport) {
      if (figures === undefined) later((loaded) => loaded.streamClosed(operation, transport))
      else figures.streamClosed(operation, transport)
    },
    elementsSent(operation, transport, count) {
      if (figures === undefined) later((loaded) => loaded.elementsSent(operation, transport, count))
      else figures.elementsSent(operation, transport, count)
    },
    page: async () => (await load()).page(),
    close: () => figures?.close(),
  }
}
