// Authentication: a token in, claims out. A missing or bad token is not refused here, because Canton reports errors in
// the request first; problems with the token's user are refused.
import { LedgerError } from '../base/errors.ts'
import { userIdProblem } from '../base/names.ts'
import type { Right } from '../base/rights.ts'
import {
  type Claims,
  claimsOfUser,
  claimsWithoutAuthorization,
  comesFrom,
  privilegedClaims,
  wildcardClaims,
} from './claims.ts'
import type { SignedOut } from './signed-out.ts'
import { TokenRefused } from './token-refused.ts'
import type { TokenReader, VerifiedToken } from './tokens.ts'

/** Claims, or the reason why there are none. */
export type Authentication = Claims | { readonly unauthenticated: string }

export type Authenticator = (token: string | undefined) => Authentication | Promise<Authentication>

/** The user with this id and its rights, regardless of identity provider. */
export type FindUser = (id: string) => FoundUser | undefined | Promise<FoundUser | undefined>

type FoundUser = {
  readonly user: { readonly id: string; readonly identityProviderId: string; readonly isDeactivated: boolean }
  readonly rights: readonly Right[]
}

type Parts = {
  /** Undefined if tokens are not required. */
  readonly readToken: TokenReader | undefined
  /** The user assumed for callers if tokens are not required. */
  readonly userId?: string | undefined
  readonly findUser: FindUser
  readonly checksRights: boolean
}

const noToken: Authentication = { unauthenticated: 'The request carries no token (Authorization: Bearer …)' }

// How Canton marks errors that come from the token itself.
const tokenContext = { context: { ledger_api_error: 'invalid token' } }

export function createAuthenticator({ readToken, userId: assumed, findUser, checksRights }: Parts): Authenticator {
  if (readToken === undefined) {
    const claims = { ...wildcardClaims, userId: assumed }
    return () => claims
  }
  return async (token) => {
    if (token === undefined) return noToken
    try {
      const verified = await readToken(token)
      const { userId, privileged } = verified
      if (privileged !== undefined) return privilegedClaims(privileged, verified)
      checkUserId(userId)
      if (!checksRights) return claimsWithoutAuthorization(userId, verified)
      const found = findUser(userId)
      if (!(found instanceof Promise)) return claimsOf(verified, found)
      // The identity provider may have changed during the database read, so the token is verified again. That is a
      // cache hit if nothing changed.
      const user = await found
      return claimsOf(await readToken(token), user)
    } catch (error) {
      if (error instanceof TokenRefused) return { unauthenticated: error.message }
      throw error
    }
  }
}

function checkUserId(userId: string): void {
  const problem = userIdProblem(userId)
  if (problem === undefined) return
  throw new LedgerError('INVALID_TOKEN', `The submitted request is missing a user-id: token ${problem}`, tokenContext)
}

/**
 * Whether a caller may still do what it began: its session was not signed out; its user, if it is a stored one, exists, is
 * active, and has the same rights as before.
 */
export type ClaimsCheck = (claims: Claims) => Promise<boolean>

export function createClaimsCheck(findUser: FindUser, signedOut: SignedOut): ClaimsCheck {
  return async (claims) => {
    if (!claims.isStoredUser) return claims.sessionId === undefined || !signedOut.has(claims.sessionId)
    const found = await findUser(claims.userId!)
    if (found === undefined || found.user.isDeactivated) return false
    return found.user.identityProviderId === claims.identityProviderId && comesFrom(claims, found.rights)
  }
}

function claimsOf(token: VerifiedToken, found: FoundUser | undefined): Claims {
  const { userId, identityProviderId } = token
  if (found === undefined) throw refused(`the user ${userId} does not exist`)
  if (found.user.isDeactivated) throw refused(`the user ${userId} is deactivated`)
  if (found.user.identityProviderId !== identityProviderId) {
    throw refused(`the user ${userId} belongs to another identity provider than the token`)
  }
  return claimsOfUser(found.user, found.rights, token)
}

function refused(reason: string): LedgerError {
  return new LedgerError('PERMISSION_DENIED', `Could not resolve the token's user: ${reason}`, tokenContext)
}
