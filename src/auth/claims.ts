// What a verified token allows. Mirrors Canton's ClaimSet: one claim per right; acting includes reading and executing.
import type { Right } from '../base/rights.ts'
import type { AccessLevel } from './payload.ts'

/** The sum of a list of rights. */
type Grants = {
  readonly isParticipantAdmin: boolean
  readonly isIdentityProviderAdmin: boolean
  readonly readsAsAnyParty: boolean
  readonly executesAsAnyParty: boolean
  readonly actAs: ReadonlySet<string>
  readonly readAs: ReadonlySet<string>
  readonly executeAs: ReadonlySet<string>
}

export type Claims = Grants & {
  /** The user of requests that name none. */
  readonly userId: string | undefined
  /** Whether that user is stored, so that the rules about the caller's own user apply. */
  readonly isStoredUser: boolean
  /** The caller's identity provider, "" for the default one. */
  readonly identityProviderId: string
  /** The identity provider that verified the token, whether or not rights are checked; "" for configured keys. */
  readonly vouchedForBy: string
  /** The participant that the token is restricted to, if any. */
  readonly participantId: string | undefined
  readonly actsAsAnyParty: boolean
  /** The session of the explorer that the token belongs to, if any. */
  readonly sessionId?: string | undefined
  /** When streams under these claims must end; infinity if tokens do not expire or are not required. */
  readonly expiresAtMs: number
}

const nobody: ReadonlySet<string> = new Set()

const everything: Grants & { actsAsAnyParty: true } = {
  isParticipantAdmin: true,
  isIdentityProviderAdmin: true,
  readsAsAnyParty: true,
  executesAsAnyParty: true,
  actsAsAnyParty: true,
  actAs: nobody,
  readAs: nobody,
  executeAs: nobody,
}

const administration: Grants & { actsAsAnyParty: false } = {
  ...everything,
  readsAsAnyParty: false,
  executesAsAnyParty: false,
  actsAsAnyParty: false,
}

/** Used if tokens are not required: all rights, no user. */
export const wildcardClaims: Claims = {
  ...everything,
  userId: undefined,
  isStoredUser: false,
  identityProviderId: '',
  vouchedForBy: '',
  participantId: undefined,
  expiresAtMs: Number.POSITIVE_INFINITY,
}

/** The token's content, apart from its user. */
type TokenFacts = {
  readonly identityProviderId: string
  readonly participantId: string | undefined
  readonly expiresAtMs: number
}

/** Used if tokens are verified but rights are not checked. */
export function claimsWithoutAuthorization(userId: string | undefined, token: TokenFacts): Claims {
  const { identityProviderId: vouchedForBy, participantId, expiresAtMs } = token
  return { ...wildcardClaims, userId, vouchedForBy, participantId, expiresAtMs }
}

/** For tokens of a privileged key source, whose users need not be stored. */
export function privilegedClaims(
  level: AccessLevel,
  { userId, sessionId, ...token }: TokenFacts & { readonly userId: string; readonly sessionId?: string | undefined },
): Claims {
  const claims = { ...claimsWithoutAuthorization(userId === '' ? undefined : userId, token), sessionId }
  return level === 'wildcard' ? claims : { ...claims, ...administration }
}

export function claimsOfUser(
  user: { readonly id: string; readonly identityProviderId: string },
  rights: readonly Right[],
  { identityProviderId: vouchedForBy, participantId, expiresAtMs }: TokenFacts,
): Claims {
  return {
    ...grantsOf(rights),
    userId: user.id,
    isStoredUser: true,
    identityProviderId: user.identityProviderId,
    vouchedForBy,
    participantId,
    actsAsAnyParty: false,
    expiresAtMs,
  }
}

/** Whether the claims came from exactly these rights. */
export function comesFrom(claims: Claims, rights: readonly Right[]): boolean {
  const grants = grantsOf(rights)
  return (
    claims.isParticipantAdmin === grants.isParticipantAdmin &&
    claims.isIdentityProviderAdmin === grants.isIdentityProviderAdmin &&
    claims.readsAsAnyParty === grants.readsAsAnyParty &&
    claims.executesAsAnyParty === grants.executesAsAnyParty &&
    areSame(claims.actAs, grants.actAs) &&
    areSame(claims.readAs, grants.readAs) &&
    areSame(claims.executeAs, grants.executeAs)
  )
}

function areSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one === other || (one.size === other.size && one.isSubsetOf(other))
}

export function actsAs(claims: Claims, party: string): boolean {
  return claims.actsAsAnyParty || claims.actAs.has(party)
}

/** Acting as a party includes reading as it. */
export function readsAs(claims: Claims, party: string): boolean {
  return claims.readsAsAnyParty || claims.readAs.has(party) || actsAs(claims, party)
}

/** Acting as a party includes submitting what it signed. */
export function executesAs(claims: Claims, party: string): boolean {
  return claims.executesAsAnyParty || claims.executeAs.has(party) || actsAs(claims, party)
}

/** Acting, reading or executing as a party each allow a caller to look the party up. */
export function operatesAs(claims: Claims, party: string): boolean {
  return (
    claims.actsAsAnyParty ||
    claims.readsAsAnyParty ||
    claims.executesAsAnyParty ||
    claims.actAs.has(party) ||
    claims.readAs.has(party) ||
    claims.executeAs.has(party)
  )
}

// A user's rights are the same array in every request until they change, so their sum is cached.
const remembered = new WeakMap<readonly Right[], Grants>()

function grantsOf(rights: readonly Right[]): Grants {
  let grants = remembered.get(rights)
  if (grants === undefined) {
    grants = addUp(rights)
    remembered.set(rights, grants)
  }
  return grants
}

function addUp(rights: readonly Right[]): Grants {
  const has = (kind: Right['kind']) => rights.some((right) => right.kind === kind)
  const parties = (kind: Right['kind']) =>
    new Set(rights.flatMap((right) => (right.kind === kind && 'party' in right ? [right.party] : [])))
  return {
    isParticipantAdmin: has('ParticipantAdmin'),
    isIdentityProviderAdmin: has('IdentityProviderAdmin'),
    readsAsAnyParty: has('CanReadAsAnyParty'),
    executesAsAnyParty: has('CanExecuteAsAnyParty'),
    actAs: parties('CanActAs'),
    readAs: parties('CanReadAs'),
    executeAs: parties('CanExecuteAs'),
  }
}
