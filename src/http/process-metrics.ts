// Metrics of the process itself, by prom-client: memory, CPU, garbage collection, the event loop. Loading it takes longer
// than most of the start, so that comes a little after the node has started.
import type { Registry } from 'prom-client'

export type ProcessMetrics = {
  /** Begins to watch the process. */
  start(): void
  page(): Promise<string>
  close(): void
}

export function createProcessMetrics(): ProcessMetrics {
  let loading: Promise<Registry> | undefined

  function load(): Promise<Registry> {
    loading ??= import('prom-client').then(({ collectDefaultMetrics, Registry }) => {
      const registry = new Registry()
      collectDefaultMetrics({ register: registry })
      return registry
    })
    return loading
  }

  return {
    start: () => void load(),
    page: async () => (await load()).metrics(),
    close: () => void loading?.then((registry) => registry.clear()),
  }
}
