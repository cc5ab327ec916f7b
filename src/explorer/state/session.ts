// Who is signed in and what they may do. The token is kept in memory and in sessionStorage: it ends with the tab.
import { computed, signal } from '@preact/signals'
import { ApiError } from '../api/api-error.ts'
import { get, post, setToken } from '../api/client.ts'
import type { Right, User } from '../api/wire.ts'

/** Parties, or all of them. */
export type Reach = 'any' | readonly string[]

export type Session = {
  /** Undefined if the node requires no token and names no user. */
  readonly userId: string | undefined
  readonly isAdmin: boolean
  readonly isIdentityProviderAdmin: boolean
  readonly actsAs: Reach
  readonly readsAs: Reach
  /** Whether the node has the tools under /dev. */
  readonly isDevelopment: boolean
  readonly expiresAtMs: number | undefined
  readonly version: string
}

type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed out'; readonly reason: string | undefined }
  | { readonly kind: 'signed in'; readonly session: Session }

const storageKey = 'tallystick-token'

const state = signal<State>({ kind: 'starting' })
export const sessionState = computed(() => state.value)

/** Of pages that are only shown to somebody who is signed in. */
export const session = computed((): Session => {
  if (state.value.kind !== 'signed in') throw new Error('nobody is signed in')
  return state.value.session
})

export const mayActAs = (party: string): boolean => reaches(session.value.actsAs, party)
export const mayReadAs = (party: string): boolean => reaches(session.value.readsAs, party)

function reaches(reach: Reach, party: string): boolean {
  return reach === 'any' || reach.includes(party)
}

/** Signs in with the key in the address, with the token of before, or without a token if the node requires none. */
export async function startSession(): Promise<void> {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key !== null) history.replaceState(null, '', location.pathname + location.search)
  try {
    if (key !== null) return await signIn((await post<{ token: string }>('/dev/sign-in', { key })).token)
    const kept = sessionStorage.getItem(storageKey)
    if (kept !== null) return await signIn(kept)
    await signIn(undefined)
  } catch (error) {
    const isFirst = key === null && sessionStorage.getItem(storageKey) === null
    signOut(isFirst && error instanceof ApiError && error.status === 401 ? undefined : (error as Error).message)
  }
}

/** Throws the node's refusal. */
export async function signIn(token: string | undefined): Promise<void> {
  const found = await sessionWith(token)
  setToken(token, () => signOut('The token has expired, or is no longer accepted.'))
  if (token === undefined) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, token)
  state.value = { kind: 'signed in', session: found }
}

/** Reads the rights again, after somebody has changed their own. */
export async function refreshSession(): Promise<void> {
  const token = sessionStorage.getItem(storageKey) ?? undefined
  const found = await sessionWith(token)
  if (state.peek().kind === 'signed in') state.value = { kind: 'signed in', session: found }
}

export function signOut(reason?: string): void {
  sessionStorage.removeItem(storageKey)
  setToken(undefined)
  state.value = { kind: 'signed out', reason }
}

async function sessionWith(token: string | undefined): Promise<Session> {
  const [rights, isDevelopment, version] = await Promise.all([
    rightsWith(token),
    hasDevelopmentTools(token),
    ownVersion(token),
  ])
  return { ...rights, isDevelopment, version, expiresAtMs: expiryOf(token) }
}

type Rights = Pick<Session, 'userId' | 'isAdmin' | 'isIdentityProviderAdmin' | 'actsAs' | 'readsAs'>

async function rightsWith(token: string | undefined): Promise<Rights> {
  try {
    const { user } = await get<{ user: User }>('/v2/authenticated-user', { token })
    const path = `/v2/users/${encodeURIComponent(user.id)}/rights`
    return rightsFrom(user.id, (await get<{ rights?: Right[] }>(path, { token })).rights ?? [])
  } catch (error) {
    // The token of no stored user: the command line's, or none where none is required. It may do everything.
    if (!(error instanceof ApiError) || error.code !== 'INVALID_TOKEN') throw error
    const userId = token === undefined ? undefined : (payloadOf(token).sub as string | undefined)
    return { userId, isAdmin: true, isIdentityProviderAdmin: true, actsAs: 'any', readsAs: 'any' }
  }
}

export function rightsFrom(userId: string, rights: readonly Right[]): Rights {
  const kinds = rights.flatMap(({ kind }) => Object.entries(kind).map(([name, { value }]) => ({ name, ...value })))
  const has = (name: string) => kinds.some((kind) => kind.name === name)
  const partiesOf = (name: string) => kinds.flatMap((kind) => (kind.name === name && kind.party ? [kind.party] : []))
  const actsAs = partiesOf('CanActAs')
  return {
    userId,
    isAdmin: has('ParticipantAdmin'),
    isIdentityProviderAdmin: has('IdentityProviderAdmin'),
    actsAs,
    readsAs: has('CanReadAsAnyParty') ? 'any' : [...new Set([...actsAs, ...partiesOf('CanReadAs')])],
  }
}

/** Unknown paths are 404; refused ones exist. */
async function hasDevelopmentTools(token: string | undefined): Promise<boolean> {
  try {
    await get('/dev/faults', { token })
    return true
  } catch (error) {
    return error instanceof ApiError && error.status !== 404 && error.status !== 0
  }
}

async function ownVersion(token: string | undefined): Promise<string> {
  return (await get<{ version: string }>('/v2/version', { token })).version
}

function expiryOf(token: string | undefined): number | undefined {
  const exp = token === undefined ? undefined : payloadOf(token).exp
  return typeof exp === 'number' ? exp * 1000 : undefined
}

function payloadOf(token: string): Record<string, unknown> {
  try {
    const part = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    return JSON.parse(atob(part)) as Record<string, unknown>
  } catch {
    return {}
  }
}
