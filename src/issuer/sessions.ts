// What an issuer remembers: who is signed in, and the authorization codes that were not redeemed yet. Both are limited in
// number and time, and end with the process.
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import { randomUuid } from '../base/random.ts'
import { createExpiringMap } from './expiring-map.ts'
import { sessionLifetimeS } from './tokens.ts'

export type Session = { readonly realm: string; readonly accountId: string }

/** What a client must know again to redeem a code. */
export type CodeGrant = {
  readonly realm: string
  readonly clientId: string
  readonly redirectUri: string
  readonly sessionId: string
  readonly scope: readonly string[]
  readonly nonce: string | undefined
  /** By RFC 7636; undefined if the client uses no PKCE. */
  readonly challenge: { readonly text: string; readonly method: 'S256' | 'plain' } | undefined
}

export type Sessions = {
  begin(session: Session): string
  /** Undefined unless it goes on in this realm. It lives on from now. */
  touch(id: string | undefined, realm: string): Session | undefined
  end(id: string): void
  codeFor(grant: CodeGrant): string
  /** A code is good for one attempt. */
  redeem(code: string): CodeGrant | undefined
}

const sessionsMax = 10_000
const codesMax = 1_000
const codeLifetimeMs = 60_000

export function createSessions(clock: Clock, random: Random): Sessions {
  const sessions = createExpiringMap<Session>(clock, sessionsMax, sessionLifetimeS * 1000)
  const codes = createExpiringMap<CodeGrant>(clock, codesMax, codeLifetimeMs)
  return {
    begin(session) {
      const id = randomUuid(random)
      sessions.set(id, session)
      return id
    },
    touch(id, realm) {
      const session = id === undefined ? undefined : sessions.get(id)
      if (session?.realm !== realm) return undefined
      sessions.set(id!, session)
      return session
    },
    end: (id) => sessions.delete(id),
    codeFor(grant) {
      const code = random.bytes(32).toString('base64url')
      codes.set(code, grant)
      return code
    },
    redeem(code) {
      const grant = codes.get(code)
      codes.delete(code)
      return grant
    },
  }
}
