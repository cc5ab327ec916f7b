// The registry of prom-client with what it knows of every process. Apart, because only a file of ours that is loaded on
// demand gets the names that a CommonJS package exports, also in the bundle.
import { collectDefaultMetrics, Registry } from 'prom-client'

export type { Registry }

export function createProcessRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}
