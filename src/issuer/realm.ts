// What an issuer knows: realms with their clients and accounts, as data. The words are those of Keycloak.

/** Whom tokens are about. */
export type Account = {
  /** The `sub` of its tokens. */
  readonly id: string
  readonly username: string
  /** Undefined for the account of a service, which signs in as its client. */
  readonly password?: string
  readonly email?: string
  readonly firstName?: string
  readonly lastName?: string
  /** Further claims of its tokens. */
  readonly claims?: Readonly<Record<string, string>>
}

export type GrantType = 'authorization_code' | 'client_credentials' | 'password'

/** An application that asks for tokens. */
export type Client = {
  readonly id: string
  /** Undefined for a public client, such as a page in a browser. */
  readonly secret?: string
  readonly grants: readonly GrantType[]
  /** Where the authorization code may go; a `*` at the end stands for anything. */
  readonly redirectUris?: readonly string[]
  /** Whom its tokens are about if nobody signs in. */
  readonly account?: Account
}

export type Realm = {
  readonly name: string
  /** Audience of its access tokens. */
  readonly audience: string
  readonly clients: readonly Client[]
  readonly accounts: readonly Account[]
}

/** By its name or its e-mail address, as Keycloak signs in. */
export function accountNamed({ accounts }: Realm, name: string): Account | undefined {
  return accounts.find(({ username, email }) => username === name || email === name)
}

export function accountOf({ accounts, clients }: Realm, id: string): Account | undefined {
  return accounts.find((one) => one.id === id) ?? clients.find(({ account }) => account?.id === id)?.account
}

/** Without a fragment and without credentials, so that the host is what it seems to be. */
export function isRedirectOf({ redirectUris = [] }: Client, uri: string): boolean {
  const parsed = URL.parse(uri)
  if (parsed === null || uri.includes('#') || parsed.username !== '' || parsed.password !== '') return false
  return redirectUris.some((one) => (one.endsWith('*') ? uri.startsWith(one.slice(0, -1)) : uri === one))
}
