// Decides which verified payloads are ledger tokens: by a configured audience or scope, or by Canton's own forms.
// Mirrors AuthServiceJWTPayload.
import type { JWTPayload } from 'jose'
import { TokenRefused } from './token-refused.ts'

const participantAudience = 'https://daml.com/jwt/aud/participant/'
const ledgerScope = 'daml_ledger_api'

export type Acceptance = {
  readonly targetAudience?: string | undefined
  readonly targetScope?: string | undefined
  readonly privileged?: AccessLevel | undefined
  /** Tokens with this scope may do everything; others are accepted as usual. */
  readonly wildcardScope?: string | undefined
}

/** What a privileged token allows, whoever its user is. */
export type AccessLevel = 'wildcard' | 'admin'

export type AcceptedPayload = {
  readonly userId: string
  readonly participantId: string | undefined
  readonly privileged?: AccessLevel | undefined
  /** Of a token of the explorer, which can be signed out. */
  readonly sessionId?: string | undefined
}

export function audienceOfParticipant(participantId: string): string {
  return `${participantAudience}${participantId}`
}

export function acceptPayload(payload: JWTPayload, acceptance: Acceptance): AcceptedPayload {
  const { targetScope, privileged, wildcardScope } = acceptance
  if (wildcardScope !== undefined && scopesOf(payload).includes(wildcardScope)) {
    const accepted = acceptByTarget(payload, { targetScope: wildcardScope })
    return { ...accepted, privileged: 'wildcard', sessionId: payload.jti }
  }
  if (privileged !== undefined && targetScope !== undefined) {
    return { ...acceptByTarget(payload, { targetScope }), privileged }
  }
  return { ...acceptByTarget(payload, acceptance), privileged }
}

function acceptByTarget(payload: JWTPayload, { targetAudience, targetScope }: Acceptance): AcceptedPayload {
  const userId = payload.sub
  if (typeof userId !== 'string') throw new TokenRefused('it names no user: the claim sub is missing')
  const audiences = listOf(payload.aud)
  if (targetAudience !== undefined) {
    if (!audiences.includes(targetAudience)) {
      throw new TokenRefused(`its audience (${show(audiences)}) does not contain ${targetAudience}`)
    }
    return { userId, participantId: undefined }
  }
  const scopes = scopesOf(payload)
  if (targetScope !== undefined) {
    if (!scopes.includes(targetScope))
      throw new TokenRefused(`its scope (${show(scopes)}) does not contain ${targetScope}`)
    return { userId, participantId: undefined }
  }
  const participants = audiences
    .filter((audience) => audience.startsWith(participantAudience))
    .map((audience) => audience.slice(participantAudience.length))
  if (participants.length === 1 && participants[0] !== '') return { userId, participantId: participants[0] }
  if (scopes.includes(ledgerScope) && audiences.length <= 1) return { userId, participantId: audiences[0] }
  throw new TokenRefused(
    `neither its audience (${show(audiences)}) is ${participantAudience}<participant id> ` +
      `nor its scope (${show(scopes)}) contains ${ledgerScope}`,
  )
}

function scopesOf({ scope, scp }: JWTPayload): string[] {
  const scopes = typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : []
  if (scopes.length > 0) return scopes
  return listOf(scp).flatMap((text) => text.split(' '))
}

function listOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim]
  return Array.isArray(claim) ? claim.filter((entry) => typeof entry === 'string') : []
}

function show(values: string[]): string {
  return values.length === 0 ? 'none' : values.join(', ').slice(0, 200)
}
