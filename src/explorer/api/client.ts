// Calls of the node's API: JSON over fetch, and streams over a WebSocket. The token is given by state/session.ts.
import { ApiError, errorFrom } from './api-error.ts'

export type CallOptions = {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly signal?: AbortSignal | undefined
  /** Instead of that of the session. */
  readonly token?: string | undefined
}

let currentToken: string | undefined
let onRefusedToken: (() => void) | undefined

/** From now on calls carry this token; `refused` is called if the node refuses it. */
export function setToken(token: string | undefined, refused?: () => void): void {
  currentToken = token
  onRefusedToken = refused
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(method, path, options)
  return (await response.json()) as T
}

export const get = <T>(path: string, options?: CallOptions): Promise<T> => call('GET', path, options)
export const post = <T>(path: string, body: unknown, options?: CallOptions): Promise<T> =>
  call('POST', path, { ...options, body })

/** The answer, if it is a success. */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const response = await exchange(method, path, options)
  if (response.ok) return response
  const refusal = errorFrom(response.status, await response.text(), response.headers.get('tallystick-hint'))
  const { token = currentToken } = options
  if (response.status === 401 && token === currentToken) onRefusedToken?.()
  throw refusal
}

/** Any answer, refusals as well. Bytes are sent as they are, anything else as JSON. */
export async function exchange(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { body, query, signal, token = currentToken } = options
  const isBytes = body instanceof Blob || body instanceof ArrayBuffer || body instanceof Uint8Array
  const headers: Record<string, string> = {}
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (body !== undefined) headers['content-type'] = isBytes ? 'application/octet-stream' : 'application/json'
  try {
    return await fetch(path + queryText(query), {
      method,
      headers,
      credentials: 'omit',
      redirect: 'error',
      ...(body !== undefined && { body: isBytes ? (body as BodyInit) : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, { code: 'OFFLINE', cause: 'The node does not answer.' })
  }
}

function queryText(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

export type StreamEnd = { readonly error: ApiError | undefined }

/**
 * Opens a stream: `request` is sent first, `take` gets each element, `ended` is called once. Close it with the signal.
 * A list that may grow by a thousand elements a second should ask for pages instead (state/ledger.ts).
 */
export function openStream<T>(
  path: string,
  request: unknown,
  signal: AbortSignal,
  take: (element: T) => void,
  ended: (end: StreamEnd) => void,
): void {
  const url = new URL(path, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const protocols = [...(currentToken === undefined ? [] : [`jwt.token.${currentToken}`]), 'daml.ws.auth']
  const socket = new WebSocket(url, protocols)
  let error: ApiError | undefined
  const close = () => socket.close()
  signal.addEventListener('abort', close)
  socket.onopen = () => socket.send(JSON.stringify(request))
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data as string)
    if (isError(message)) error = new ApiError(400, message)
    else take(message as T)
  }
  socket.onclose = () => {
    signal.removeEventListener('abort', close)
    if (!signal.aborted) ended({ error })
  }
}

/** An error is the last message of a stream. */
function isError(message: unknown): message is { code: string; cause: string } {
  return typeof message === 'object' && message !== null && 'code' in message && 'cause' in message
}
