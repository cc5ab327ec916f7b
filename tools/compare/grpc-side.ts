// Calls of gRPC methods. An answer is shown as the JSON API shows it: messages as JSON, a refusal with code, cause, context
// and resources, so that one comparison and one list of declared differences serve both.
import { keptProtobufOf } from '../../src/base/exact-json.ts'
import { instantToText } from '../../src/lf/codec/time-text.ts'
import { createDecoder } from '../../src/protobuf/json-reading.ts'
import { ledgerApi } from '../../src/protobuf/ledger-api.ts'
import { type Field, jsonNameOf, type MessageType } from '../../src/protobuf/messages.ts'
import { allMethods, type GrpcAnswer, type GrpcClient, openGrpc } from '../../test/fixtures/grpc.ts'

export type GrpcRequest = {
  readonly path: string
  /** All bytes that the client sends: frames, as a rule one. */
  readonly frames: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  /** How many elements a stream without an end is to have, where that is known. */
  readonly elements?: number
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all methods pass through here.
type Json = any

type Shown = { readonly status: number; readonly type: string; readonly text: string; readonly json: Json }

/** A stream without an end is read until it is silent for so long. */
const silenceMs = 5000
/** Until something comes that was not expected. */
const surplusMs = 200
const limits = { depthMax: 1000, valuesMax: 10_000_000 }
/** Below the messages, nothing was said. */
const noStatus = -1

const api = ledgerApi()
const methods = allMethods()
const valueType = api.message('com.daml.ledger.api.v2.Value')
const recordType = api.message('com.daml.ledger.api.v2.Record')

export function createGrpcSide(url: string | undefined): (request: GrpcRequest) => Promise<Shown> {
  let client: GrpcClient | undefined
  return async ({ path, frames, headers, elements = Number.POSITIVE_INFINITY }) => {
    if (url === undefined) throw new Error(`no address to call ${path} at`)
    // A node may close a connection after a call that it cannot read.
    if (client === undefined || client.session.closed || client.session.destroyed)
      client = openGrpc(url, '', { maxSessionMemory: 64 })
    const isStream = methods.get(path)?.isResponseStream ?? false
    const quietMs = (received: number) => (received < elements ? silenceMs : surplusMs)
    const { session } = client
    session.ref() // Until the answer is there.
    const answer = await client.call(path, frames, { headers, isRaw: true, ...(isStream && { quietMs }) })
    session.unref()
    // Canton closes a connection just after it resets a call whose headers it cannot read.
    if (answer.reset !== 0 && answer.httpStatus === 0) session.close()
    const json = answerToJson(path, answer)
    return { status: answer.code, type: 'grpc', text: JSON.stringify(json), json }
  }
}

export function answerToJson(path: string, answer: GrpcAnswer): Json {
  const { code, message, details, messages, reset, httpStatus } = answer
  if (httpStatus !== 200) return { httpStatus, reset, cause: message } // What follows is no message.
  const method = methods.get(path)
  const elements = messages
    .map((bytes) => (method === undefined ? bytes.toString('base64') : messageToJson(method.response, bytes)))
    .filter((element) => element.offsetCheckpoint === undefined) // They come when the clock says so.
  if (code === 0 && !method?.isResponseStream && elements.length === 1) return elements[0]
  if (code === 0) return elements
  if (code === noStatus) return { elements, reset }
  return { ...refusalToJson(message, details), ...(elements.length > 0 && { elements }) }
}

function refusalToJson(cause: string, details: Buffer | undefined): Json {
  if (details === undefined) return { cause }
  const status = messageToJson(api.message('google.rpc.Status'), details)
  const told: [type: string, content: Json][] = status.details.map(({ typeUrl, value }: Json) => {
    const type = typeUrl.slice(typeUrl.lastIndexOf('/') + 1)
    return [type.replace('google.rpc.', ''), messageToJson(api.message(type), Buffer.from(value, 'base64'))]
  })
  const of = (wanted: string) => told.flatMap(([type, content]) => (type === wanted ? [content] : []))
  const [{ reason, domain, metadata } = { reason: '', domain: '', metadata: {} }] = of('ErrorInfo')
  return {
    code: reason,
    cause,
    context: metadata,
    domain,
    resources: of('ResourceInfo').map((one) => [one.resourceType, one.resourceName, one.owner, one.description]),
    retryInfo: of('RetryInfo'),
    requestInfo: of('RequestInfo'),
    order: told.map(([type]) => type),
    ...(status.message !== cause && { statusMessage: status.message }),
  }
}

export function messageToJson(type: MessageType, bytes: Uint8Array): Json {
  return shown(type, createDecoder(type)(bytes, limits))
}

/** What the decoder made of a message, as JSON: in the order of its fields, with times and values that can be read. */
function shown(type: MessageType, decoded: Json): Json {
  if (type.fullName === 'google.protobuf.Timestamp') return instantToText(decoded)
  if (typeof decoded !== 'object') return decoded
  const entries = type.fields.flatMap((field): [string, unknown][] => {
    const { jsonName, oneof, occurs } = field
    const value = oneof === undefined ? decoded[jsonName] : decoded[jsonNameOf(oneof)]?.[jsonName]
    if (value === undefined) return []
    if (occurs === 'repeated') return [[jsonName, inOrder(field, value).map((item) => shownField(field, item))]]
    if (occurs !== 'map') return [[jsonName, shownField(field, value)]]
    return [[jsonName, Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shownField(field, item)]))]]
  })
  return Object.fromEntries(entries)
}

/** Canton lists the nodes of a prepared transaction in the order of its hash table. */
function inOrder({ name }: Field, items: readonly Json[]): readonly Json[] {
  return name === 'nodes' ? items.toSorted((a, b) => Number(a.nodeId) - Number(b.nodeId)) : items
}

function shownField({ name, kind }: Field, value: Json): Json {
  const kept = keptProtobufOf(value)
  if (kept !== undefined)
    return kind === recordType ? messageToJson(recordType, recordIn(kept)) : messageToJson(valueType, kept)
  if (typeof kind === 'object' && kind.is === 'message') return shown(kind, value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (kind === 'uint64' && /_(time|at)$/.test(name)) return instantToText(value) // In prepared transactions.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return value
}

/** The decoder keeps a record as a value that is that record: after the tag and the length. */
function recordIn(value: Buffer): Buffer {
  const lengthEnd = value.findIndex((byte, index) => index > 0 && byte < 0x80)
  return value.subarray(lengthEnd + 1)
}
