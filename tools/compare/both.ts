// Sends one request to both nodes, compares the answers, and keeps count. Sessions speak in values of our node; what is
// sent to Canton is the same with ids and offsets exchanged.
import { framed } from '../../src/grpc/wire-call.ts'
import { requestBytes } from '../../test/fixtures/grpc.ts'
import { Correspondence } from './correspondence.ts'
import { compareAnswers, type Difference } from './difference.ts'
import { createLearning } from './learning.ts'
import { createSettling } from './settling.ts'
import type { Answer, Side } from './side.ts'
import type { Verdicts } from './verdicts.ts'

/** Sessions look into answers freely. */
// biome-ignore lint/suspicious/noExplicitAny: answers of all operations pass through here.
export type Json = any

export type CallOptions = {
  readonly body?: unknown
  /** What to send to each where exchanging ids is not enough, as with signatures over what each side prepared. */
  readonly bodyOf?: (side: 'ours' | 'canton') => unknown
  readonly as?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Shown with its differences. */
  readonly note?: string
  /** What was submitted stays undecided for a while: the next request does not wait for its completion. */
  readonly isPending?: boolean
}

export type Both = {
  readonly ids: Correspondence
  /** Whether the nodes ask for tokens. */
  readonly hasTokens: boolean
  call(method: string, path: string, options?: CallOptions): Promise<{ ours: Answer; canton: Answer; json: Json }>
  listen(path: string, request: unknown, options?: CallOptions): Promise<void>
  /**
   * Calls a method, `Service/Method` within com.daml.ledger.api.v2 or a whole path. Its request is written as JSON; bytes
   * are sent as they are, with the head of their frame if they need one.
   */
  grpc(method: string, body: unknown, options?: CallOptions): Promise<{ ours: Answer; canton: Answer; json: Json }>
  get(path: string, options?: CallOptions): Promise<Json>
  post(path: string, body: unknown, options?: CallOptions): Promise<Json>
  /** Waits until neither ledger goes on. */
  rest(): Promise<void>
  /** Where our ledger ended then. */
  settledEnd(): number
}

type Parts = {
  readonly ours: Side
  readonly canton: Side
  readonly verdicts: Verdicts
  /** The header of a user on a node that asks for tokens. */
  readonly tokenOf: ((user: string) => string) | undefined
  /** In a network: the participant's name, the ids of the others, and how long delivery between them may take. */
  readonly network?: { readonly participant: string; readonly ids: Correspondence; readonly restMs: number }
}

/** Canton takes offsets soon after its answers. */
const usualRestMs = 80

const readingPosts =
  /^\/v2\/(updates|state|events|contracts|commands\/(completions|command-completions)|interactive-submission\/pre|dars\/validate|package-vetting\/list)/

const isAsynchronous = /\/async\/|interactive-submission\/execute$|\/Submit$|\/SubmitReassignment$|\/ExecuteSubmission$/
const readingMethods = /\/(Get|List|Prepare|Validate|Generate|Completion|Check|Watch|ServerReflection)/
const grpcPackage = '/com.daml.ledger.api.v2.'

export function createBoth({ ours, canton, verdicts, tokenOf, network }: Parts): Both {
  const ids = new Correspondence(network?.ids)

  function headersOf({ as = 'participant_admin', headers = {} }: CallOptions): Record<string, string> {
    if (tokenOf === undefined || as === 'nobody') return { ...headers }
    return { authorization: `Bearer ${tokenOf(as)}`, ...headers }
  }

  async function call(method: string, path: string, options: CallOptions = {}) {
    const headers = headersOf(options)
    const { body } = options
    const mine = options.bodyOf === undefined ? body : options.bodyOf('ours')
    await learning.beforeRequest(path, mine)
    const theirs = options.bodyOf === undefined ? translated(body) : options.bodyOf('canton')
    if (path === '/v2/state/ledger-end') await settling.rest()
    const [ourAnswer, cantonAnswer] = await Promise.all([
      ours.send({ method, path, headers, body: encoded(mine) }),
      canton.send({ method, path: ids.pathToCanton(path), headers, body: encoded(theirs) }),
    ])
    judge(`${method} ${path}`, options, mine, ourAnswer, cantonAnswer)
    if (isChange(method, path) && ourAnswer.status === 200 && !options.isPending) {
      await settle(path, mine, theirs, cantonAnswer.status === 200)
    }
    return { ours: ourAnswer, canton: cantonAnswer, json: ourAnswer.json as Json }
  }

  async function callGrpc(method: string, body: unknown, options: CallOptions = {}) {
    const path = method.startsWith('/') ? method : `${grpcPackage}${method}`
    const headers = headersOf(options)
    const mine = options.bodyOf === undefined ? body : options.bodyOf('ours')
    await learning.beforeRequest(path, mine)
    const theirs = options.bodyOf === undefined ? translated(body) : options.bodyOf('canton')
    if (method === 'StateService/GetLedgerEnd') await settling.rest()
    const asked = canton.grpc({ path, headers, frames: framesOf(path, theirs) })
    const elements = isReplay ? elementsIn(await asked) : {}
    const [ourAnswer, cantonAnswer] = await Promise.all([
      ours.grpc({ path, headers, frames: framesOf(path, mine), ...elements }),
      asked,
    ])
    judge(`gRPC ${path}`, options, mine, ourAnswer, cantonAnswer)
    const isDone = ourAnswer.status === 0 && !readingMethods.test(path)
    if (isDone) await settle(path, commandsIn(mine), commandsIn(theirs), cantonAnswer.status === 0)
    return { ours: ourAnswer, canton: cantonAnswer, json: ourAnswer.json as Json }
  }

  /** What was taken is done before the next request. A network rests as a whole. */
  async function settle(path: string, mine: unknown, theirs: unknown, isTakenByBoth: boolean): Promise<void> {
    const isLater = isAsynchronous.test(path)
    if (isLater && isTakenByBoth) await settling.completed(mine, theirs)
    if (network !== undefined) return
    if (!isLater) await settling.pair()
    else if (isTakenByBoth) await settling.rest() // Canton still counts the command among those in flight.
  }

  function judge(
    label: string,
    { note, as, headers = {} }: CallOptions,
    body: unknown,
    mine: Answer,
    theirs: Answer,
  ): void {
    const differences: Difference[] = compareAnswers(mine, theirs, ids)
    const sent = JSON.stringify(headers)
    const at = network?.participant
    verdicts.add({ label, at, note, as, headers: sent, body: bodyText(body), differences, ours: mine, canton: theirs })
  }

  function translated(body: unknown): unknown {
    if (body instanceof Uint8Array || body === undefined) return body
    if (typeof body !== 'string') return ids.jsonToCanton(body)
    try {
      return JSON.stringify(ids.jsonToCanton(JSON.parse(body)))
    } catch {
      return ids.toCanton(body)
    }
  }

  const learning = createLearning({ ours, canton, ids, headers: () => headersOf({ as: 'app' }) })
  const restMs = network?.restMs ?? usualRestMs
  const isNetwork = network !== undefined
  /** A recording is asked first: it says how long to listen to a stream without an end. */
  const isReplay = network?.restMs === 0
  const settling = createSettling({ ours, canton, ids, headers: (as) => headersOf({ as }), restMs, isNetwork })

  return {
    ids,
    hasTokens: tokenOf !== undefined,
    call,
    grpc: callGrpc,
    async listen(path, request, options = {}) {
      const headers = headersOf(options)
      const text = typeof request === 'string' ? request : JSON.stringify(request)
      await learning.beforeRequest(path, text)
      const [mine, theirs] = await Promise.all([
        ours.listen(path, text, headers),
        canton.listen(path, String(encoded(translated(text))), headers),
      ])
      judge(`WS ${path}`, options, request, mine, theirs)
    },
    get: async (path, options) => (await call('GET', path, options)).json,
    post: async (path, body, options) => (await call('POST', path, { ...options, body })).json,
    rest: () => settling.rest(),
    settledEnd: () => settling.end(),
  }
}

export function isChange(method: string, path: string): boolean {
  return method === 'POST' ? !readingPosts.test(path) : false
}

/** Of a stream that was cancelled. */
function elementsIn({ json }: Answer): { readonly elements?: number } {
  const elements = (json as { readonly elements?: unknown } | null)?.elements
  return Array.isArray(elements) ? { elements: elements.length } : {}
}

function framesOf(path: string, body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : framed(requestBytes(path, body))
}

/** Over JSON, the commands of a submission are its body. */
function commandsIn(body: unknown): unknown {
  const commands = (body as { readonly commands?: unknown } | null)?.commands
  return Array.isArray(commands) || commands === undefined ? body : commands
}

function encoded(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body
  return JSON.stringify(body)
}

function bodyText(body: unknown): string {
  if (body === undefined) return ''
  return body instanceof Uint8Array ? `(${body.length} bytes)` : String(encoded(body))
}
