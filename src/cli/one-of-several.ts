// One of several processes behind a port (processes.ts): it serves like any node, and leaves the terminal and the page of
// metrics to the process that started it.
import type { Settings } from '../base/settings.ts'
import type { Node } from '../node/node.ts'

/** What a process tells the one that watches it, and what it is told. */
export type FromProcess =
  | { readonly kind: 'ready'; readonly text: string; readonly ports: Ports }
  | { readonly kind: 'own metrics'; readonly page: string }
  | { readonly kind: 'all metrics' }
export type ToProcess = { readonly kind: 'own metrics' } | { readonly kind: 'all metrics'; readonly page: string }

/** Those that the first process listens on, for the others. */
export type Ports = { readonly http?: number | undefined; readonly grpc?: number | undefined }

/** Holds the ports, in JSON. */
export const placeVariable = 'TALLYSTICK_ONE_OF_SEVERAL'

export type OneOfSeveral = {
  settingsOf(given: Settings): Settings
  /** Tells that it is ready, and what people are to read about it. */
  ready(text: string, node: Node): void
  /** The metrics of all processes, for a process with these of its own. */
  metricsOfAll(own: () => Promise<string>): () => Promise<string>
}

/** Undefined for a process that nobody watches. */
export function asOneOfSeveral(environment: Readonly<Record<string, string | undefined>>): OneOfSeveral | undefined {
  const place = environment[placeVariable]
  if (place === undefined || process.send === undefined) return undefined
  const ports = JSON.parse(place) as Ports
  const tell = (message: FromProcess) => process.send!(message)
  let waiting: ((page: string) => void)[] = []
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')) // The process that watches is gone.
  process.channel?.unref() // The channel must not keep the process alive.
  return {
    settingsOf: ({ http, grpc, ...rest }) => ({
      ...rest,
      http: { ...http, port: ports.http ?? http.port },
      grpc: { ...grpc, ...(ports.grpc !== undefined && { port: ports.grpc }) },
    }),
    ready: (text, { url, grpcUrl }) =>
      tell({ kind: 'ready', text, ports: { http: portOf(url), grpc: portOf(grpcUrl) } }),
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

function portOf(url: string | undefined): number | undefined {
  if (url === undefined) return undefined
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
