// Metrics of the process itself, by prom-client: memory, CPU, garbage collection, the event loop. Loading it takes longer
// than most of the start, so that comes a little after the node has started.
import type { Registry } from './process-registry.ts'

export type ProcessMetrics = {
  /** Begins to watch the process. */
  start(): void
  page(): Promise<string>
  close(): void
}

export function createProcessMetrics(): ProcessMetrics {
  let loading: Promise<Registry> | undefined

  function load(): Promise<Registry> {
    loading ??= import('./process-registry.ts').then(({ createProcessRegistry }) => createProcessRegistry())
    return loading
  }

  return {
    start: () => void load(),
    page: async () => (await load()).metrics(),
    close: () => void loading?.then((registry) => registry.clear()),
  }
}
