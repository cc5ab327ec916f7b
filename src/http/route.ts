// Routes as data: what an operation takes and gives, what it is about, and what it calls. The server, the OpenAPI
// document and the tests all walk the same list.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Permission, Subject } from '../auth/authorization.ts'
import type { Ledger } from '../ledger/ledger.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Words = {
  readonly method: Method
  /** With parameters as OpenAPI writes them: /v2/users/{user-id}. */
  readonly path: string
  readonly tag: string
  readonly summary: string
}

type Input<Q extends TSchema, B extends TSchema> = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Static<Q>
  readonly body: Static<B>
}

type Spec<Q extends TObject, B extends TSchema, R extends TSchema> = Words & {
  readonly query?: Q
  readonly body?: B
  readonly response: R
  /** Checks that Canton makes before it looks at the token. */
  readonly early?: (input: Input<Q, B>) => void
  /** What rights depend on. */
  readonly subject?: (input: Input<Q, B>) => Subject
  readonly call: (ledger: Ledger, input: Input<Q, B>, permission: Permission) => Promise<Static<R>>
}

/** One JSON operation, with its types forgotten so that different ones fit into a list. */
export type Route = Words & {
  readonly query: TObject
  readonly body: TSchema | undefined
  readonly response: TSchema
  early(input: Input<TSchema, TSchema>): void
  subject(input: Input<TSchema, TSchema>): Subject
  call(ledger: Ledger, input: Input<TSchema, TSchema>, permission: Permission): Promise<unknown>
}

const nothing = Type.Object({})

export function route<Q extends TObject, B extends TSchema, R extends TSchema>(spec: Spec<Q, B, R>): Route {
  const { early = () => undefined, subject = () => ({}) } = spec
  return { query: nothing, body: undefined, ...spec, early, subject } as unknown as Route
}

export function operationOf({ method, path }: Words): string {
  return `${method} ${path}`
}
