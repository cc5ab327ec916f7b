// The read-only client over gRPC, for participants whose JSON Ledger API cannot be reached: a row for each operation that
// readers use, by its path in the JSON Ledger API. Requests and answers are those of the JSON Ledger API.
import { shownUrl } from '../base/shown-url.ts'
import { createJsonWriters } from '../protobuf/json-writing.ts'
import { ledgerApi } from '../protobuf/ledger-api.ts'
import { finishWriting } from '../protobuf/message-writer.ts'
import type { Method } from '../protobuf/messages.ts'
import { readAnswer } from './grpc-answers.ts'
import { createGrpcConnection, type GrpcServer } from './grpc-connection.ts'
import type { LedgerClient } from './ledger-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: the answers of all operations pass through here.
type Json = any

type Operation = {
  readonly service: string
  readonly method: string
  /** Of a path with parts that vary, and of a request without a body. */
  readonly request?: (parts: readonly string[], query: URLSearchParams) => object
  readonly answer?: (answer: Json) => Json
}

const api = 'com.daml.ledger.api.v2'

/** By method and path; `*` is a part that varies. */
const operations: Readonly<Record<string, Operation>> = {
  'GET /v2/parties/participant-id': { service: 'admin.PartyManagementService', method: 'GetParticipantId' },
  'GET /v2/parties': {
    ...{ service: 'admin.PartyManagementService', method: 'ListKnownParties' },
    request: (_, query) => ({ pageToken: query.get('pageToken') ?? '' }),
  },
  'GET /v2/parties/*': {
    ...{ service: 'admin.PartyManagementService', method: 'GetParties' },
    request: ([party]) => ({ parties: [party] }),
  },
  'GET /v2/authenticated-user': { service: 'admin.UserManagementService', method: 'GetUser' },
  'GET /v2/users/*/rights': {
    ...{ service: 'admin.UserManagementService', method: 'ListUserRights' },
    request: ([userId]) => ({ userId }),
    answer: ({ rights }) => ({ rights: rights.map(({ kind }: Json) => ({ kind: capitalized(kind) })) }),
  },
  'GET /v2/packages': { service: 'PackageService', method: 'ListPackages' },
  'GET /v2/packages/*': {
    ...{ service: 'PackageService', method: 'GetPackage' },
    request: ([packageId]) => ({ packageId }),
    answer: ({ archivePayload }) => Buffer.from(archivePayload, 'base64'),
  },
  'GET /v2/state/ledger-end': { service: 'StateService', method: 'GetLedgerEnd' },
  'GET /v2/state/latest-pruned-offsets': { service: 'StateService', method: 'GetLatestPrunedOffsets' },
  'POST /v2/state/active-contracts': {
    ...{ service: 'StateService', method: 'GetActiveContracts' },
    answer: ({ contractEntry }) => ({ contractEntry: entryOf(contractEntry ?? {}) }),
  },
  'POST /v2/updates': { service: 'UpdateService', method: 'GetUpdates', answer: updateOf },
  'POST /v2/updates/update-by-offset': { service: 'UpdateService', method: 'GetUpdateByOffset', answer: updateOf },
}

export function createGrpcLedgerClient(server: GrpcServer): LedgerClient {
  const connection = createGrpcConnection(server)
  const writers = createJsonWriters()

  function prepare(method: string, path: string, body: object = {}) {
    const { pathname, searchParams } = new URL(path, 'http://ledger')
    const { service, method: name, request, answer = same, parts } = operationAt(method, pathname)
    const called = methodOf(`${api}.${service}`, name)
    const write = writers.of(called.request)
    const json = request === undefined ? verbosely(body) : request(parts, searchParams)
    return {
      path: `/${api}.${service}/${name}`,
      bytes: finishWriting((writer) => write(writer, json as Json)),
      read: (bytes: Uint8Array) => answer(readAnswer(called.response, bytes)),
    }
  }

  async function call(method: string, path: string, body?: object): Promise<Json> {
    const prepared = prepare(method, path, body)
    return prepared.read(await connection.unary(prepared.path, prepared.bytes))
  }

  async function* stream(path: string, body: object, signal: AbortSignal) {
    const prepared = prepare('POST', path, body)
    for await (const bytes of connection.stream(prepared.path, prepared.bytes, signal)) {
      yield { element: prepared.read(bytes), bytes: bytes.length }
    }
  }

  return {
    place: shownUrl(server.authority),
    get: (path) => call('GET', path),
    bytes: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    stream,
    async *texts(path, body, signal) {
      for await (const { element } of stream(path, body, signal)) yield JSON.stringify(element)
    },
  }
}

const same = (answer: Json) => answer

function operationAt(method: string, path: string): Operation & { readonly parts: readonly string[] } {
  const exact = operations[`${method} ${path}`]
  if (exact !== undefined) return { ...exact, parts: [] }
  const segments = path.split('/')
  for (const [name, operation] of Object.entries(operations)) {
    const pattern = name.slice(method.length + 1).split('/')
    if (!name.startsWith(`${method} `) || pattern.length !== segments.length) continue
    if (!pattern.every((part, index) => part === '*' || part === segments[index])) continue
    const parts = segments.filter((_, index) => pattern[index] === '*').map(decodeURIComponent)
    return { ...operation, parts }
  }
  throw new Error(`there is no gRPC operation for ${method} ${path}`)
}

function methodOf(service: string, name: string): Method {
  const found = ledgerApi()
    .files.flatMap(({ services }) => services)
    .find(({ fullName }) => fullName === service)
  return found!.methods.find((one) => one.name === name)!
}

/** Records have labels only then. */
function verbosely(body: object): object {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'verbose' ? true : value)))
}

/** `canReadAs: {…}` as `CanReadAs: {value: {…}}`. */
function capitalized(oneof: Json): Json {
  return Object.fromEntries(
    Object.entries(oneof ?? {}).map(([name, value]) => [`${name[0]!.toUpperCase()}${name.slice(1)}`, { value }]),
  )
}

function entryOf({ activeContract, incompleteUnassigned, incompleteAssigned }: Json): Json {
  if (activeContract) return { JsActiveContract: withCreated(activeContract) }
  if (incompleteUnassigned) return { JsIncompleteUnassigned: withCreated(incompleteUnassigned) }
  if (incompleteAssigned)
    return { JsIncompleteAssigned: { assignedEvent: withCreated(incompleteAssigned.assignedEvent) } }
  return {}
}

const withCreated = (holder: Json) => ({ ...holder, createdEvent: createdOf(holder.createdEvent) })

function createdOf({ createArguments, ...event }: Json): Json {
  return { ...event, createArgument: createArguments }
}

function updateOf({ update }: Json): Json {
  const { transaction, reassignment, offsetCheckpoint, topologyTransaction } = update ?? {}
  if (transaction)
    return { update: { Transaction: { value: { ...transaction, events: transaction.events.map(eventOf) } } } }
  if (reassignment) {
    const events = reassignment.events.map(({ event }: Json) =>
      event.assigned ? { JsAssignmentEvent: withCreated(event.assigned) } : {},
    )
    return { update: { Reassignment: { value: { ...reassignment, events } } } }
  }
  if (offsetCheckpoint) return { update: { OffsetCheckpoint: { value: offsetCheckpoint } } }
  return { update: { TopologyTransaction: { value: topologyTransaction } } }
}

function eventOf({ event: { created, archived, exercised } }: Json): Json {
  if (created) return { CreatedEvent: createdOf(created) }
  return exercised ? { ExercisedEvent: exercised } : { ArchivedEvent: archived }
}
