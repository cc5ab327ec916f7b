// Health v1: whether the node serves, as probes of orchestrators ask for it.
import type { Clock } from '../base/clock.ts'
import type { Health } from '../base/health.ts'
import { finishWriting } from '../lf/codec/protobuf-writing.ts'
import { createJsonWriters } from '../proto/json-writing.ts'
import { ledgerApi } from '../proto/ledger-api.ts'
import { createDecoder } from '../proto/reading.ts'
import { type Exchange, framed } from './exchange.ts'
import { codes, GrpcError } from './status.ts'

const limits = { depthMax: 10, valuesMax: 100 }
const requestBytesMax = 4096
/** How often a watching client is told what changed. */
const watchMs = 1000
const notFound = 5

type ServingStatus = 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN'

export type HealthService = (path: string, exchange: Exchange) => Promise<void>

export const healthPrefix = '/grpc.health.v1.Health/'

export function createHealthService(health: Health, clock: Clock, isClosing: () => boolean): HealthService {
  const api = ledgerApi()
  const decode = createDecoder(api.message('grpc.health.v1.HealthCheckRequest'))
  const writers = createJsonWriters()
  const write = writers.of(api.message('grpc.health.v1.HealthCheckResponse'))
  const writeList = writers.of(api.message('grpc.health.v1.HealthListResponse'))
  const services = new Set(api.files.flatMap((file) => file.services.map(({ fullName }) => fullName)))

  const overall = (): ServingStatus => (isClosing() || health.failing().length > 0 ? 'NOT_SERVING' : 'SERVING')
  const statusOf = (service: string): ServingStatus =>
    service === '' || services.has(service) ? overall() : 'SERVICE_UNKNOWN'
  /** Encoded once for each status, because anybody may ask, as often as it likes. */
  const messages = new Map<ServingStatus, Buffer>()
  const lists = new Map<ServingStatus, Buffer>()
  const message = (status: ServingStatus) =>
    remembered(messages, status, () => framed(finishWriting((writer) => write(writer, { status }))))
  const list = (status: ServingStatus) =>
    remembered(lists, status, () => {
      const statuses = Object.fromEntries(['', ...services].map((service) => [service, { status }]))
      return framed(finishWriting((writer) => writeList(writer, { statuses })))
    })

  return async (path, exchange) => {
    const bytes = await exchange.message(requestBytesMax)
    const name = path.slice(healthPrefix.length)
    if (name === 'List') return exchange.end(list(overall()))
    const { service } = decode(bytes, limits) as { service: string }
    const status = statusOf(service)
    if (name === 'Check') {
      if (status === 'SERVICE_UNKNOWN') throw new GrpcError(notFound, `unknown service ${service}`)
      return exchange.end(message(status))
    }
    if (name !== 'Watch') throw new GrpcError(codes.unimplemented, `Method not found: ${path.slice(1)}`)
    let told = status
    exchange.write(message(told))
    const { stream } = exchange
    const look = () => {
      if (stream.destroyed) return
      const now = statusOf(service)
      if (now !== told) exchange.write(message(now))
      told = now
      if (isClosing()) return exchange.finish({ code: codes.unavailable, message: 'the node stops' })
      timer = clock.after(watchMs, look)
    }
    let timer = clock.after(watchMs, look)
    stream.on('close', () => timer.cancel())
  }
}

function remembered(known: Map<ServingStatus, Buffer>, status: ServingStatus, make: () => Buffer): Buffer {
  const found = known.get(status) ?? make()
  known.set(status, found)
  return found
}
