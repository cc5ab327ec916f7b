// Tokens from an OAuth server, by client credentials. A token is kept until shortly before it expires.
import type { Clock } from '../base/clock.ts'
import { LedgerAway, type TokenSource } from '../ledger-client/ledger-client.ts'

export type ClientCredentials = {
  readonly endpoint: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

/** How long before its end a token is replaced. */
const leewayMs = 60_000
const timeoutMs = 30_000

export function createTokenSource(credentials: ClientCredentials, clock: Clock): TokenSource {
  let kept: { readonly token: string; readonly untilMs: number } | undefined
  return async () => {
    if (kept !== undefined && clock.nowMs() < kept.untilMs) return kept.token
    const { access_token: token, expires_in: seconds = 0 } = await ask(credentials)
    kept = { token, untilMs: clock.nowMs() + Math.max(0, seconds * 1000 - leewayMs) }
    return token
  }
}

async function ask({ endpoint, clientId, clientSecret, scope, parameters }: ClientCredentials) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams({ ...form, ...(scope !== undefined && { scope }), ...parameters })
  try {
    const response = await fetch(endpoint, { method: 'POST', body, signal: AbortSignal.timeout(timeoutMs) })
    if (!response.ok) throw new Error(`it answered ${response.status}`)
    const answer = (await response.json()) as { access_token?: string; expires_in?: number }
    if (typeof answer.access_token !== 'string') throw new Error('its answer has no access_token')
    return { ...answer, access_token: answer.access_token }
  } catch (error) {
    throw new LedgerAway(`no token from ${new URL(endpoint).origin}: ${(error as Error).message}`)
  }
}
