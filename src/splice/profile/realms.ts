// The realms of quickstart's Keycloak: their clients, accounts and ids, which its applications are configured with. All of it is
// public, as the secret of LocalNet's tokens is. Facts of docker/modules/keycloak in cn-quickstart.
import type { KeySource } from '../../base/settings.ts'
import type { Client, Realm } from '../../issuer/realm.ts'
import type { ParticipantName } from './participants.ts'
import { audience } from './tokens.ts'

export const oidcPort = 8082

/** The host name that quickstart's applications know the issuer by. */
export const oidcHost = 'keycloak.localhost'

const password = 'abc123'

/** An application that acts on its own. */
function service(id: string, secret: string, accountId: string): Client {
  const account = { id: accountId, username: `service-account-${id}` }
  return { id, secret, grants: ['client_credentials'], account }
}

/** Pages that people sign in to. */
function pages(id: string, ...redirectUris: string[]): Client {
  return { id, grants: ['authorization_code'], redirectUris }
}

/** For scripts, which know the password. */
function script(id: string): Client {
  return { id, grants: ['password'] }
}

export const realms: readonly Realm[] = [
  {
    name: 'AppProvider',
    audience,
    clients: [
      service('app-provider-validator', 'AL8648b9SfdTFImq7FV56Vd0KHifHBuC', 'c87743ab-80e0-4b83-935a-4c0582226691'),
      service('app-provider-backend', '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz', '1a36eb86-4ccc-4ec6-b7b7-caa08b354989'),
      service('app-provider-pqs', 'zuYvMzWEo8csYNiQNlmXNPsmPErBWP3W', '0145df12-c560-40fa-bef3-caff2c5c2224'),
      pages('app-provider-backend-oidc', 'http://app-provider.localhost:*'),
      pages('app-provider-wallet', 'http://wallet.localhost:*'),
      pages('app-provider-ans', 'http://ans.localhost:*'),
      script('app-provider-unsafe'),
    ],
    accounts: [
      {
        id: '553c6754-8879-41c9-ae80-b302f5af92c9',
        username: 'app-provider',
        password,
        firstName: 'app',
        lastName: 'provider',
        email: 'app-provider@app-provider.localhost',
      },
      {
        id: '3c467325-772f-4f93-8972-711ec75634b1',
        username: 'beatris',
        password,
        firstName: 'Beatris',
        lastName: 'Doe',
        email: 'beatris@app-provider.localhost',
      },
    ],
  },
  {
    name: 'AppUser',
    audience,
    clients: [
      service('app-user-validator', '6m12QyyGl81d9nABWQXMycZdXho6ejEX', '97bb6cef-a7a9-410b-ba8c-ada08451a5c9'),
      service('app-user-pqs', '7WkEjRTCSDz7u8CuXRWFp0UKdAp24hO4', 'eecd72be-b6a6-44ed-834a-9305ad22f610'),
      pages('app-provider-backend-oidc', 'http://app-provider.localhost:*'),
      pages('app-user-wallet', 'http://wallet.localhost:*'),
      pages('app-user-ans', 'http://ans.localhost:*'),
      script('app-user-unsafe'),
    ],
    accounts: [
      {
        id: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
        username: 'app-user',
        password,
        firstName: 'app',
        lastName: 'user',
        email: 'app-user@app-user.localhost',
      },
      {
        id: 'e37a3590-77d7-4acf-a053-70e84211dfa6',
        username: 'adrian',
        password,
        firstName: 'Adrian',
        lastName: 'Doe',
        email: 'adrian@app-user.localhost',
      },
    ],
  },
]

/** Where participants on this address find the key of all realms, as they do with Keycloak. */
export function issuerKeys(host: string, portOffset: number): KeySource {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const reached = name.includes(':') ? `[${name}]` : name
  const url = `http://${reached}:${oidcPort + portOffset}/realms/${realms[0]!.name}/protocol/openid-connect/certs`
  return { type: 'jwks', url, targetAudience: audience }
}

/** The users of a participant that sign in through the issuer: who administers it, and whose wallet its validator installs. */
export type OidcUsers = { readonly operator: string; readonly wallet: string }

/** Undefined for the super validator, which has no realm. */
export function oidcUsersOf(name: ParticipantName): OidcUsers | undefined {
  return oidcUsers.get(name)
}

const oidcUsers: ReadonlyMap<ParticipantName, OidcUsers> = new Map([
  ['app-user', { operator: '97bb6cef-a7a9-410b-ba8c-ada08451a5c9', wallet: '92a520cb-2f09-4e55-b465-d178c6cfe5e4' }],
  [
    'app-provider',
    { operator: 'c87743ab-80e0-4b83-935a-4c0582226691', wallet: '553c6754-8879-41c9-ae80-b302f5af92c9' },
  ],
])
