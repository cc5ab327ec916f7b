// What an operation may ask about the call it answers. Most never do, so it is made when they ask.
import type { ServerResponse } from 'node:http'
import type { ByteAccount, ByteBudget } from '../base/byte-budget.ts'
import type { Clock } from '../base/clock.ts'
import type { LedgerError } from '../base/errors.ts'
import type { TraceContext } from '../ledger/stored-update.ts'
import type { Trace } from './trace.ts'

export type CallContext = {
  readonly traceContext: TraceContext
  /**
   * Aborted when the client has gone, or when the time for an answer is over, before there was one; or with a refusal as
   * its reason that the client shall be told.
   */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Where memory that the answer takes is counted, until it is sent. */
  readonly account: ByteAccount
}

/** Every request makes one: hence a class. */
export class Call implements CallContext {
  readonly clock: Clock
  readonly #response: ServerResponse
  readonly #trace: Trace
  #controller: AbortController | undefined
  readonly #budget: ByteBudget
  readonly #owner: string
  #account: ByteAccount | undefined
  #isDone = false

  constructor(response: ServerResponse, trace: Trace, clock: Clock, budget: ByteBudget, owner: string) {
    this.#budget = budget
    this.#owner = owner
    this.#response = response
    this.#trace = trace
    this.clock = clock
  }

  /** Abandoning a call that is done would only cost time. */
  done(): void {
    this.#isDone = true
    this.#account?.sending(true)
  }

  /** Whoever answers it shall stop and refuse. */
  end(refusal: LedgerError): void {
    if (!this.#isDone) this.#abortion().abort(refusal)
  }

  get account(): ByteAccount {
    if (this.#account === undefined) {
      const response = this.#response
      const opened = this.#budget.open(() => response.destroy(), this.#owner)
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
      // A response is closed once it is sent, which may be because it took too long, or when its connection is lost.
      this.#response.once('close', () => {
        if (!this.#isDone) made.abort()
      })
      if (this.#response.destroyed) made.abort()
      this.#controller = made
    }
    return this.#controller
  }
}
