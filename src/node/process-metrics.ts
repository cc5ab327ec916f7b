// Metrics of the process, from prom-client: memory, CPU, garbage collection, event loop. It is slow to load, so it is
// loaded shortly after the start.
import type { Registry } from './process-registry.ts'

export type ProcessMetrics = {
  /** Starts collecting. */
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
