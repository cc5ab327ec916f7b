// Requests to a participant over plain HTTP. Routes and automations send very many small ones; fetch takes several times as long for
// each, and a quarter of a second to load.
import { Agent, type IncomingMessage, request } from 'node:http'
import type { request as requestSecurely } from 'node:https'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

type Options = {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array | ReadableStream
  readonly signal?: AbortSignal
}

/** The part of fetch that a participant's client uses. */
export type Send = (url: string, options: Options) => Promise<Answer>

export type Answer = {
  readonly ok: boolean
  readonly status: number
  readonly body: AsyncIterable<Uint8Array>
  text(): Promise<string>
}

const socketsMax = 64

/** Its connections are kept for later requests, and do not keep the process alive. */
export function createHttpRequests(): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: socketsMax, scheduling: 'lifo' })
  return (url, { method = 'GET', headers = {}, body, signal }) =>
    new Promise((resolve, reject) => {
      const isPlain = url.startsWith('http:')
      const isAlone = headers.connection === 'close' || !isPlain
      const sent = (isPlain ? request : secureRequest())(
        url,
        { method, headers, ...(signal && { signal }), ...(!isAlone && { agent }) },
        (response) => resolve(answerOf(response)),
      )
      sent.on('error', reject)
      if (body instanceof ReadableStream)
        Readable.fromWeb(body as never)
          .on('error', reject)
          .pipe(sent)
      else sent.end(body)
    })
}

/** Loaded only for a participant behind TLS. */
function secureRequest(): typeof requestSecurely {
  return process.getBuiltinModule('node:https').request
}

function answerOf(response: IncomingMessage): Answer {
  const status = response.statusCode!
  return { ok: status >= 200 && status < 300, status, body: response, text: () => text(response) }
}
