// Parameters of a request, from its query or its form: each at most once, and none longer than they need to be.
import { OAuthRefusal } from './refusal.ts'

export type Parameters = ReadonlyMap<string, string>

/** Of one parameter. Tokens are the longest. */
const characterMax = 8192

export function parametersFrom(fields: URLSearchParams): Parameters {
  const parameters = new Map<string, string>()
  for (const [name, value] of fields) {
    if (parameters.has(name)) throw new OAuthRefusal('invalid_request', `duplicated parameter: ${name.slice(0, 100)}`)
    if (value.length > characterMax) throw new OAuthRefusal('invalid_request', `${name.slice(0, 100)} is too long`)
    if (value !== '') parameters.set(name, value) // RFC 6749, 3.1: without a value it counts as missing.
  }
  return parameters
}

export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthRefusal('invalid_request', `Missing parameter: ${name}`)
  return value
}

/** Keycloak gives these to every client. */
const defaultScopes = ['profile', 'email']
/** What a client may ask for. Ledger clients ask for the last one, which Canton knows. */
const knownScopes = new Set(['openid', ...defaultScopes, 'offline_access', 'roles', 'daml_ledger_api'])

export function scopeFrom(text: string | undefined): string[] {
  const asked = (text ?? '').split(' ').filter((one) => one !== '')
  const unknown = asked.find((one) => !knownScopes.has(one))
  if (unknown !== undefined) throw new OAuthRefusal('invalid_scope', `Invalid scopes: ${unknown.slice(0, 100)}`)
  return [...new Set([...asked, ...defaultScopes])]
}
