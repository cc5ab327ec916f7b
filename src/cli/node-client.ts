// HTTP client for a running node. Every failure is reported in the node's words, with its hint.
import { errorAnswerOf, hintHeader } from '../base/error-answer.ts'
import { errorWords } from '../base/error-words.ts'
import { StartError } from '../base/errors.ts'
import { shownUrl } from '../base/shown-url.ts'

/** A node that does not answer a probe within this time counts as not running. */
const probeMs = 5_000

/** Nothing answers: exit code 3. */
export class NotReachedError extends StartError {}

/** The node answers that it will not. */
export class RefusedError extends StartError {
  /** Undefined for plain text. */
  readonly code: string | undefined

  constructor(code: string | undefined, words: string) {
    super(`the node refused: ${words}`)
    this.code = code
  }
}

/** What only a development node does, by its path. */
const developmentOnly: ReadonlyMap<string, string> = new Map([
  ['dars', 'replaces packages'],
  ['dry-run', 'tries commands out'],
  ['faults', 'has faults on order'],
  ['rejections', 'remembers what it refused'],
  ['reset', 'can be reset'],
  ['snapshots', 'has snapshots'],
  ['time', 'lets its time be moved'],
  ['tokens', 'issues tokens'],
])

export type NodeClient = {
  readonly url: string
  get(path: string): Promise<Response>
  /** Bytes and text are sent as they are, anything else as JSON. */
  post(path: string, body: unknown): Promise<Response>
  /** The same; undefined if the node has no such path. */
  postIfServed(path: string, body: unknown): Promise<Response | undefined>
  patch(path: string, body: unknown): Promise<Response>
  /** Sends a large body as it is read. */
  upload(path: string, chunks: AsyncIterable<Uint8Array>): Promise<Response>
  delete(path: string): Promise<Response>
  /** The answer, whatever its status. Throws if nothing answers. */
  exchange(method: string, path: string, body: string | undefined): Promise<Exchanged>
  /** The response, whatever its status; undefined if nothing answers. */
  probe(path: string): Promise<Response | undefined>
  /** The elements of a list, each as JSON text. `advice` is for readers who lack the right. */
  lines(path: string, body: unknown, advice?: string): AsyncIterable<string>
  /** The same over a WebSocket, with those that are yet to come, until the signal. */
  follow(path: string, body: unknown, signal: AbortSignal): AsyncIterable<string>
}

export type Exchanged = { readonly status: number; readonly text: string }

/** `isOurs`: nobody gave the token; it was made with the secret of a data folder. */
export function createNodeClient(url: string, token: string | undefined, isOurs = false): NodeClient {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }

  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(new URL(path, url), { ...init, headers: { ...authorization, ...init.headers } })
    } catch (error) {
      throw new NotReachedError(`cannot reach ${shownUrl(url)}: ${reasonOf(error as Error)}; is the node running?`)
    }
  }

  async function ask(path: string, init: RequestInit, advice = ''): Promise<Response> {
    return accepted(path, await send(path, init), advice)
  }

  async function accepted(path: string, response: Response, advice = ''): Promise<Response> {
    if (!response.ok) throw refusalOf(response, path, await response.text(), advice)
    return response
  }

  function refusalOf({ status, headers }: Response, path: string, text: string, advice = ''): StartError {
    const answer = errorAnswerOf(text, headers.get(hintHeader))
    if (status === 404 && answer.code === undefined && path.startsWith('/dev/')) {
      const what = developmentOnly.get(path.split(/[/?]/)[2]!) ?? `has ${path}`
      return new StartError(`${shownUrl(url).replace(/\/$/, '')} is not a development node; only such a node ${what}`)
    }
    // The node's hint about tokens is for those who write headers; ours is about options.
    const shown = status === 401 ? { ...answer, hint: undefined } : answer
    return new RefusedError(answer.code, errorWords(shown, adviceFor(status, advice)))
  }

  /** The words of other nodes tell nothing about tokens and rights. */
  function adviceFor(status: number, advice: string): string {
    if (status === 401)
      return token === undefined || isOurs ? '; give a token with --token' : '; it does not accept the token'
    return status === 403 ? `; the user of the token lacks a right${advice && `; ${advice}`}` : ''
  }

  return {
    url,
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body) => ask(path, { method: 'POST', body: encoded(body) }),
    async postIfServed(path, body) {
      const response = await send(path, { method: 'POST', body: encoded(body) })
      if (response.status !== 404 && response.status !== 405) return accepted(path, response)
      const text = await response.text()
      if (errorAnswerOf(text).code === undefined) return undefined
      throw refusalOf(response, path, text)
    },
    patch: (path, body) => ask(path, { method: 'PATCH', body: encoded(body) }),
    upload: (path, chunks) => {
      const init: RequestInit & { duplex: 'half' } = {
        method: 'POST',
        body: ReadableStream.from(chunks),
        duplex: 'half',
      }
      return ask(path, init)
    },
    delete: (path) => ask(path, { method: 'DELETE' }),
    async exchange(method, path, body) {
      const headers = { 'content-type': 'application/json' }
      const response = await send(path, { method, ...(body !== undefined && { body, headers }) })
      return { status: response.status, text: await response.text() }
    },
    probe: (path) =>
      fetch(new URL(path, url), { headers: authorization, signal: AbortSignal.timeout(probeMs) }).catch(
        () => undefined,
      ),
    async *lines(path, body, advice = '--party names the parties to read as') {
      const headers = { accept: 'application/x-ndjson' }
      const response = await ask(path, { method: 'POST', body: encoded(body), headers }, advice)
      for await (const line of linesOf(response.body!)) {
        throwIfError(line)
        yield line
      }
    },
    async *follow(path, body, signal) {
      const address = new URL(path, url)
      address.protocol = address.protocol.replace('http', 'ws')
      const protocols = [...(token === undefined ? [] : [`jwt.token.${token}`]), 'daml.ws.auth']
      for await (const message of messagesOf(new WebSocket(address, protocols), JSON.stringify(body), signal)) {
        throwIfError(message)
        yield message
      }
    },
  }
}

/** For a name with several addresses, the reason for the first. */
function reasonOf(error: Error): string {
  const { cause = error } = error as { cause?: unknown }
  const [first = cause] = (cause as { errors?: unknown[] }).errors ?? []
  return (first as Error).message || String(first)
}

/** What the socket receives; throws if the node ends it. */
async function* messagesOf(socket: WebSocket, request: string, signal: AbortSignal): AsyncIterable<string> {
  const received: string[] = []
  let isOpen = true
  let arrived = Promise.withResolvers<void>()
  const wake = () => {
    arrived.resolve()
    arrived = Promise.withResolvers()
  }
  socket.addEventListener('open', () => socket.send(request))
  socket.addEventListener('message', ({ data }) => {
    received.push(String(data))
    wake()
  })
  socket.addEventListener('close', () => {
    isOpen = false
    wake()
  })
  const stop = () => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const waiting = arrived.promise
      if (received.length > 0) yield received.shift()!
      else if (!isOpen) throw new StartError('the node has ended the stream')
      else await waiting
    }
  } finally {
    signal.removeEventListener('abort', stop)
    socket.close()
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncIterable<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const bytes of body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = parts.pop()!
    yield* parts.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}

function encoded(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** A stream ends with its error. No element of a list has these fields at its top. */
function throwIfError(line: string): void {
  if (!line.startsWith('{"code":')) return
  const answer = errorAnswerOf(line)
  if (answer.code !== undefined) throw new RefusedError(answer.code, errorWords(answer))
}
