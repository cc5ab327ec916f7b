import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/process.ts'
import { createSeededRandom } from '../base/random.ts'
import { readRealms } from './realm-export.ts'

function realmsIn(...documents: readonly unknown[]) {
  using folder = temporaryFolder()
  const files = documents.map((document, index) => {
    const file = join(folder.path, `${index}.json`)
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
    return file
  })
  return readRealms(files, 'aud', createSeededRandom('realms'))
}

const client = {
  clientId: 'app',
  publicClient: true,
  standardFlowEnabled: true,
  redirectUris: ['http://localhost:5173/*'],
}

describe('an export of Keycloak', () => {
  test('is a realm with its clients and users, in one file or several', () => {
    const service = {
      clientId: 'backend',
      secret: 's',
      serviceAccountsEnabled: true,
      rootUrl: 'http://b',
      redirectUris: ['/*'],
    }
    const users = [
      { id: 'u-1', username: 'ann', email: 'ann@x', credentials: [{ type: 'password', value: 'plain' }] },
      {
        id: 'u-2',
        username: 'bob',
        credentials: [{ type: 'password', secretData: '{}' }],
        attributes: { partyId: ['p'] },
      },
      { id: 'u-3', username: 'service-account-backend', serviceAccountClientId: 'backend' },
    ]
    assert.deepEqual(realmsIn({ realm: 'Own', clients: [client, service] }, { realm: 'Own', users }), [
      {
        name: 'Own',
        audience: 'aud',
        clients: [
          { id: 'app', grants: ['authorization_code'], redirectUris: ['http://localhost:5173/*'] },
          {
            id: 'backend',
            secret: 's',
            grants: ['client_credentials'],
            redirectUris: ['http://b/*'],
            account: { id: 'u-3', username: 'service-account-backend' },
          },
        ],
        accounts: [
          { id: 'u-1', username: 'ann', password: 'plain', email: 'ann@x' },
          { id: 'u-2', username: 'bob', password: 'abc123', claims: { party_id: 'p' } },
        ],
      },
    ])
  })

  const mistakes: readonly [title: string, document: unknown, reason: RegExp][] = [
    ['no JSON', '{', /cannot read the realm in .*0\.json/],
    ['no realm', { clients: [client] }, /is not an export of Keycloak: it has no field realm/],
    ['null', 'null', /is not an export of Keycloak/],
    ['no clients', { realm: 'Own' }, /has no clients of the realm Own/],
  ]
  for (const [title, document, reason] of mistakes) {
    test(`with ${title} is refused`, () => assert.throws(() => realmsIn(document), reason))
  }
})
