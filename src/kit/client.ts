// Requests to a node of the test kit, with full rights: calls, and streams as lines.
import { type ErrorAnswer, errorAnswerOf, hintHeader } from '../base/error-answer.ts'
import { errorWords } from '../base/error-words.ts'
import type { Refusal } from './api.ts'
import type { RunningNode } from './running-node.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of all operations pass through here.
export type Json = any

type Words = (answer: ErrorAnswer) => string

export type Client = {
  /** Throws a Refusal unless it succeeds; `words` tell of it. */
  call(method: string, path: string, body?: unknown, words?: Words): Promise<Json>
  /** The elements of a stream, until it ends or the signal aborts it. */
  lines(path: string, body: unknown, signal?: AbortSignal): AsyncGenerator<Json, void>
}

/** The longest silence that the node knows: it ends the answer after it. */
const longestMs = 2 ** 31 - 1

/** How streams end with their ledger: the node closes, or returns to a snapshot. */
const endings: ReadonlySet<string> = new Set(['SERVICE_NOT_RUNNING', 'LEDGER_REPLACED'])

/** `url` is that of a participant. */
export function createClient(node: RunningNode, url: string): Client {
  const headers = { authorization: `Bearer ${node.token}`, 'content-type': 'application/json' }

  async function ask(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers } })
    } catch (cause) {
      const reason = await node.whyGone()
      throw reason === undefined ? cause : new Error(reason, { cause })
    }
  }

  return {
    async call(method, path, body, words) {
      const sent = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body)
      const response = await ask(path, { method, ...(sent !== undefined && { body: sent as string }) })
      const text = await response.text()
      if (!response.ok) throw refusalOf(response, text, words)
      return text === '' ? undefined : JSON.parse(text)
    },

    async *lines(path, body, signal) {
      const stopping = new AbortController()
      const stop = () => stopping.abort()
      signal?.addEventListener('abort', stop)
      if (signal?.aborted) stop()
      try {
        const response = await ask(`${path}?stream_idle_timeout_ms=${longestMs}`, {
          method: 'POST',
          body: JSON.stringify(body),
          // Its own connection: a node that closes would wait for one that is kept for later requests.
          headers: { accept: 'application/x-ndjson', connection: 'close' },
          signal: stopping.signal,
        })
        if (!response.ok) throw refusalOf(response, await response.text())
        for await (const line of linesOf(response.body!)) {
          const element = JSON.parse(line)
          if (typeof element.code !== 'string') yield element
          else if (endings.has(element.code)) return
          else throw refusalOf(response, line)
        }
      } catch (error) {
        if (!stopping.signal.aborted) throw error
      } finally {
        signal?.removeEventListener('abort', stop)
        stop()
      }
    },
  }
}

/** Ends as well if the connection is lost: with the node, or because a test ordered that. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
    if (done) return
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = parts.pop()!
    yield* parts.filter((line) => line !== '')
  }
}

function refusalOf({ status, headers }: Response, text: string, words: Words = errorWords): Refusal {
  const answer = errorAnswerOf(text, headers.get(hintHeader))
  const { code = '', hint, context } = answer
  const message = words(code === '' ? { ...answer, code: String(status) } : answer)
  return Object.assign(new Error(message), { status, code, hint, context })
}
