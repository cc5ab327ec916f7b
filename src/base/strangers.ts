// What clients without a token may cost. A connection is a stranger's until a token that came over it was accepted. The
// work of strangers is counted in requests: so many per turn of the event loop, over all of them, and so many per second
// of each address. The rest waits, and addresses take turns. Requests and bytes that wait are bounded per address; beyond
// the bounds they are refused.
import type { Clock } from './clock.ts'
import type { Limits } from './settings.ts'

export type Strangers = {
  /** Whether a token was accepted on this connection, and none refused since. */
  knows(connection: object): boolean
  /**
   * A connection was accepted. The system accepts one per turn, so strangers that are already here leave some turns to
   * those that may be behind it: a client with a token, which is nobody yet, should not wait for a crowd.
   */
  arrived(): void
  /** Notes whether a token was accepted on this connection. */
  note(connection: object, isAccepted: boolean): void
  /**
   * Calls `begin` when it is the turn of the address: at once if there is room. False if too many of it wait. A function
   * waits once: each request has its own.
   */
  admit(address: string | undefined, begin: () => void): boolean
  /** The client is gone: what waits does not begin, and makes room. */
  withdraw(address: string | undefined, begin: () => void): void
  /** Keeps bytes of a stranger in memory until they can be used. False if its address has too many of them. */
  hold(address: string | undefined, bytes: number): boolean
  release(address: string | undefined, bytes: number): void
  /** How many wait now, and how many were refused so far. */
  readonly counts: { readonly waiting: number; readonly refused: number }
}

/** Requests that strangers begin in one turn of the event loop, and the time after which they begin no other. */
const perTurn = 16
const perTurnMs = 0.5
/** Turns in a row that strangers leave to new connections. */
const turnsLeftMax = 20
/** As many as five hundred connections bring in one piece. */
const heldBytesMax = 32 * 1024 * 1024
/** Addresses that are remembered before those are forgotten that have not asked for a second. */
const addressesMax = 1_000

type Address = { allowance: number; countedMs: number; heldBytes: number; readonly waiting: Set<() => void> }

export function createStrangers(limits: Limits, clock: Clock): Strangers {
  const { strangersPerSecondMax: perSecond, strangersWaitingMax: waitingMax } = limits
  const known = new WeakSet<object>()
  const addresses = new Map<string, Address>()
  /** Those that have something waiting, in the order of their turns. */
  const queue = new Set<Address>()
  let begunInTurn = 0
  let firstBegunMs = 0
  let hasArrived = false
  let turnsLeft = 0
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

  const leavesTurn = () => hasArrived && turnsLeft < turnsLeftMax
  const isTurnOver = () =>
    begunInTurn >= perTurn || leavesTurn() || (begunInTurn > 0 && clock.elapsedMs() - firstBegunMs >= perTurnMs)

  /** Whether this address may begin something now; if so, it has. */
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
    if (leavesTurn() && queue.size > 0) {
      turnsLeft += 1
      hasArrived = false
      awaitTurn()
      return
    }
    turnsLeft = 0
    hasArrived = false
    // One of each address after the other, until nobody may begin any more.
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

  /** All of them have used up what they may begin in this second. */
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

/** A client with IPv6 has a network of 64 bits for itself, and an address in it for each connection. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [start = '', end] = address.split('::')
  const groups = start.split(':')
  const missing = end === undefined ? 0 : 8 - groups.length - end.split(':').length
  return [...groups, ...Array(missing).fill('0'), ...(end ?? '').split(':')].slice(0, 4).join(':')
}
