// Realms from the files that Keycloak exports and imports: clients and users, as far as an issuer for tests needs them.
import { readFileSync } from 'node:fs'
import { StartError } from '../base/errors.ts'
import { type Random, randomUuid } from '../base/random.ts'
import type { Account, Client, GrantType, Realm } from './realm.ts'

// biome-ignore lint/suspicious/noExplicitAny: files of others; every field is looked at.
type Json = any

/** An export has the hashes of passwords only; such users sign in with this one. */
export const exportedPassword = 'abc123'

/** Several files may be about one realm: Keycloak writes its users apart. */
export function readRealms(files: readonly string[], audience: string, random: Random): Realm[] {
  const exports = files.flatMap((file) => documentsIn(file).map((document) => ({ file, document })))
  const byName = Map.groupBy(exports, ({ document }) => document.realm as string)
  return [...byName].map(([name, parts]) => {
    const of = (field: string) => parts.flatMap(({ document }) => listOf(document[field]))
    const users = of('users').filter((user) => typeof user.username === 'string')
    const clients = of('clients').filter((client) => typeof client.clientId === 'string' && client.enabled !== false)
    if (clients.length === 0) throw new StartError(`${parts[0]!.file} has no clients of the realm ${name}`)
    return {
      name,
      audience,
      clients: clients.map((client) => clientFrom(client, users, random)),
      accounts: users.filter((user) => !user.serviceAccountClientId).map((user) => accountFrom(user, random)),
    }
  })
}

function documentsIn(file: string): Json[] {
  const documents = [parsed(file)].flat()
  if (documents.some((one) => typeof one?.realm !== 'string')) {
    throw new StartError(`${file} is not an export of Keycloak: it has no field realm`)
  }
  return documents
}

function parsed(file: string): Json {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError(`cannot read the realm in ${file}: ${(error as Error).message}`)
  }
}

/** Which field allows which grant. */
const grants: readonly [field: string, grant: GrantType][] = [
  ['standardFlowEnabled', 'authorization_code'],
  ['directAccessGrantsEnabled', 'password'],
  ['serviceAccountsEnabled', 'client_credentials'],
]

function clientFrom(client: Json, users: readonly Json[], random: Random): Client {
  const { clientId: id, secret, publicClient, redirectUris, rootUrl = '' } = client
  const user = users.find((one) => one.serviceAccountClientId === id) ?? { username: `service-account-${id}` }
  return {
    id,
    ...(publicClient !== true && typeof secret === 'string' && { secret }),
    grants: grants.filter(([field]) => client[field] === true).map(([, grant]) => grant),
    // As in Keycloak, one that begins with a slash follows the root URL.
    redirectUris: listOf(redirectUris).map((uri) => (String(uri).startsWith('/') ? `${rootUrl}${uri}` : String(uri))),
    ...(client.serviceAccountsEnabled === true && {
      account: { id: user.id ?? randomUuid(random), username: user.username },
    }),
  }
}

function accountFrom(user: Json, random: Random): Account {
  const { id, username, email, firstName, lastName, credentials, attributes } = user
  const plain = listOf(credentials).find((one) => one?.type === 'password' && typeof one.value === 'string')
  const party = listOf(attributes?.partyId)[0]
  return {
    id: typeof id === 'string' ? id : randomUuid(random),
    username,
    password: plain?.value ?? exportedPassword,
    ...(typeof email === 'string' && { email }),
    ...(typeof firstName === 'string' && { firstName }),
    ...(typeof lastName === 'string' && { lastName }),
    ...(typeof party === 'string' && { claims: { party_id: party } }),
  }
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}
