// Limits what clients without a token cost. A connection belongs to a stranger until the node accepts a token on it. All
// strangers together begin a limited number of requests per turn of the event loop, and each address a limited number
// per second. Other requests wait, and addresses take turns. The requests and bytes that wait are bounded per address;
// beyond the bounds the node refuses them.
import type { Clock } from '../base/clock.ts'
import type { Limits } from '../base/settings.ts'

export type Strangers = {
  /** Whether a token was accepted on this connection, and none refused since. */
  knows(connection: object): boolean
  /**
   * The node accepted a connection. It accepts one per turn, so strangers skip some turns while others may be behind it:
   * a client whose token has not arrived yet should not wait for a crowd.
   */
  arrived(): void
  /** Notes whether a token was accepted on this connection. */
  note(connection: object, isAccepted: boolean): void
  /**
   * Calls `begin` when it is the turn of the address: at once if there is room. Returns false if too many requests of the
   * address wait. Each request passes a function of its own.
   */
  admit(address: string | undefined, begin: () => void): boolean
  /** The client has left: its request never begins, and makes room for another. */
  withdraw(address: string | undefined, begin: () => void): void
  /** Counts bytes that stay in memory until they are used. Returns false if the address would hold too many. */
  hold(address: string | undefined, bytes: number): boolean
  release(address: string | undefined, bytes: number): void
  /** The requests that wait now, and those that were refused so far. */
  readonly counts: { readonly waiting: number; readonly refused: number }
}

/** In one turn of the event loop, strangers begin at most this many requests, and no more after this time. */
const perTurn = 16
const perTurnMs = 0.5
/** Strangers skip at most this many turns in a row for new connections. */
const turnsSkippedMax = 20
/** Five hundred connections with one piece of 64 KiB each. */
const heldBytesMax = 32 * 1024 * 1024
/** Beyond this many, the node forgets addresses that were idle for a second. */
const addressesMax = 1_000

type Address = { allowance: number; countedMs: number; heldBytes: number; readonly waiting: Set<() => void> }

/** As many requests of an address may wait as are served in a second. */
export function createStrangers(
  { strangersPerSecondMax: perSecond }: Pick<Limits, 'strangersPerSecondMax'>,
  clock: Clock,
  waitingMax = perSecond,
): Strangers {
  const known = new WeakSet<object>()
  const addresses = new Map<string, Address>()
  /** The addresses that have requests waiting, in the order of their turns. */
  const queue = new Set<Address>()
  let begunInTurn = 0
  let firstBegunMs = 0
  let hasArrived = false
  let turnsSkipped = 0
  let isTurnPending = false
  let isTimerPending = false
  let forgotMs = 0
  let waiting = 0
  let refused = 0

  function addressOf(ip: string | undefined): Address {
    const name = networkOf(ip ?? '')
    const nowMs = clock.elapsedMs()
    let address = addresses.get(name)
    if (address === undefined) {
      if (addresses.size >= addressesMax && nowMs - forgotMs >= 1000) forgetIdle(nowMs)
      address = { allowance: perSecond, countedMs: nowMs, heldBytes: 0, waiting: new Set() }
      addresses.set(name, address)
    }
    return address
  }

  function forgetIdle(nowMs: number): void {
    forgotMs = nowMs
    for (const [name, { countedMs, heldBytes, waiting: own }] of addresses) {
      if (own.size === 0 && heldBytes === 0 && nowMs - countedMs >= 1000) addresses.delete(name)
    }
  }

  const skipsTurn = () => hasArrived && turnsSkipped < turnsSkippedMax
  const isTurnOver = () =>
    begunInTurn >= perTurn || skipsTurn() || (begunInTurn > 0 && clock.elapsedMs() - firstBegunMs >= perTurnMs)

  /** Takes a request from the allowance of the address. Returns false if the address may not begin one now. */
  function takes(address: Address): boolean {
    if (isTurnOver()) return false
    const nowMs = clock.elapsedMs()
    const earned = ((nowMs - address.countedMs) * perSecond) / 1000
    address.allowance = Math.min(perSecond, address.allowance + earned)
    address.countedMs = nowMs
    if (address.allowance < 1) return false
    address.allowance -= 1
    if (begunInTurn === 0) firstBegunMs = nowMs
    begunInTurn += 1
    return true
  }

  function awaitTurn(): void {
    if (isTurnPending) return
    isTurnPending = true
    setImmediate(turn)
  }

  function turn(): void {
    isTurnPending = false
    begunInTurn = 0
    if (skipsTurn() && queue.size > 0) {
      turnsSkipped += 1
      hasArrived = false
      awaitTurn()
      return
    }
    turnsSkipped = 0
    hasArrived = false
    // Addresses alternate until none of them may begin another request.
    let passed = 0
    while (queue.size > passed && !isTurnOver()) {
      const address = queue.values().next().value!
      queue.delete(address)
      if (!takes(address)) {
        passed += 1
        queue.add(address)
        continue
      }
      passed = 0
      waiting -= 1
      const begin = address.waiting.values().next().value!
      address.waiting.delete(begin)
      if (address.waiting.size > 0) queue.add(address)
      begin()
    }
    if (begunInTurn > 0) awaitTurn()
    else if (queue.size > 0) awaitAllowance()
  }

  /** Every address in the queue has used up its allowance, and gets more as the clock advances. */
  function awaitAllowance(): void {
    if (isTimerPending) return
    isTimerPending = true
    clock.after(1, () => {
      isTimerPending = false
      turn()
    })
  }

  return {
    arrived() {
      hasArrived = true
      awaitTurn()
    },
    knows: (connection) => known.has(connection),
    note: (connection, isAccepted) => void (isAccepted ? known.add(connection) : known.delete(connection)),
    hold(name, bytes) {
      const address = addressOf(name)
      if (address.heldBytes + bytes > heldBytesMax) return false
      address.heldBytes += bytes
      return true
    },
    release(name, bytes) {
      addressOf(name).heldBytes -= bytes
    },
    admit(name, begin) {
      const address = addressOf(name)
      if (address.waiting.size === 0 && takes(address)) {
        awaitTurn()
        begin()
        return true
      }
      if (address.waiting.size >= waitingMax) {
        refused += 1
        return false
      }
      waiting += 1
      address.waiting.add(begin)
      queue.add(address)
      if (!isTimerPending) awaitTurn()
      return true
    },
    withdraw(name, begin) {
      const address = addressOf(name)
      if (!address.waiting.delete(begin)) return
      waiting -= 1
      if (address.waiting.size === 0) queue.delete(address)
    },
    counts: {
      get waiting() {
        return waiting
      },
      get refused() {
        return refused
      },
    },
  }
}

/** An IPv6 client has a network of 64 bits to itself, and can use another address for each connection. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [start = '', end] = address.split('::')
  const groups = start.split(':')
  const missing = end === undefined ? 0 : 8 - groups.length - end.split(':').length
  return [...groups, ...Array(missing).fill('0'), ...(end ?? '').split(':')].slice(0, 4).join(':')
}
