// A route of Splice's HTTP APIs, as data: its path, who may call it, and the function that answers.
import type { LocalNetwork } from '../founding/founding.ts'
import type { Validator } from '../founding/parties.ts'
import type { DsoReads } from '../ledger/dso-reads.ts'
import type { Json } from '../ledger/participant.ts'

/** `user` requires a token of any user, `operator` one of the validator's own. */
export type RouteAccess = 'anyone' | 'user' | 'operator'

/** What every route may use. Routes of a validator also know which one. */
export type RouteContext = {
  readonly network: LocalNetwork
  readonly dso: DsoReads
  /** Milliseconds since 1970 on the ledger's clock. */
  readonly now: () => Promise<number>
}

export type ValidatorContext = RouteContext & { readonly validator: Validator }

export type RouteRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The parsed body; an empty object if there is none. */
  readonly body: Json
  /** The user of the token; undefined for a route that anyone may call. */
  readonly user: string | undefined
}

export type Route<Context> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** In full; segments in braces are parameters. */
  readonly path: string
  readonly access: RouteAccess
  /** The body of a successful answer; undefined for an empty one. Throws a RouteRefusal otherwise. */
  answer(context: Context, request: RouteRequest): Promise<Json>
}

/** An answer that is not a success: Splice's bodies have the field `error`. */
export class RouteRefusal extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, message: string, body: object = { error: message }) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** A body that cannot be decoded: pekko-http answers with a text. */
export class MalformedRequest extends RouteRefusal {
  constructor(problem: string) {
    super(400, `The request content was malformed:\n${problem}`)
  }
}

export const notFound = (message: string) => new RouteRefusal(404, message)
export const badRequest = (message: string) => new RouteRefusal(400, message)
/** Splice does not tell users why. */
export const unauthorized = (user: string) => new RouteRefusal(403, `Authorization Failed for ${user}`)

/** As Splice's stores say it. */
export function contractNotFound(contractId: string, template: string): RouteRefusal {
  return notFound(`Contract id not found: ContractId(id = ${contractId}, type = ${template.replace('#', '')})`)
}
