// The listeners of a node: one for HTTP, and one for gRPC if the settings have a port for it. Both lead to the same
// ledger, and change to another one together.

import { createGrpcMetrics } from '../api/calls/request-metrics.ts'
import { grpcPortOf, type Settings } from '../base/settings.ts'
import { createGrpcListeners, type GrpcListeners } from '../grpc/listeners.ts'
import { createListeners } from '../http/listeners.ts'
import type { HttpService } from '../http/service.ts'
import type { Instruments } from './instruments.ts'

export type NodeListeners = {
  listen(): Promise<{ readonly url: string; readonly grpcUrl: string | undefined }>
  /** From now on requests wait. */
  hold(): void
  /** From now on requests go to this service; first those that waited. */
  leadTo(service: HttpService): void
  /** Ends within the time given. */
  close(withinMs: number): Promise<void>
}

export function createNodeListeners(settings: Settings, instruments: Instruments, first: HttpService): NodeListeners {
  const { strangers, clock } = instruments
  const http = createListeners({ settings, strangers, clock }, first)
  const grpc = grpcListenersFor(settings, instruments, first)
  return {
    listen: async () => ({ url: await http.listen(), grpcUrl: await grpc?.listen() }),
    hold() {
      http.hold()
      grpc?.hold()
    },
    leadTo(service) {
      http.leadTo(service)
      grpc?.leadTo(service)
    },
    async close(withinMs) {
      await Promise.all([http.close(withinMs), grpc?.close(withinMs)])
    },
  }
}

function grpcListenersFor(
  settings: Settings,
  { metrics, clock, log }: Instruments,
  { api }: HttpService,
): GrpcListeners | undefined {
  const grpcMetrics = createGrpcMetrics(metrics)
  const port = grpcPortOf(settings)
  return port && createGrpcListeners({ settings, ...port, first: api, metrics: grpcMetrics, clock, log })
}
