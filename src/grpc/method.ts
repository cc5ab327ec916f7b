// Methods of the gRPC API as data: each is a message in, a message out, and the operation of the JSON API that it equals,
// if there is one.
// Rights, checks and the call itself are those of that operation's route, unless the row says otherwise because the two
// requests differ.

import type { CallContext } from '../api/calls/call-context.ts'
import type { ElementStream } from '../api/route.ts'
import type { Permission, Subject } from '../auth/authorization.ts'
import { missingField } from '../base/errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { missingNameOf, type WireSchema } from '../protobuf/json-reading.ts'
import type { CheckedCommands } from './command-check.ts'

/** The decoded request: what the schema makes of it. */
// biome-ignore lint/suspicious/noExplicitAny: rows of one list have requests of different types.
export type Request = any

type Equal = {
  /** The JSON operation that it equals, `METHOD /path`. */
  readonly operation: string
  readonly rightsOf?: undefined
  readonly isOpen?: undefined
}

/** A method that the JSON API does not have. */
type Own = {
  readonly operation?: undefined
  /** An operation whose rights it requires. */
  readonly rightsOf: string
  readonly isOpen?: undefined
  readonly call: NonNullable<Common['call']>
}

/** A method that everybody who reaches the port may call, with requests as large as those of known clients. */
type Open = {
  readonly operation?: undefined
  readonly rightsOf?: undefined
  readonly isOpen: true
  readonly call: NonNullable<Common['call']>
}

export type Row = Common & (Equal | Own | Open)

type Common = {
  /** `Service/Method`, within the package of the API. */
  readonly method: string
  /** How the request is decoded: by default as the body of the route. `null`: by its types alone. */
  readonly schema?: WireSchema | null
  /** What the route takes. By default the request is the body. */
  readonly input?: (request: Request) => { readonly params?: object; readonly query?: object; readonly body?: unknown }
  readonly subject?: (request: Request) => Subject
  /** Parts without which there is nothing to do; checked after the rights. */
  readonly needs?: readonly string[]
  /** The commands of a request, for what Canton checks in them before all else. */
  readonly commandsOf?: (request: Request) => CheckedCommands | undefined
  readonly call?: (ledger: Ledger, request: Request, permission: Permission, context: CallContext) => Promise<unknown>
  /** The stream of a method that streams. */
  readonly stream?: (ledger: Ledger, request: Request, permission: Permission) => ElementStream
  /** The answer holds Daml values, so it is rendered by the engine; tells whether with names. */
  readonly isVerbose?: (request: Request) => boolean
  /** The same of reassignments, where they have a format of their own. */
  readonly isVerboseInReassignments?: (request: Request) => boolean
}

/** Canton's order: what is missing is told after the rights are checked. */
export function checkNeeds({ needs = [] }: Row, request: Readonly<Record<string, unknown>>): void {
  for (const name of needs) {
    if (request[name] === undefined)
      throw missingField(missingNameOf(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)))
  }
}
