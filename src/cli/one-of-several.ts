// One of several processes behind a port (processes.ts): it serves like any node, and leaves the terminal and the page of
// metrics to the process that started it.
import type { FromProcess, ToProcess } from './processes.ts'

export type OneOfSeveral = {
  /** Tells that it is ready, and what people are to read about it. */
  ready(text: string): void
  /** The metrics of all processes, for a process with these of its own. */
  metricsOfAll(own: () => Promise<string>): () => Promise<string>
}

/** Undefined for a process that is alone. */
export function asOneOfSeveral(): OneOfSeveral | undefined {
  if (process.send === undefined || !process.getBuiltinModule('node:cluster').isWorker) return undefined
  const tell = (message: FromProcess) => process.send!(message)
  let waiting: ((page: string) => void)[] = []
  return {
    ready: (text) => tell({ kind: 'ready', text }),
    metricsOfAll(own) {
      process.on('message', async (message: ToProcess) => {
        if (message.kind === 'own metrics') tell({ kind: 'own metrics', page: await own() })
        else {
          for (const resolve of waiting) resolve(message.page)
          waiting = []
        }
      })
      return () => {
        const { promise, resolve } = Promise.withResolvers<string>()
        waiting.push(resolve)
        if (waiting.length === 1) tell({ kind: 'all metrics' })
        return promise
      }
    },
  }
}
