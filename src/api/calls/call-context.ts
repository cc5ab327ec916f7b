// What an operation may ask about its call. Most never do, so everything is created on demand.
import type { Writable } from 'node:stream'
import type { ByteAccount, ByteBudget } from '../../base/byte-budget.ts'
import type { Clock } from '../../base/clock.ts'
import type { LedgerError } from '../../base/errors.ts'
import type { TraceContext } from '../../events/format/stored-update.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'
import type { Trace } from './trace.ts'

export type CallContext = {
  readonly traceContext: TraceContext
  /**
   * Aborted when the client disconnects or the request times out before the answer. If the reason is a refusal, it is
   * the answer for the client.
   */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Runs a task that waits for all other requests under way. */
  readonly aside: RequestsInFlight['aside']
  /** Counts the memory of the answer until it is sent. */
  readonly account: ByteAccount
  /** The client that takes turns with others: a user, or the address of a client without one. */
  readonly owner: string
}

/** Where the answer goes: a response of HTTP/1, or a stream of HTTP/2. */
export type Answering = Pick<Writable, 'destroyed' | 'destroy' | 'once'>

/** A class, because every request creates one. */
export class Call implements CallContext {
  readonly clock: Clock
  readonly aside: RequestsInFlight['aside']
  readonly #response: Answering
  readonly #trace: Trace
  #controller: AbortController | undefined
  readonly #budget: ByteBudget
  readonly owner: string
  #account: ByteAccount | undefined
  #isDone = false

  constructor(
    response: Answering,
    trace: Trace,
    { clock, aside }: { readonly clock: Clock; readonly aside: RequestsInFlight['aside'] },
    budget: ByteBudget,
    owner: string,
  ) {
    this.#budget = budget
    this.owner = owner
    this.#response = response
    this.#trace = trace
    this.clock = clock
    this.aside = aside
  }

  /** After this the call is no longer aborted: aborting a finished call only costs time. */
  done(): void {
    this.#isDone = true
    this.#account?.sending(true)
  }

  /** Aborts the call; the client gets the refusal. */
  end(refusal: LedgerError): void {
    if (!this.#isDone) this.#abortion().abort(refusal)
  }

  get account(): ByteAccount {
    if (this.#account === undefined) {
      const response = this.#response
      const opened = this.#budget.open(() => response.destroy(), this.owner)
      if (response.destroyed) opened[Symbol.dispose]()
      else response.once('close', () => opened[Symbol.dispose]())
      this.#account = opened
    }
    return this.#account
  }

  get traceContext(): TraceContext {
    return this.#trace.context
  }

  get signal(): AbortSignal {
    return this.#abortion().signal
  }

  #abortion(): AbortController {
    if (this.#controller === undefined) {
      const made = new AbortController()
      // A response closes when it has been sent (possibly a timeout) or when its connection is lost.
      this.#response.once('close', () => {
        if (!this.#isDone) made.abort()
      })
      if (this.#response.destroyed) made.abort()
      this.#controller = made
    }
    return this.#controller
  }
}
