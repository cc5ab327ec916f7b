// A shared memory budget, counted in bytes. A large user takes its bytes from the budget first and queues while there
// is no room. One account at a time may overdraw: a request larger than the whole budget is served alone, and accounts
// that hold bytes and want more cannot deadlock. The accounts of one owner share a free part, and hold at most three
// quarters of the budget together, so that nobody can take all of it from the others.
import type { Clock, Timer } from './clock.ts'
import { createTurns } from './turns.ts'

export type ByteBudget = {
  /**
   * `cutOff` disconnects a client that does not read its answer for a long time, or while others wait for the memory.
   * Accounts of different owners take turns.
   */
  open(cutOff?: () => void, owner?: string): ByteAccount
  /** Bytes held beyond the free part of each owner. */
  chargedBytes(): number
  waiting(): number
}

export type ByteAccount = Disposable & {
  /**
   * Undefined if granted at once; otherwise settles when it is granted or the signal aborts. A large request also takes
   * CPU time, so it waits for a turn: one per iteration of the event loop.
   */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined
  /** Counts bytes that are there already, such as those that wait for a slow client. */
  hold(bytes: number): void
  give(bytes: number): void
  /**
   * `true` when the client has something to read, and again whenever it has taken some of it. A client that does not read
   * may then be cut off.
   */
  sending(isSending: boolean): void
}

type Rules = {
  readonly bytesMax: number
  /** Bytes that every owner has without asking. */
  readonly freeBytes: number
  /** A client that takes nothing for this time is cut off, whether somebody waits or not. */
  readonly stalledMs: number
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
/** The same while nobody waits: added to the time in which a client must take something. */
const bytesPerMsStalled = 16
/** The part of the budget that one owner holds at most. */
const share = 3 / 4

export function createByteBudget(rules: Rules): ByteBudget {
  const budget = new Budget(rules)
  return {
    open: (cutOff = () => undefined, owner = '') => new Account(budget, cutOff, budget.owner(owner)),
    chargedBytes: () => budget.charged,
    waiting: () => budget.waiters.size,
  }
}

/** An account without a budget, for small reads and tools. */
export const freeAccount: ByteAccount = {
  take: () => undefined,
  hold: () => undefined,
  give: () => undefined,
  sending: () => undefined,
  [Symbol.dispose]: () => undefined,
}

/** All accounts of one name. */
type Owner = { readonly name: string; held: number; accounts: number }

class Budget {
  readonly rules: Rules
  readonly waiters = new Set<Waiter>()
  readonly senders = new Set<Account>()
  readonly turns = createTurns()
  charged = 0
  overdrawn: Account | undefined
  readonly #owners = new Map<string, Owner>()
  #timer: Timer | undefined

  constructor(rules: Rules) {
    this.rules = rules
  }

  owner(name: string): Owner {
    let owner = this.#owners.get(name)
    if (owner === undefined) {
      owner = { name, held: 0, accounts: 0 }
      this.#owners.set(name, owner)
    }
    owner.accounts += 1
    return owner
  }

  leave(owner: Owner): void {
    owner.accounts -= 1
    if (owner.accounts === 0) this.#owners.delete(owner.name)
  }

  chargeOf(bytes: number): number {
    return Math.max(0, bytes - this.rules.freeBytes)
  }

  /** The charge for this many additional bytes. */
  costOf(owner: Owner, bytes: number): number {
    return this.chargeOf(owner.held + bytes) - this.chargeOf(owner.held)
  }

  add(owner: Owner, bytes: number): void {
    this.charged += this.costOf(owner, bytes)
    owner.held += bytes
  }

  hasRoomFor(owner: Owner, bytes: number): boolean {
    return this.#fitsShare(owner, bytes) && this.charged + this.costOf(owner, bytes) <= this.rules.bytesMax
  }

  #fitsShare(owner: Owner, bytes: number): boolean {
    return this.chargeOf(owner.held + bytes) <= this.rules.bytesMax * share
  }

  /** Grants requests in order; the first without room may overdraw. Nobody waits for the share of another owner. */
  grant(): void {
    for (const waiter of this.waiters) {
      const { account, bytes } = waiter
      if (!this.hasRoomFor(account.owner, bytes)) {
        if (this.overdrawn !== undefined && this.overdrawn !== account) {
          if (this.#fitsShare(account.owner, bytes)) break
          continue
        }
        this.overdrawn = account
      }
      this.waiters.delete(waiter)
      account.hold(bytes)
      waiter.granted()
    }
    this.watch()
  }

  /** Looks now and then at those who read, as long as there are any. */
  watch(): void {
    if (this.senders.size === 0) {
      this.#timer?.cancel()
      this.#timer = undefined
      return
    }
    this.#timer ??= this.rules.clock.after(sweepMs, () => {
      this.#timer = undefined
      for (const account of [...this.senders]) {
        if (!account.isStalled() && !(this.waiters.size > 0 && account.isLate())) continue
        this.senders.delete(account)
        account.cutOff()
      }
      this.watch()
    })
  }
}

class Account implements ByteAccount {
  readonly cutOff: () => void
  readonly owner: Owner
  readonly #budget: Budget
  #held = 0
  #sendingSinceMs = 0
  #isClosed = false

  constructor(budget: Budget, cutOff: () => void, owner: Owner) {
    this.#budget = budget
    this.cutOff = cutOff
    this.owner = owner
  }

  take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const waiting = this.#reserve(bytes, signal)
    if (bytes < turnBytesMin) return waiting
    const turn = () => this.#budget.turns.next(this.owner.name)
    return waiting === undefined ? turn() : waiting.then(turn)
  }

  #reserve(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const budget = this.#budget
    if (this.#isClosed || signal.aborted) return undefined
    const isFree = budget.costOf(this.owner, bytes) === 0
    if (isFree || budget.overdrawn === this || (budget.waiters.size === 0 && budget.hasRoomFor(this.owner, bytes))) {
      this.hold(bytes)
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

  hold(bytes: number): void {
    if (this.#isClosed) return
    this.#held += bytes
    this.#budget.add(this.owner, bytes)
  }

  give(bytes: number): void {
    if (this.#isClosed) return
    const budget = this.#budget
    this.hold(-Math.min(bytes, this.#held))
    if (budget.overdrawn === this && budget.chargeOf(this.#held) === 0) budget.overdrawn = undefined
    if (budget.waiters.size > 0) budget.grant()
  }

  sending(isSending: boolean): void {
    const { senders } = this.#budget
    this.#sendingSinceMs = this.#budget.rules.clock.elapsedMs()
    if (this.#isClosed || senders.has(this) === isSending) return
    if (isSending) senders.add(this)
    else senders.delete(this)
    this.#budget.watch()
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.sending(false)
    for (const waiter of this.#budget.waiters) {
      if (waiter.account !== this) continue
      this.#budget.waiters.delete(waiter)
      waiter.granted()
    }
    this.give(this.#held)
    this.#isClosed = true
    this.#budget.leave(this.owner)
  }

  /** Too slow while others wait for what it holds. */
  isLate(): boolean {
    return this.#held > 0 && this.#sendingMs() > graceMs + this.#held / bytesPerMsLeast
  }

  isStalled(): boolean {
    return this.#sendingMs() > this.#budget.rules.stalledMs + this.#held / bytesPerMsStalled
  }

  #sendingMs(): number {
    return this.#budget.rules.clock.elapsedMs() - this.#sendingSinceMs
  }
}
