// Answers the calls of clients: finds the method of each, or one of the services that every gRPC server has.

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Api } from '../api/api.ts'
import type { RequestMetrics } from '../api/calls/request-metrics.ts'
import { createJsonWriters } from '../protobuf/json-writing.ts'
import { ledgerApi } from '../protobuf/ledger-api.ts'
import { finishWriting } from '../protobuf/message-writer.ts'
import { createHealthService, healthPrefix } from './health-service.ts'
import { answerReflection, reflectionPaths } from './reflection.ts'
import type { ServedApi } from './served-api.ts'
import { createGrpcService } from './service.ts'
import { codes, GrpcError, refusalOf, statusOf, tooLate } from './status.ts'
import {
  createWireCall,
  framed,
  hasBadBinaryMetadata,
  hasBadTimeout,
  httpRefusalOf,
  refuseOverHttp,
  unknownEncoding,
  type WireCall,
} from './wire-call.ts'

/** By which programs of Canton find out whose port it is. */
const apiInfoPath = '/com.digitalasset.canton.connection.v30.ApiInfoService/GetApiInfo'
/** The request has no fields. */
const apiInfoBytesMax = 1024

function apiInfo(name: ServedApi['name']): Buffer {
  const response = ledgerApi().message('com.digitalasset.canton.connection.v30.GetApiInfoResponse')
  return framed(finishWriting((writer) => createJsonWriters().of(response)(writer, { name })))
}

/** NGHTTP2_PROTOCOL_ERROR. */
const protocolError = 1
/** NGHTTP2_INTERNAL_ERROR. */
const internalError = 2
/** NGHTTP2_CANCEL: the time of the call was over before it began. */
const cancel = 8

export type Calls = {
  answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void
}

export function createCalls(api: Api, metrics: RequestMetrics, served: ServedApi): Calls {
  const { inFlight, strangers, clock, log } = api
  const service = createGrpcService(api, metrics, served)
  const answerHealth = createHealthService(api, served.components)

  async function answered(wire: WireCall): Promise<void> {
    const { path } = wire
    const stopped = api.stopped()
    if (stopped !== undefined) throw stopped
    if (path === apiInfoPath) {
      await wire.message(apiInfoBytesMax)
      return wire.end(apiInfo(served.name))
    }
    if (reflectionPaths.has(path) || path.startsWith(healthPrefix)) {
      endInTime(wire)
      if (!reflectionPaths.has(path)) return answerHealth(path, wire)
      return answerReflection(wire, served.messages, () => turnOf(wire.stream))
    }
    const handler = service.handlerOf(path)
    if (handler === undefined) throw new GrpcError(codes.unimplemented, `Method not found: ${path.slice(1)}`)
    inFlight.begin()
    try {
      await handler(wire)
    } finally {
      inFlight.end()
    }
  }

  /** Strangers take turns. Never settles if the client is gone before its turn. */
  function turnOf(stream: ServerHttp2Stream): Promise<void> {
    const address = stream.session?.socket?.remoteAddress
    return new Promise((resolve, reject) => {
      const leave = () => strangers.withdraw(address, begin)
      const begin = () => {
        stream.off('close', leave)
        resolve()
      }
      stream.on('close', leave)
      if (!strangers.admit(address, begin)) {
        stream.off('close', leave)
        reject(new GrpcError(codes.resourceExhausted, tooManyStrangers))
      }
    })
  }

  /** Methods of the Ledger API do this for themselves. */
  function endInTime(wire: WireCall): void {
    if (wire.timeoutMs === undefined) return
    const timer = clock.after(wire.timeoutMs, () => wire.finish(tooLate))
    wire.stream.on('close', () => timer.cancel())
  }

  return {
    answer(stream, headers) {
      const { session } = stream
      if (session === undefined || strangers.knows(session)) return begin(stream, headers)
      turnOf(stream).then(
        () => begin(stream, headers),
        ({ code, message }: GrpcError) => createWireCall(stream, headers).finish({ code, message }),
      )
    },
  }

  function begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    if (stream.destroyed) return
    // As Netty does, which decodes binary metadata while it reads the headers.
    if (hasBadBinaryMetadata(headers)) return stream.close(protocolError)
    const refusal = httpRefusalOf(headers)
    if (refusal !== undefined) return refuseOverHttp(stream, refusal)
    const wire = createWireCall(stream, headers)
    const encoding = unknownEncoding(headers)
    if (encoding !== undefined) {
      wire.finish({ code: codes.unimplemented, message: `Can't find decompressor for ${encoding}` })
      return
    }
    // As grpc-java does: there is no status.
    if (hasBadTimeout(headers)) return stream.close(internalError)
    if (wire.timeoutMs !== undefined && wire.timeoutMs <= 0) return stream.close(cancel)
    answered(wire).catch((error: unknown) => {
      const refusal = refusalOf(error)
      if (refusal === undefined && !stream.destroyed) {
        log.error({ operation: wire.path, stack: (error as Error).stack }, 'a gRPC call failed')
      }
      wire.finish(statusOf(refusal, { traceId: '', explains: false, participant: '' }))
    })
  }
}

const tooManyStrangers =
  'Too many calls without an accepted token wait for their turn (limits.strangersPerSecondMax); try again'
