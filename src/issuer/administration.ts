// What tests use of Keycloak's admin API: new accounts, made with a token of the realm `master`.
import { type Random, randomUuid } from '../base/random.ts'
import type { Account, Realm } from './realm.ts'
import { OAuthRefusal } from './refusal.ts'
import type { Tokens } from './tokens.ts'

/** Its only account may make others. As in Keycloak's development mode, everybody knows the password. */
export const masterRealm: Realm = {
  name: 'master',
  audience: 'security-admin-console',
  clients: [{ id: 'admin-cli', grants: ['password'] }],
  accounts: [{ id: '00000000-0000-4000-8000-000000000000', username: 'admin', password: 'admin' }],
}

/** A realm that gets accounts while it is served. */
export type OpenRealm = Realm & { readonly accounts: Account[] }

export const accountsMax = 1_000
const characterMax = 255

export async function checkAdministrator(authorization: string | undefined, tokens: Tokens): Promise<void> {
  const [, token = ''] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? []
  const claims = await tokens.read(token, 'Bearer')
  if (![claims?.aud].flat().includes(masterRealm.audience))
    throw new OAuthRefusal('invalid_token', 'HTTP 401 Unauthorized')
}

export type NewAccount =
  | { readonly status: 201; readonly id: string }
  | { readonly status: 400 | 409; readonly reason: string }

/** From Keycloak's JSON of a user. */
export function addAccount(realm: OpenRealm, body: string, random: Random): NewAccount {
  const account = accountFrom(body, randomUuid(random))
  if (account === undefined) return { status: 400, reason: 'The body is not a user with a username and a password' }
  const { username, email } = account
  if (realm.accounts.some((one) => one.username === username)) {
    return { status: 409, reason: 'User exists with same username' }
  }
  if (email !== undefined && realm.accounts.some((one) => one.email === email)) {
    return { status: 409, reason: 'User exists with same email' }
  }
  if (realm.accounts.length >= accountsMax) return { status: 400, reason: `There are ${accountsMax} users already` }
  realm.accounts.push(account)
  return { status: 201, id: account.id }
}

function accountFrom(body: string, id: string): Account | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: any JSON.
  const user: any = parsed(body)
  const username = textOf(user?.username)
  const password = textOf(listOf(user?.credentials).find((one) => one?.type === 'password')?.value)
  if (username === undefined || password === undefined) return undefined
  const [email, firstName, lastName, party] = [
    user.email,
    user.firstName,
    user.lastName,
    listOf(user.attributes?.partyId)[0],
  ].map(textOf)
  return {
    id,
    username,
    password,
    ...(email !== undefined && { email }),
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(party !== undefined && { claims: { party_id: party } }), // As quickstart's realms map it.
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= characterMax ? value : undefined
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON.
function listOf(value: unknown): readonly any[] {
  return Array.isArray(value) ? value : []
}
