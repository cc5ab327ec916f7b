// Links that sign in to the explorer of a development node. A link has a key in its fragment, which browsers keep to
// themselves; the page exchanges it for a token. Keys live in memory and not for long, so that a link in a scrollback or
// a history soon opens nothing.
import type { Clock } from '../../base/clock.ts'
import { invalidArgument } from '../../base/errors.ts'
import type { Random } from '../../base/random.ts'

export type SignIn = {
  /** A new key, which can be exchanged until it expires, and more than once: a page may be opened in a second tab. */
  key(): { readonly key: string; readonly expiresAtMs: number }
  /** A token like that of the command line, of a new session; refuses unknown and expired keys. */
  exchange(key: string): Promise<string>
  /** From now on the token of the session is refused. */
  signOut(sessionId: string, expiresAtMs: number): void
}

type Parts = {
  readonly sign: (sessionId: string) => Promise<string>
  readonly forget: (sessionId: string, expiresAtMs: number) => void
  readonly random: Random
  readonly clock: Clock
}

const keyLifetimeMs = 60 * 60 * 1000
/** Of keys and of session ids. */
const keyBytes = 16
/** The oldest are forgotten. */
const keysMax = 100

export function createSignIn({ sign, forget, random, clock }: Parts): SignIn {
  const expiries = new Map<string, number>()
  const draw = () => random.bytes(keyBytes).toString('base64url')
  return {
    key() {
      const key = draw()
      const expiresAtMs = clock.nowMs() + keyLifetimeMs
      expiries.set(key, expiresAtMs)
      if (expiries.size > keysMax) expiries.delete(expiries.keys().next().value!)
      return { key, expiresAtMs }
    },
    async exchange(key) {
      const expiresAtMs = expiries.get(key)
      if (expiresAtMs === undefined || clock.nowMs() >= expiresAtMs) throw invalidArgument(noSuchKey)
      return sign(draw())
    },
    signOut: forget,
  }
}

const noSuchKey = 'The link has expired, or the node was started anew; `tallystick explorer` prints a new one'
