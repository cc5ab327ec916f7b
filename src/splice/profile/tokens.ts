// LocalNet's tokens: anybody can sign them, because the secret is public. That is why they are for one machine only.
import { jwtVerify } from 'jose'
import { signToken } from '../../auth/local-tokens.ts'

export const audience = 'https://canton.network.global'
export const publicSecret = 'unsafe'

/** A token without an end. */
export function tokenOf(userId: string, nowMs: number): Promise<string> {
  return signToken(publicSecret, { userId, audience, lifetimeMs: Number.POSITIVE_INFINITY, nowMs })
}

/** Tokens that somebody else signs. */
export type IssuedTokens = { accountIdOf(token: string, audience: string): Promise<string | undefined> }

/** The user of a token in an `authorization` header; undefined for one that is missing, foreign or expired. */
export async function userOf(
  authorization: string | undefined,
  issued: IssuedTokens | undefined,
): Promise<string | undefined> {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) return undefined
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(publicSecret), {
      algorithms: ['HS256'],
      audience,
    })
    return payload.sub
  } catch {
    return issued?.accountIdOf(token, audience)
  }
}
