// One of the two nodes: sends requests to it, over HTTP, over WebSockets and over gRPC. A recording takes the place of
// Canton where there is none.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync } from 'node:zlib'
import { WebSocket } from 'ws'
import { createGrpcSide, type GrpcRequest } from './grpc-side.ts'

export type Request = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

export type Answer = {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly json: unknown
}

export type CompletionQuery = {
  /** Appears in the completion. Undefined if the client gave none: then every new completion is its own. */
  readonly id: string | undefined
  readonly request: { readonly userId: string; readonly parties: readonly string[]; readonly beginExclusive: number }
}

export type OffsetRange = readonly [beginExclusive: number, endInclusive: number]

export type Side = {
  send(request: Request): Promise<Answer>
  /** Whether the completion is there. */
  hasCompleted(query: CompletionQuery, headers: Readonly<Record<string, string>>): Promise<boolean>
  /** Where its ledger ends now. Asked again until it stays, so a recording keeps only what `settled` is told. */
  end(headers: Readonly<Record<string, string>>): Promise<number>
  settled(end: number): void
  /** How many updates it shows after the first offset, up to the second. Not recorded either. */
  updatesWithin(range: OffsetRange, headers: Readonly<Record<string, string>>): Promise<number>
  /** All messages until the node closes, or is silent; as one answer, with the code of the close as its status. */
  listen(path: string, request: string, headers: Readonly<Record<string, string>>): Promise<Answer>
  grpc(request: GrpcRequest): Promise<Answer>
}

const eventFormat = { filtersForAnyParty: {}, verbose: false }
/** Of any kind, for any party. */
export const allUpdates = {
  includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
  includeReassignments: eventFormat,
  includeTopologyEvents: { includeParticipantAuthorizationEvents: {} },
}

const adminPackage = '/com.digitalasset.canton.admin.'
const silenceMs = 4000
const requestTimeoutMs = 150_000
const completionWaitMs = 150

export type Addresses = {
  readonly url: string
  readonly grpcUrl?: string | undefined
  readonly adminUrl?: string | undefined
}

export function createSide({ url, grpcUrl, adminUrl }: Addresses): Side {
  const [ledger, admin] = [createGrpcSide(grpcUrl), createGrpcSide(adminUrl)]
  return {
    grpc: (request) => (request.path.startsWith(adminPackage) ? admin(request) : ledger(request)),

    async send(sent) {
      const { method, path, headers, body } = sent
      const length: Record<string, number> = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const request = httpRequest(`${url}${path}`, { method, headers: { ...headers, ...length } })
      request.setTimeout(requestTimeoutMs, () => request.destroy(new Error(`no answer to ${method} ${path}`)))
      request.end(body)
      let response: IncomingMessage
      try {
        ;[response] = (await once(request, 'response')) as [IncomingMessage]
      } catch (error) {
        if (!request.reusedSocket) throw error
        return this.send(sent) // The node had closed an idle connection.
      }
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      const bytes = Buffer.concat(parts)
      return answerOf(response.statusCode!, response.headers['content-type'] ?? '', bytes.toString())
    },

    async end(headers) {
      const { json } = await this.send({ method: 'GET', path: '/v2/state/ledger-end', headers, body: undefined })
      return (json as { offset: number }).offset
    },

    async hasCompleted({ id, request }, headers) {
      const path = `/v2/commands/completions?stream_idle_timeout_ms=${completionWaitMs}`
      const json = { ...headers, 'content-type': 'application/json' }
      const answer = await this.send({ method: 'POST', path, headers: json, body: JSON.stringify(request) })
      return answer.status !== 200 || answer.text.includes(id === undefined ? '"commandId"' : JSON.stringify(id))
    },

    settled: () => undefined,

    async updatesWithin([beginExclusive, endInclusive], headers) {
      const json = { ...headers, 'content-type': 'application/json' }
      const body = JSON.stringify({ beginExclusive, endInclusive, updateFormat: allUpdates })
      const answer = await this.send({ method: 'POST', path: '/v2/updates', headers: json, body })
      const elements = Array.isArray(answer.json) ? answer.json : []
      return elements.filter((element) => !isCheckpoint(element)).length
    },

    async listen(path, request, headers) {
      const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, ['daml.ws.auth'], {
        headers,
        perMessageDeflate: false,
      })
      const messages: unknown[] = []
      let quietSince = Date.now()
      const closed = new Promise<number>((resolve) => {
        socket.on('close', (code) => resolve(code))
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode!))
      })
      socket.on('error', () => undefined)
      socket.on('open', () => socket.send(request))
      socket.on('message', (data) => {
        quietSince = Date.now()
        messages.push(parsed(data.toString()))
      })
      const silence = (async () => {
        while (Date.now() - quietSince < silenceMs) await pause(50)
        return 0
      })()
      const status = await Promise.race([closed, silence])
      socket.terminate()
      const elements = messages.filter((message) => !isCheckpoint(message))
      return { status, type: 'messages', text: JSON.stringify(elements), json: elements }
    },
  }
}

export function answerOf(status: number, type: string, text: string): Answer {
  return { status, type, text, json: type.startsWith('application/json') ? parsed(text) : undefined }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Checkpoints come when the clock says so. */
export function isCheckpoint(element: unknown): boolean {
  return /"OffsetCheckpoint"/.test(JSON.stringify(element)?.slice(0, 60) ?? '')
}

export type Recorded = readonly [label: string, status: number, type: string, text: string]

/** What a file of `--record` holds, by participant; a single node is called `node`. */
export function recordingIn(file: string | URL): Readonly<Record<string, readonly Recorded[]>> {
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString())
}

/** Answers as they were recorded, one after the other; what is asked has to be what was asked then. */
export function createReplay(recorded: readonly Recorded[]): Side {
  let next = 0
  async function take(label: string): Promise<Answer> {
    const [known, status, type, text] = recorded[next] ?? ['nothing', 0, '', '']
    next += 1
    if (known !== label) throw new Error(`Request ${next} is ${label}; recorded is ${known}`)
    const answer = answerOf(status, type, text)
    return type === 'messages' || type === 'grpc' ? { ...answer, json: parsed(text) } : answer
  }
  return {
    send: ({ method, path }) => take(labelOf(method, path)),
    hasCompleted: async () => true,
    async end() {
      const [known, , , end] = recorded[next] ?? ['nothing', 0, '', '']
      if (known !== 'end') throw new Error(`Request ${next + 1} is the end of the ledger; recorded is ${known}`)
      return Number(end)
    },
    settled() {
      next += 1
    },
    updatesWithin: async () => Number.POSITIVE_INFINITY, // It knows what was delivered.
    listen: (path) => take(labelOf('WS', path)),
    grpc: ({ path }) => take(labelOf('gRPC', path)),
  }
}

/** Keeps what a side answers. */
export function recording(side: Side, into: Recorded[]): Side {
  const keep = (label: string, { status, type, text }: Answer) => void into.push([label, status, type, text])
  return {
    hasCompleted: (query, headers) => side.hasCompleted(query, headers),
    end: (headers) => side.end(headers),
    settled: (end) => void into.push(['end', 0, '', String(end)]),
    updatesWithin: (range, headers) => side.updatesWithin(range, headers),
    async send(request) {
      const answer = await side.send(request)
      keep(labelOf(request.method, request.path), answer)
      return answer
    },
    async listen(path, request, headers) {
      const answer = await side.listen(path, request, headers)
      keep(labelOf('WS', path), answer)
      return answer
    },
    async grpc(request) {
      const answer = await side.grpc(request)
      keep(labelOf('gRPC', request.path), answer)
      return answer
    },
  }
}

/** One node in both places: the second answers what the first has answered. */
export function mirrored(side: Side): { readonly ours: Side; readonly canton: Side } {
  let last: Promise<Answer>
  const remember = (answer: Promise<Answer>) => {
    last = answer
    return answer
  }
  const ours: Side = {
    ...side,
    send: (request) => remember(side.send(request)),
    listen: (...given) => remember(side.listen(...given)),
    grpc: (request) => remember(side.grpc(request)),
  }
  return { ours, canton: { ...side, send: () => last, listen: () => last, grpc: () => last } }
}

/** Without ids, which differ from run to run. */
function labelOf(method: string, path: string): string {
  return `${method} ${path
    .split('?')[0]!
    .replaceAll(/[0-9a-f]{32,}/g, '*')
    .replaceAll(/\d+/g, '0')}`
}
