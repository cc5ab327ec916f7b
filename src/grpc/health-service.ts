// Health v1: whether the node serves, as probes of orchestrators ask for it.
import type { Clock } from '../base/clock.ts'
import type { Health } from '../base/health.ts'
import { createDecoder } from '../protobuf/json-reading.ts'
import { createJsonWriters } from '../protobuf/json-writing.ts'
import { ledgerApi } from '../protobuf/ledger-api.ts'
import { finishWriting } from '../protobuf/message-writer.ts'
import { codes, GrpcError } from './status.ts'
import { framed, type WireCall } from './wire-call.ts'

const limits = { depthMax: 10, valuesMax: 100 }
const requestBytesMax = 4096
/** How often a watching client is told what changed. */
const watchMs = 1000
const notFound = 5

type ServingStatus = 'SERVING' | 'NOT_SERVING'

export type HealthService = (path: string, wire: WireCall) => Promise<void>

export const healthPrefix = '/grpc.health.v1.Health/'

type Parts = {
  readonly health: Health
  readonly clock: Clock
  readonly isClosing: () => boolean
  readonly stopped: () => Error | undefined
}

export function createHealthService(
  { health, clock, isClosing, stopped }: Parts,
  components: ReadonlySet<string>,
): HealthService {
  const api = ledgerApi()
  const decode = createDecoder(api.message('grpc.health.v1.HealthCheckRequest'))
  const write = createJsonWriters().of(api.message('grpc.health.v1.HealthCheckResponse'))

  const isDown = () => isClosing() || stopped() !== undefined
  const current = (): ServingStatus => (isDown() || health.failing().length > 0 ? 'NOT_SERVING' : 'SERVING')
  /** Encoded once, because anybody may ask, as often as they like. */
  const encoded = (status: ServingStatus) => framed(finishWriting((writer) => write(writer, { status })))
  const messages = { SERVING: encoded('SERVING'), NOT_SERVING: encoded('NOT_SERVING') } as const

  return async (path, wire) => {
    const name = path.slice(healthPrefix.length)
    if (name !== 'Check' && name !== 'Watch')
      throw new GrpcError(codes.unimplemented, `Method not found: ${path.slice(1)}`)
    const { service } = decode(await wire.message(requestBytesMax), limits) as { service: string }
    if (!components.has(service)) throw new GrpcError(notFound, `Component ${service} does not exist.`)
    if (name === 'Check') return wire.end(messages[current()])
    let told = current()
    wire.write(messages[told])
    const { stream } = wire
    const look = () => {
      if (stream.destroyed) return
      const now = current()
      if (now !== told) wire.write(messages[now])
      told = now
      if (isDown()) return wire.finish({ code: codes.unavailable, message: 'the node stops' })
      timer = clock.after(watchMs, look)
    }
    let timer = clock.after(watchMs, look)
    stream.on('close', () => timer.cancel())
  }
}
