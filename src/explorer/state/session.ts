// Who is signed in and what they may do, as `GET /explorer/session` says. `kept-token.ts` has the token.
import { computed, signal } from '@preact/signals'
import { ApiError } from '../api/api-error.ts'
import { get, post, setToken } from '../api/client.ts'
import { dropAllForms } from './kept-forms.ts'
import {
  dropAllTokens,
  dropToken,
  followOtherTabs,
  isOwnToken,
  keepToken,
  keptTokens,
  shareToken,
} from './kept-token.ts'

/** Parties, or all of them. */
export type Reach = 'any' | readonly string[]

type Rights = {
  /** Undefined if the node requires no token and names no user. */
  readonly userId?: string
  /** False for the token of a link or of the command line, which may do everything. */
  readonly isStoredUser: boolean
  readonly isAdmin: boolean
  readonly isIdentityProviderAdmin: boolean
  readonly actsAs: Reach
  readonly readsAs: Reach
  readonly expiresAtMs?: number
  /** Whether the node can refuse the token before it expires. */
  readonly isForgettable: boolean
}

type About = {
  /** Of the API. */
  readonly version: string
  /** Whether the node has the tools under /dev. */
  readonly isDevelopment: boolean
}

export type Session = Rights & About & { readonly token: string | undefined }

type Answer = About & { readonly session?: Rights; readonly refusal?: string }

type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed out'; readonly reason: string | undefined; readonly isDevelopment: boolean }
  | { readonly kind: 'signed in'; readonly session: Session }

const state = signal<State>({ kind: 'starting' })
export const sessionState = computed(() => state.value)

/** Of pages that are only shown to somebody who is signed in. */
export const session = computed((): Session => {
  if (state.value.kind !== 'signed in') throw new Error('nobody is signed in')
  return state.value.session
})

/** What a page may remember for the next visit: on a development node for good, elsewhere as long as the tab is open. */
export function browserStorage(): Storage {
  return state.peek().kind === 'signed in' && session.peek().isDevelopment ? localStorage : sessionStorage
}

export const mayActAs = (party: string): boolean => reaches(session.value.actsAs, party)
export const mayReadAs = (party: string): boolean => reaches(session.value.readsAs, party)

function reaches(reach: Reach, party: string): boolean {
  return reach === 'any' || reach.includes(party)
}

const staleWords =
  'The session of before is over: its token has expired or was signed out, or the node has another ledger now.'

/** Signs in with the key in the address, with a token of before, or without one if the node requires none. */
export async function startSession(): Promise<void> {
  try {
    const problem = await takeKey()
    const kept = keptTokens()
    for (const token of [...kept, undefined]) {
      const answer = await ask(token)
      if (answer.session !== undefined && mayUse(token, answer)) return begin(token, answer, answer.session)
      dropToken(token)
      if (token !== undefined) continue
      const reason = problem ?? (kept.length > 0 ? staleWords : undefined)
      state.value = { kind: 'signed out', reason, isDevelopment: answer.isDevelopment }
    }
  } catch (error) {
    // The tokens stay: this is no refusal.
    state.value = { kind: 'signed out', reason: (error as Error).message, isDevelopment: false }
  }
}

/** Exchanges the key of a link for a token; returns why that was refused. */
async function takeKey(): Promise<string | undefined> {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key === null) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  try {
    keepToken((await post<{ token: string }>('/dev/sign-in', { key })).token, true)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return 'The link has expired, or the node was started anew.'
    if (error instanceof ApiError && error.status !== 0) return error.message
    throw error
  }
}

/** A token from another tab is one of a development node. */
function mayUse(token: string | undefined, { isDevelopment }: Answer): boolean {
  return token === undefined || isDevelopment || isOwnToken(token)
}

const ask = (token: string | undefined): Promise<Answer> => get('/explorer/session', { token })

function begin(token: string | undefined, { version, isDevelopment }: Answer, rights: Rights): void {
  setToken(token, () => leave(token, staleWords))
  if (token !== undefined) keepToken(token, isDevelopment)
  state.value = { kind: 'signed in', session: { ...rights, version, isDevelopment, token } }
}

/** Throws the node's refusal. */
export async function signIn(token: string): Promise<void> {
  const answer = await ask(token)
  if (answer.session !== undefined) return begin(token, answer, answer.session)
  throw new ApiError(401, { code: 'NA', cause: answer.refusal ?? staleWords })
}

/** Reads the rights again, after somebody has changed their own, or if they may be gone with the ledger. */
export async function refreshSession(): Promise<void> {
  const before = state.peek()
  if (before.kind !== 'signed in') return
  const { token } = before.session
  const answer = await ask(token)
  if (state.peek() !== before) return
  if (answer.session === undefined) leave(token, staleWords)
  else begin(token, answer, answer.session)
}

/** In every tab, on a development node. The node forgets the session if it can. */
export function signOut(): void {
  const { token, isDevelopment } = session.peek()
  if (isDevelopment) dropAllTokens(token === undefined ? undefined : sessionIdOf(token))
  forgetSession()
  leave(token, undefined)
}

function forgetSession(): void {
  const { token, isForgettable } = session.peek()
  // If the node does not answer, the token is gone from the browser all the same.
  if (isForgettable) post('/dev/sign-out', {}, { token }).catch(() => undefined)
}

function leave(token: string | undefined, reason: string | undefined): void {
  const before = state.peek()
  const isDevelopment = before.kind === 'signed in' && before.session.isDevelopment
  dropToken(token)
  dropAllForms()
  setToken(undefined)
  state.value = { kind: 'signed out', reason, isDevelopment }
}

/** Tabs of one browser are signed in, and signed out, together. */
export function followTabs(): void {
  followOtherTabs({
    signedIn() {
      if (state.peek().kind === 'signed out') void startSession()
    },
    signedOut(sessionId) {
      const now = state.peek()
      if (now.kind !== 'signed in' || !now.session.isDevelopment) return
      const { token } = now.session
      if (token === undefined) return
      if (sessionIdOf(token) !== sessionId) forgetSession()
      leave(token, 'You have signed out in another tab.')
    },
  })
  // Whoever opens a tab comes to this one first: the new tab is signed in as this one is, also if others differ.
  const share = () => {
    const now = state.peek()
    if (now.kind === 'signed in' && now.session.isDevelopment && now.session.token) shareToken(now.session.token)
  }
  for (const event of ['focus', 'pointerdown', 'keydown']) addEventListener(event, share, { capture: true })
}

/** Undefined for tokens that no link has brought. */
function sessionIdOf(token: string): string | undefined {
  try {
    const part = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    const { jti } = JSON.parse(atob(part)) as { jti?: unknown }
    return typeof jti === 'string' ? jti : undefined
  } catch {
    return undefined
  }
}
