// The registry of prom-client with its default metrics. A file of its own, because in the bundle the named exports of a
// CommonJS package resolve only in a file of ours that is loaded on demand.
import { collectDefaultMetrics, Registry } from 'prom-client'

export type { Registry }

export function createProcessRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}
