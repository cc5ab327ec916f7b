// The listeners of a node: one for HTTP, and one for each gRPC API that the settings have a port for. They lead to the same
// ledger, and change to another one together.

import { createGrpcMetrics, type RequestMetrics } from '../api/calls/request-metrics.ts'
import { grpcPortOf, type Settings } from '../base/settings.ts'
import { createGrpcListeners, type GrpcListeners } from '../grpc/listeners.ts'
import { createListeners } from '../http/listeners.ts'
import type { LocalCall } from '../http/local-exchange.ts'
import type { HttpService } from '../http/service.ts'
import type { Instruments } from './instruments.ts'

export type NodeUrls = {
  readonly url: string
  readonly grpcUrl: string | undefined
  readonly adminUrl: string | undefined
}

export type NodeListeners = {
  listen(): Promise<NodeUrls>
  /** A request from inside this process. */
  readonly call: LocalCall
  /** From now on requests wait. */
  hold(): void
  /** From now on requests go to this service; first those that waited. */
  leadTo(service: HttpService): void
  /** Ends within the time given. */
  close(withinMs: number): Promise<void>
}

export function createNodeListeners(settings: Settings, instruments: Instruments, first: HttpService): NodeListeners {
  const { strangers, clock } = instruments
  const grpcMetrics = createGrpcMetrics(instruments.metrics)
  const http = createListeners({ settings, strangers, clock }, first)
  const grpc = ledgerApiListenersFor(settings, instruments, first, grpcMetrics)
  let urls: NodeUrls | undefined
  const admin = adminApiListenersFor(settings, instruments, first, grpcMetrics, () => urls!)
  const all = [http, ...(grpc === undefined ? [] : [grpc]), ...(admin === undefined ? [] : [admin])]
  return {
    async listen() {
      urls = { url: await http.listen(), grpcUrl: await grpc?.listen(), adminUrl: await admin?.listen() }
      return urls
    },
    call: http.call,
    hold() {
      for (const listeners of all) listeners.hold()
    },
    leadTo(service) {
      for (const listeners of all) listeners.leadTo(service)
    },
    async close(withinMs) {
      await Promise.all(all.map((listeners) => listeners.close(withinMs)))
    },
  }
}

function ledgerApiListenersFor(
  settings: Settings,
  { clock, log }: Instruments,
  { api }: HttpService,
  metrics: RequestMetrics,
): GrpcListeners | undefined {
  const port = grpcPortOf(settings)
  if (port === undefined) return undefined
  const served = async () => (await import('../grpc/served-api.ts')).servedLedgerApi()
  const { host } = settings.http
  return createGrpcListeners({
    settings,
    host,
    ...port,
    option: '--grpc-port',
    served,
    first: api,
    metrics,
    clock,
    log,
  })
}

function adminApiListenersFor(
  settings: Settings,
  { clock, log, health }: Instruments,
  { api }: HttpService,
  metrics: RequestMetrics,
  urls: () => NodeUrls,
): GrpcListeners | undefined {
  const { host, port } = settings.admin
  if (port === undefined) return undefined
  const startedMs = clock.elapsedMs()
  const facts = {
    ports() {
      const { url, grpcUrl, adminUrl } = urls()
      return { ...portAs('ledger', grpcUrl), ...portAs('admin', adminUrl), ...portAs('json', url) }
    },
    uptimeMs: () => clock.elapsedMs() - startedMs,
    health,
  }
  const served = async () => (await import('../grpc/admin/served-admin-api.ts')).servedAdminApi(facts)
  const option = 'admin.port'
  return createGrpcListeners({ settings, host, port, isUsual: false, option, served, first: api, metrics, clock, log })
}

function portAs(name: string, url: string | undefined): Record<string, number> {
  return url === undefined ? {} : { [name]: Number(new URL(url).port) }
}
