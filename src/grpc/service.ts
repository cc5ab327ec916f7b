// The methods of the gRPC API: each is compiled for its first call, and runs in the pipeline of the API.

import type { Api } from '../api/api.ts'
import type { RequestMetrics } from '../api/calls/request-metrics.ts'
import { operationOf } from '../api/route.ts'
import { requirements } from '../auth/authorization.ts'
import { createEventPlans } from '../events/protobuf/event-plans.ts'
import { createTransactionRendering } from '../events/protobuf/transaction-protobuf.ts'
import { createDecoder, type WireSchema } from '../protobuf/json-reading.ts'
import { createJsonWriters } from '../protobuf/json-writing.ts'
import type { Method } from '../protobuf/messages.ts'
import { GrpcExchange, type PreparedMethod } from './exchange.ts'
import type { Row } from './method.ts'
import type { ServedApi } from './served-api.ts'
import type { WireCall } from './wire-call.ts'

/** Answers a call of a method. */
export type Handler = (wire: WireCall) => Promise<void>

export type GrpcService = {
  /** Undefined for a path that is no method. */
  handlerOf(path: string): Handler | undefined
}

export function createGrpcService(api: Api, metrics: RequestMetrics, served: ServedApi): GrpcService {
  const { messages, rows, prefix } = served
  const routeOf = new Map(api.routes.map((route) => [operationOf(route), route]))
  const writers = createJsonWriters()
  const plans = createEventPlans((names) => api.ledger.plansOf(names))
  const transactionRenderings = {
    plain: createTransactionRendering(plans, false),
    verbose: createTransactionRendering(plans, true),
  }
  const parts = { api, metrics, transactionRenderings }
  const handlers = new Map<string, Handler>()
  const methods = new Map(
    messages.files.flatMap(({ services }) =>
      services.flatMap(({ fullName, methods: all }) =>
        all.map((method): [string, Method] => [`/${fullName}/${method.name}`, method]),
      ),
    ),
  )
  const rowOf = new Map(rows.map((row) => [`/${prefix}${row.method}`, row]))

  function prepared(method: Method, row: Row): PreparedMethod {
    const route = row.operation === undefined ? undefined : routeOf.get(row.operation)
    const bodySchema = typeof route?.body === 'object' ? (route.body as WireSchema) : undefined
    return {
      row,
      route,
      requirement: row.isOpen ? undefined : requirements[row.operation ?? row.rightsOf],
      isStream: method.isResponseStream,
      responseName: method.response.fullName,
      decode: createDecoder(method.request, row.schema === null ? undefined : (row.schema ?? bodySchema)),
      decodeByTypes: createDecoder(method.request),
      write: writers.of(method.response),
    }
  }

  return {
    handlerOf(path) {
      const found = handlers.get(path)
      if (found !== undefined) return found
      const method = methods.get(path)
      const row = rowOf.get(path)
      if (method === undefined || row === undefined) return undefined
      const compiled = prepared(method, row)
      const handler: Handler = (wire) => api.run(new GrpcExchange(parts, compiled, wire))
      handlers.set(path, handler)
      return handler
    },
  }
}
