// Tokens of a development node. The secret that signs them is created at the first start and kept in the data folder:
// read access to that folder means full access to the node, which is fine on a developer's own machine.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { makePrivateFolder, writePrivateFile } from '../base/private-files.ts'
import type { Random } from '../base/random.ts'
import { audienceOfParticipant } from './payload.ts'

export function secretFile(folder: string): string {
  return join(folder, 'token-secret')
}

export function readLocalSecret(folder: string): string | undefined {
  try {
    return readFileSync(secretFile(folder), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

export function loadLocalSecret(folder: string, random: Random): string {
  const known = readLocalSecret(folder)
  if (known !== undefined) return known
  const secret = createLocalSecret(random)
  try {
    makePrivateFolder(folder)
    rmSync(secretFile(folder), { force: true }) // If the file exists, it is empty.
    writePrivateFile(secretFile(folder), `${secret}\n`)
  } catch (error) {
    throw new StartError(`cannot write the token secret to ${folder}: ${(error as Error).message}`)
  }
  return secret
}

export function createLocalSecret(random: Random): string {
  return random.bytes(32).toString('base64url')
}

/**
 * Tokens of the command line have this scope and may do everything. Whoever knows the secret could be any user anyway;
 * this way the commands need no user of their own, and work after a restore of another participant's snapshot, too.
 */
export const commandLineScope = 'tallystick_command_line'

/** A stream ends with its token, so this is long enough to follow one for a day. */
const commandLineLifetimeMs = 24 * 60 * 60 * 1000

/** `lifetimeMs` is infinity for a token that never expires. */
export function signCommandLineToken(
  secret: string,
  nowMs: number,
  lifetimeMs = commandLineLifetimeMs,
): Promise<string> {
  return signed(secret, new SignJWT({ scope: commandLineScope }).setSubject('participant_admin'), nowMs, lifetimeMs)
}

/** A working day: it stays in the browser, so that other tabs are signed in, too. */
const sessionLifetimeMs = 12 * 60 * 60 * 1000

/** Of the explorer. It may do what a token of the command line may, until its session is signed out. */
export function signSessionToken(secret: string, sessionId: string, nowMs: number): Promise<string> {
  const token = new SignJWT({ scope: commandLineScope }).setSubject('participant_admin').setJti(sessionId)
  return signed(secret, token, nowMs, sessionLifetimeMs)
}

export function createTokenSigner(secret: string, clock: Clock) {
  return (userId: string, participantId: string, lifetimeMs: number): Promise<string> =>
    signToken(secret, { userId, audience: audienceOfParticipant(participantId), lifetimeMs, nowMs: clock.nowMs() })
}

export type TokenRequest = {
  readonly userId: string
  readonly audience: string
  /** Infinity for a token that never expires. */
  readonly lifetimeMs: number
  readonly nowMs: number
}

export function signToken(secret: string, { userId, audience, lifetimeMs, nowMs }: TokenRequest): Promise<string> {
  return signed(secret, new SignJWT().setSubject(userId).setAudience(audience), nowMs, lifetimeMs)
}

function signed(secret: string, token: SignJWT, nowMs: number, lifetimeMs: number): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1000)
  token.setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setIssuedAt(issuedAt)
  if (lifetimeMs !== Number.POSITIVE_INFINITY) token.setExpirationTime(issuedAt + Math.ceil(lifetimeMs / 1000))
  return token.sign(new TextEncoder().encode(secret))
}
