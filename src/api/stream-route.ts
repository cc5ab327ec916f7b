// An operation that streams elements, described once and served three ways: as a list, as NDJSON and over a WebSocket.
import type { Static, TArray, TSchema } from 'typebox'
import type { Permission, Subject } from '../auth/authorization.ts'
import type { Settings } from '../base/settings.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type ElementStream, type Route, route } from './route.ts'
import { checkSilence, collectList, listQuery } from './streams/list.ts'

/** NDJSON: one element on each line. */
export const linesType = 'application/x-ndjson'
/** The protocol of every WebSocket, whichever ones its client offers. */
export const subprotocol = 'daml.ws.auth'

type Spec<B extends TSchema> = {
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly body: B
  /** The list of all elements. */
  readonly response: TArray
  readonly early?: (body: Static<B>, compatibility: Settings['compatibility']) => void
  readonly subject: (body: Static<B>) => Subject
  readonly stream: (ledger: Ledger, body: Static<B>, permission: Permission) => ElementStream
}

export function streamRoute<B extends TSchema>(spec: Spec<B>): Route {
  const { path, tag, summary, body, response, early = () => undefined, subject, stream } = spec
  return route({
    method: 'POST',
    path,
    tag,
    summary,
    query: listQuery,
    body: body as TSchema,
    response: response as TSchema,
    early(input, compatibility) {
      checkSilence(input.query)
      early(input.body as Static<B>, compatibility)
    },
    subject: (input) => subject(input.body as Static<B>),
    async call(ledger, input, permission, context) {
      const elements = stream(ledger, input.body as Static<B>, permission)
      return collectList({ query: input.query, limits: ledger.limits, elements }, context)
    },
    streaming: {
      element: response.items,
      stream: (ledger, input, permission) => stream(ledger, input.body as Static<B>, permission),
    },
  })
}
