// Sessions of the explorer that somebody has signed out before their tokens expire. They are known to this process only:
// after a restart such a token would be accepted again, but the browser that had it has forgotten it.
import type { Clock } from '../base/clock.ts'

export type SignedOut = {
  add(sessionId: string, expiresAtMs: number): void
  has(sessionId: string): boolean
}

/** The oldest are forgotten: an administrator signs in and out a thousand times for that. */
const sessionsMax = 1000

export function createSignedOut(clock: Clock): SignedOut {
  const expiries = new Map<string, number>()
  return {
    add(sessionId, expiresAtMs) {
      const nowMs = clock.nowMs()
      for (const [known, expiry] of expiries) if (expiry <= nowMs) expiries.delete(known)
      expiries.set(sessionId, expiresAtMs)
      if (expiries.size > sessionsMax) expiries.delete(expiries.keys().next().value!)
    },
    has: (sessionId) => expiries.has(sessionId),
  }
}
