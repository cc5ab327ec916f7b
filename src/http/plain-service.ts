// A service over plain HTTP beside the API of a node (LocalNet's APIs, the OIDC issuer): it reads bodies up to a limit, answers with
// JSON or text, and lets pages of any origin ask. What it answers is its owner's.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../base/log.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export type PlainAnswer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** An answer has one of them, or no content. */
  readonly json?: unknown
  readonly text?: string
}

export type PlainService = {
  /** Of every answer. */
  headersFor(request: IncomingMessage): Readonly<Record<string, string>>
  /** Of the answer to a browser that asks what it may do. */
  readonly preflightStatus: number
  answerTo(request: IncomingMessage): Promise<PlainAnswer>
  /** Undefined for an error that nobody expects. */
  refusalOf(error: unknown): PlainAnswer | undefined
  /** The answer for such an error, and how the log names the service. */
  readonly failure: PlainAnswer
  readonly name: string
}

class BodyTooLarge extends Error {}
class ClientLeft extends Error {}

export function createPlainService(
  { headersFor, preflightStatus, answerTo, refusalOf, failure, name }: PlainService,
  log: Log,
): Handler {
  function answerInstead(error: unknown): PlainAnswer {
    if (error instanceof BodyTooLarge) return { status: 413, json: { error: error.message } }
    const refusal = refusalOf(error)
    if (refusal !== undefined) return refusal
    const reason = (error as Error).message
    if (error instanceof ClientLeft) log.debug({ reason }, `a client of ${name} left before its request was complete`)
    else log.error({ reason }, `a request to ${name} failed`)
    return failure
  }

  return (request, response) => {
    setHeaders(response, headersFor(request))
    if (request.method === 'OPTIONS') return void response.writeHead(preflightStatus).end()
    void answerTo(request)
      .catch(answerInstead)
      .then((answer) => send(response, answer))
  }
}

/** The body as text; ends the request if it has more bytes. */
export async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request) {
      length += chunk.length
      if (length > bytesMax) throw new BodyTooLarge(`The body has more than ${bytesMax} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof BodyTooLarge ? error : new ClientLeft((error as Error).message)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, { status, headers = {}, json, text }: PlainAnswer): void {
  setHeaders(response, headers)
  if (json !== undefined) response.setHeader('content-type', 'application/json')
  response.writeHead(status).end(json === undefined ? text : JSON.stringify(json))
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}
