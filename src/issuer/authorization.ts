// The authorization endpoint: somebody signs in to a client, which gets a code for it. Errors go to the client once its
// address is known to be right; before that, only a page says them.
import { type Parameters, scopeFrom } from './parameters.ts'
import { accountNamed, type Client, isRedirectOf, type Realm } from './realm.ts'
import { OAuthRefusal } from './refusal.ts'
import type { CodeGrant, Sessions } from './sessions.ts'

export type AuthorizationRequest = {
  readonly realm: Realm
  readonly issuer: string
  readonly query: Parameters
  /** Of the browser's cookie. */
  readonly sessionId: string | undefined
}

/** `form`: somebody has to sign in first. */
export type AuthorizationAnswer =
  | { readonly kind: 'form'; readonly problem?: string }
  | { readonly kind: 'redirect'; readonly location: string; readonly sessionId?: string }

/** Shown instead of a redirect, because nobody knows where to. */
export class PageRefusal extends Error {}

/** Whoever is signed in already gets on without the form. */
export function authorize(request: AuthorizationRequest, sessions: Sessions): AuthorizationAnswer {
  const { realm, query, sessionId } = request
  return answered(request, (order) => {
    const isSignedIn = sessions.touch(sessionId, realm.name) !== undefined
    const prompt = query.get('prompt')
    if (isSignedIn && prompt !== 'login') return { kind: 'redirect', ...withCode(request, order, sessionId!, sessions) }
    if (prompt === 'none') throw new OAuthRefusal('login_required', 'Nobody is signed in')
    return { kind: 'form' }
  })
}

/** Somebody has filled in the form. */
export function signIn(request: AuthorizationRequest, form: Parameters, sessions: Sessions): AuthorizationAnswer {
  const { realm } = request
  return answered(request, (order) => {
    const account = accountNamed(realm, form.get('username') ?? '')
    if (account?.password === undefined || account.password !== form.get('password')) {
      return { kind: 'form', problem: 'Invalid username or password.' }
    }
    const sessionId = sessions.begin({ realm: realm.name, accountId: account.id })
    return { kind: 'redirect', ...withCode(request, order, sessionId, sessions) }
  })
}

/** What a client asks for, once it is checked. */
type Order = Omit<CodeGrant, 'realm' | 'sessionId'>

function answered(request: AuthorizationRequest, answer: (order: Order) => AuthorizationAnswer): AuthorizationAnswer {
  const { query, issuer } = request
  const [client, redirectUri] = addressOf(request)
  try {
    return answer(orderFrom(query, client, redirectUri))
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    const outcome = { error: error.code, error_description: error.message, iss: issuer }
    return { kind: 'redirect', location: locationOf(query, redirectUri, outcome) }
  }
}

function addressOf({ realm, query }: AuthorizationRequest): [client: Client, redirectUri: string] {
  const client = realm.clients.find(({ id }) => id === query.get('client_id'))
  if (client === undefined) throw new PageRefusal('Client not found.')
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!isRedirectOf(client, redirectUri)) throw new PageRefusal('Invalid parameter: redirect_uri')
  return [client, redirectUri]
}

function orderFrom(query: Parameters, client: Client, redirectUri: string): Order {
  if (!client.grants.includes('authorization_code')) {
    throw new OAuthRefusal('unauthorized_client', 'The client is not allowed to use authorization_code')
  }
  const type = query.get('response_type')
  if (type === undefined) throw new OAuthRefusal('invalid_request', 'Missing parameter: response_type')
  if (type !== 'code') throw new OAuthRefusal('unsupported_response_type', `${type.slice(0, 100)} is not served`)
  if (!modes.includes(query.get('response_mode') ?? 'query')) {
    throw new OAuthRefusal('invalid_request', `Invalid parameter: response_mode; there are ${modes.join(' and ')}`)
  }
  const text = query.get('code_challenge')
  const method = query.get('code_challenge_method') ?? 'plain'
  if (method !== 'S256' && method !== 'plain') {
    throw new OAuthRefusal('invalid_request', 'Invalid parameter: code_challenge_method')
  }
  return {
    clientId: client.id,
    redirectUri,
    scope: scopeFrom(query.get('scope')),
    nonce: query.get('nonce'),
    challenge: text === undefined ? undefined : { text, method },
  }
}

export const modes = ['query', 'fragment']

function withCode(request: AuthorizationRequest, order: Order, sessionId: string, sessions: Sessions) {
  const { realm, query, issuer } = request
  const code = sessions.codeFor({ ...order, realm: realm.name, sessionId })
  const outcome = { code, session_state: sessionId, iss: issuer }
  return { sessionId, location: locationOf(query, order.redirectUri, outcome) }
}

function locationOf(query: Parameters, redirectUri: string, outcome: Readonly<Record<string, string>>): string {
  const state = query.get('state')
  const fields = new URLSearchParams({ ...(state !== undefined && { state }), ...outcome })
  const target = new URL(redirectUri)
  if (query.get('response_mode') === 'fragment') target.hash = fields.toString()
  else for (const [name, value] of fields) target.searchParams.append(name, value)
  return target.href
}
