// A shared memory budget, counted in bytes. A large user takes its bytes from the budget first and queues while there
// is no room. One account at a time may overdraw: a request larger than the whole budget is served alone, and accounts
// that hold bytes and want more cannot deadlock.
import type { Clock, Timer } from './clock.ts'
import { createTurns } from './turns.ts'

export type ByteBudget = {
  /**
   * `cutOff` disconnects a client that does not read its answer while others wait for the memory. Accounts of different
   * owners take turns.
   */
  open(cutOff?: () => void, owner?: string): ByteAccount
  /** Bytes taken beyond the free part of each account. */
  chargedBytes(): number
  waiting(): number
}

export type ByteAccount = Disposable & {
  /**
   * Undefined if granted at once; otherwise settles when it is granted or the signal aborts. A large request also takes
   * CPU time, so it waits for a turn: one per iteration of the event loop.
   */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined
  give(bytes: number): void
  /** `true` while the client has an answer to read; a client that does not read may then be cut off. */
  sending(isSending: boolean): void
}

type Rules = {
  readonly bytesMax: number
  /** Bytes that every account has without asking. */
  readonly freeBytes: number
  readonly clock: Clock
}

type Waiter = {
  readonly account: Account
  readonly bytes: number
  readonly granted: () => void
}

/** A request larger than this takes about a millisecond to read and render. */
const turnBytesMin = 64 * 1024

const sweepMs = 1_000
/** How long a client may take to read while others wait, plus a time that grows with the answer. */
const graceMs = 10_000
const bytesPerMsLeast = 256

export function createByteBudget(rules: Rules): ByteBudget {
  const budget = new Budget(rules)
  return {
    open: (cutOff = () => undefined, owner = '') => new Account(budget, cutOff, owner),
    chargedBytes: () => budget.charged,
    waiting: () => budget.waiters.size,
  }
}

/** An account without a budget, for small reads and tools. */
export const freeAccount: ByteAccount = {
  take: () => undefined,
  give: () => undefined,
  sending: () => undefined,
  [Symbol.dispose]: () => undefined,
}

class Budget {
  readonly rules: Rules
  readonly waiters = new Set<Waiter>()
  readonly senders = new Set<Account>()
  readonly turns = createTurns()
  charged = 0
  overdrawn: Account | undefined
  #timer: Timer | undefined

  constructor(rules: Rules) {
    this.rules = rules
  }

  hasRoomFor(more: number): boolean {
    return this.charged + more <= this.rules.bytesMax
  }

  /** Grants requests in order; the first without room may overdraw. */
  grant(): void {
    for (const waiter of this.waiters) {
      const { account, bytes } = waiter
      if (!this.hasRoomFor(account.costOf(bytes))) {
        if (this.overdrawn !== undefined && this.overdrawn !== account) break
        this.overdrawn = account
      }
      this.waiters.delete(waiter)
      account.add(bytes)
      waiter.granted()
    }
    if (this.waiters.size > 0) this.#watch()
  }

  #watch(): void {
    this.#timer ??= this.rules.clock.after(sweepMs, () => {
      this.#timer = undefined
      if (this.waiters.size === 0) return
      for (const account of [...this.senders]) {
        if (!account.isLate()) continue
        this.senders.delete(account)
        account.cutOff()
      }
      this.#watch()
    })
  }
}

class Account implements ByteAccount {
  readonly cutOff: () => void
  readonly #budget: Budget
  readonly #owner: string
  #held = 0
  #sendingSinceMs = 0
  #isClosed = false

  constructor(budget: Budget, cutOff: () => void, owner: string) {
    this.#budget = budget
    this.cutOff = cutOff
    this.#owner = owner
  }

  take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const waiting = this.#reserve(bytes, signal)
    if (bytes < turnBytesMin) return waiting
    const turn = () => this.#budget.turns.next(this.#owner)
    return waiting === undefined ? turn() : waiting.then(turn)
  }

  #reserve(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const budget = this.#budget
    if (this.#isClosed || signal.aborted) return undefined
    const cost = this.costOf(bytes)
    if (cost === 0 || budget.overdrawn === this || (budget.waiters.size === 0 && budget.hasRoomFor(cost))) {
      this.add(bytes)
      return undefined
    }
    return new Promise((resolve) => {
      const leave = () => {
        if (budget.waiters.delete(waiter)) budget.grant()
        resolve()
      }
      const granted = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const waiter: Waiter = { account: this, bytes, granted }
      signal.addEventListener('abort', leave, { once: true })
      budget.waiters.add(waiter)
      budget.grant()
    })
  }

  give(bytes: number): void {
    if (this.#isClosed) return
    this.add(-Math.min(bytes, this.#held))
    const budget = this.#budget
    if (budget.overdrawn === this && this.#charge(this.#held) === 0) budget.overdrawn = undefined
    if (budget.waiters.size > 0) budget.grant()
  }

  sending(isSending: boolean): void {
    this.#sendingSinceMs = this.#budget.rules.clock.elapsedMs()
    if (isSending && !this.#isClosed && this.#charge(this.#held) > 0) this.#budget.senders.add(this)
    else this.#budget.senders.delete(this)
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#budget.senders.delete(this)
    for (const waiter of this.#budget.waiters) {
      if (waiter.account !== this) continue
      this.#budget.waiters.delete(waiter)
      waiter.granted()
    }
    this.give(this.#held)
    this.#isClosed = true
  }

  isLate(): boolean {
    const { clock } = this.#budget.rules
    return clock.elapsedMs() - this.#sendingSinceMs > graceMs + this.#held / bytesPerMsLeast
  }

  /** The charge for this many additional bytes. */
  costOf(bytes: number): number {
    return this.#charge(this.#held + bytes) - this.#charge(this.#held)
  }

  add(bytes: number): void {
    this.#budget.charged += this.costOf(bytes)
    this.#held += bytes
  }

  #charge(bytes: number): number {
    return Math.max(0, bytes - this.#budget.rules.freeBytes)
  }
}
