// Identity provider configs over HTTP: every rule, the order of checks and the texts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'

const config = {
  identityProviderId: 'acme',
  isDeactivated: false,
  issuer: 'https://acme.example',
  jwksUrl: 'https://acme.example/keys',
  audience: '',
}

const create = (node: TestNode, identityProviderConfig: object = config) =>
  node.call('POST', '/v2/idps', { body: { identityProviderConfig } })

const patch = (node: TestNode, changes: object, paths: string[] | undefined, id = 'acme') =>
  node.call('PATCH', `/v2/idps/${encodeURIComponent(id)}`, {
    body: { identityProviderConfig: { identityProviderId: id, ...changes }, updateMask: paths && { paths } },
  })

const invalid = (reason: string) => `The submitted request has invalid arguments: ${reason}`
const missing = (field: string) => `The submitted command is missing a mandatory field: ${field}`
const badField = (reason: string) => `The submitted command has a field with invalid value: Invalid field ${reason}`
const badUpdate = (reason: string) => `Update operation for identity provider config 'acme' failed due to: ${reason}`

for (const store of stores) {
  describe(`identity providers on ${store}`, () => {
    test('can be created, fetched, listed, updated and deleted', async () => {
      await using node = await startTestNode({ store })
      assert.deepEqual((await create(node)).json, { identityProviderConfig: config })
      assert.deepEqual((await node.call('GET', '/v2/idps/acme')).json, { identityProviderConfig: config })
      await create(node, { ...config, identityProviderId: 'Zeta #1', issuer: 'https://zeta.example' })
      const listed = (await node.call('GET', '/v2/idps')).json.identityProviderConfigs
      assert.deepEqual(
        listed.map((entry: typeof config) => entry.identityProviderId),
        ['Zeta #1', 'acme'],
      )
      const updated = await patch(node, { isDeactivated: true, audience: 'me' }, ['is_deactivated', 'audience'])
      assert.deepEqual(updated.json, { identityProviderConfig: { ...config, isDeactivated: true, audience: 'me' } })
      const deleted = await node.call('DELETE', '/v2/idps/acme')
      assert.deepEqual([deleted.status, deleted.text], [200, '{}'])
      assert.equal((await node.call('DELETE', '/v2/idps/acme')).json.code, 'IDP_CONFIG_NOT_FOUND')
    })

    test('survive a restart of the node', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      await patch(node, { audience: 'kept' }, ['audience'])
      await node.restart()
      assert.equal((await node.call('GET', '/v2/idps/acme')).json.identityProviderConfig.audience, 'kept')
    })

    test('are updated by mask: fields outside it stay', async () => {
      await using node = await startTestNode({ store })
      await create(node, { ...config, audience: 'old' })
      const rows: [changes: object, paths: string[], want: object][] = [
        [{ issuer: 'https://new.example' }, ['issuer'], { issuer: 'https://new.example' }],
        [{ issuer: '' }, ['issuer'], {}], // Empty means no change for the issuer and the URL …
        [{ jwksUrl: '' }, ['jwks_url'], {}],
        [{ audience: '' }, ['audience'], { audience: '' }], // … and clears the audience.
        [{ jwksUrl: 'https://x.example/k' }, ['jwks_url'], { jwksUrl: 'https://x.example/k' }],
        [{ jwksUrl: 'https://y.example/k', audience: 'a' }, ['is_deactivated'], {}],
        [{ isDeactivated: true }, ['is_deactivated'], { isDeactivated: true }],
        [{}, ['is_deactivated'], { isDeactivated: false }],
        [{ audience: 'b' }, ['identity_provider_id'], {}],
        [{ audience: 'c' }, ['audience.'], { audience: 'c' }], // A trailing dot is ignored.
        [{ audience: 'd' }, ['.'], { audience: 'd' }], // The root: every field that is not at its default.
      ]
      let expected: object = { ...config, audience: 'old' }
      for (const [changes, paths, want] of rows) {
        expected = { ...expected, ...want }
        const answer = await patch(node, changes, paths)
        assert.deepEqual(answer.json, { identityProviderConfig: expected }, JSON.stringify([changes, paths]))
      }
    })

    test('are refused, and a refusal changes nothing', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      await create(node, { ...config, identityProviderId: 'other', issuer: 'https://other.example' })
      const long = 'x'.repeat(60)
      const rows: [call: () => Promise<Answer>, status: number, code: string, cause: string][] = [
        [() => node.call('POST', '/v2/idps', { body: {} }), 400, 'MISSING_FIELD', missing('identity_provider_config')],
        [
          () => create(node, { ...config, identityProviderId: '' }),
          400,
          'MISSING_FIELD',
          missing('identity_provider_id'),
        ],
        [
          () => create(node, { ...config, identityProviderId: 'a%b', jwksUrl: '' }),
          400,
          'INVALID_FIELD',
          badField('identity_provider_id: non expected character 0x25 in Daml-LF Ledger String "a%b"'),
        ],
        [() => create(node, { ...config, jwksUrl: '', issuer: '' }), 400, 'MISSING_FIELD', missing('jwks_url')],
        [
          () => create(node, { ...config, jwksUrl: 'url.com' }),
          400,
          'INVALID_FIELD',
          badField('jwks_url: Malformed URL: URI is not absolute'),
        ],
        [
          () => create(node, { ...config, jwksUrl: 'ftp://x/keys' }),
          400,
          'INVALID_FIELD',
          badField('jwks_url: Malformed URL: unknown protocol: ftp'),
        ],
        [() => create(node, { ...config, issuer: '' }), 400, 'MISSING_FIELD', missing('issuer')],
        [
          () => create(node, { ...config, issuer: 'x'.repeat(5000), identityProviderId: 'new' }),
          400,
          'INVALID_FIELD',
          badField('issuer: it is longer than 2048 bytes'),
        ],
        [
          () => create(node),
          409,
          'IDP_CONFIG_ALREADY_EXISTS',
          'creating identity provider config failed, as identity provider "acme" already exists',
        ],
        [
          () => create(node, { ...config, identityProviderId: 'acme2' }),
          409,
          'IDP_CONFIG_ISSUER_ALREADY_EXISTS',
          'creating identity provider config failed, as identity provider with issuer "https://acme.example" already exists',
        ],
        [
          () => node.call('PATCH', '/v2/idps/acme', { body: { updateMask: { paths: ['issuer'] } } }),
          400,
          'INVALID_ARGUMENT',
          invalid('acme does not match idp in body: None'),
        ],
        [
          () =>
            node.call('PATCH', '/v2/idps/acme', {
              body: { identityProviderConfig: { ...config, identityProviderId: 'x' } },
            }),
          400,
          'INVALID_ARGUMENT',
          invalid(
            'acme does not match idp in body: Some(IdentityProviderConfig(x,false,https://acme.example,https://acme.example/keys,))',
          ),
        ],
        [
          () => patch(node, { jwksUrl: 'nowhere' }, ['issuer']), // Checked although the mask does not include it.
          400,
          'INVALID_FIELD',
          badField('jwks_url: Malformed URL: URI is not absolute'),
        ],
        [() => patch(node, {}, undefined), 400, 'MISSING_FIELD', missing('update_mask')],
        [
          () => patch(node, {}, []),
          400,
          'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
          badUpdate('The update mask contains no entries'),
        ],
        [
          () => patch(node, {}, ['isDeactivated']),
          400,
          'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
          badUpdate("The update path: 'isDeactivated' points to an unknown field."),
        ],
        [
          () => patch(node, {}, ['']),
          400,
          'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
          badUpdate("The update path: '' points to an unknown field."),
        ],
        [
          () => patch(node, {}, [long]),
          400,
          'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
          badUpdate(`The update path: '${long.slice(0, 50)}...' points to an unknown field.`),
        ],
        [
          () => patch(node, { audience: 'x' }, ['audience', 'issuer', 'audience']),
          400,
          'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
          badUpdate("The update path: 'audience' is duplicated."),
        ],
        [
          () => patch(node, { issuer: 'https://other.example' }, ['issuer']),
          409,
          'IDP_CONFIG_ISSUER_ALREADY_EXISTS',
          'updating identity provider config failed, as identity provider with issuer "https://other.example" already exists',
        ],
        [
          () => patch(node, {}, ['issuer'], 'nobody'),
          404,
          'IDP_CONFIG_NOT_FOUND',
          'updating identity provider config failed for unknown identity provider id="nobody"',
        ],
        [
          () => node.call('GET', '/v2/idps/nobody'),
          404,
          'IDP_CONFIG_NOT_FOUND',
          'getting identity provider config failed for unknown identity provider id="nobody"',
        ],
        [
          () => node.call('DELETE', '/v2/idps/nobody'),
          404,
          'IDP_CONFIG_NOT_FOUND',
          'deleting identity provider config failed for unknown identity provider id="nobody"',
        ],
      ]
      for (const [call, status, code, cause] of rows) {
        assert.deepEqual(refusalOf(await call()), [status, code, cause])
      }
      const listed = (await node.call('GET', '/v2/idps')).json.identityProviderConfigs
      assert.deepEqual(listed[0], config)
      assert.equal(listed.length, 2)
    })

    test('are limited to sixteen', async () => {
      await using node = await startTestNode({ store })
      for (let index = 0; index < 16; index += 1) {
        const own = { ...config, identityProviderId: `idp${index}`, issuer: `https://${index}.example` }
        assert.equal((await create(node, own)).status, 200)
      }
      assert.deepEqual(refusalOf(await create(node)), [
        400,
        'TOO_MANY_IDENTITY_PROVIDER_CONFIGS',
        'creating identity provider config failed.',
      ])
    })

    test('cannot be deleted while users or parties belong to them', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      await node.call('POST', '/v2/parties', { body: { identityProviderId: 'acme' } })
      const { status, json } = await node.call('DELETE', '/v2/idps/acme')
      const reason = 'identity provider "acme" cannot be deleted: 0 users and 1 parties still belong to it'
      assert.deepEqual([status, json.cause], [400, invalid(reason)])
    })

    test('appear in error resources, and their errors have the ten keys', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      const traceId = '0af7651916cd43dd8448eb211c80319c'
      const { json } = await node.call('POST', '/v2/idps', {
        body: { identityProviderConfig: config },
        headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      })
      assert.deepEqual(json, {
        code: 'IDP_CONFIG_ALREADY_EXISTS',
        cause: 'creating identity provider config failed, as identity provider "acme" already exists',
        correlationId: null,
        traceId,
        context: { category: '10', tid: traceId, definite_answer: 'false', participant: 'participant' },
        resources: [['ErrorResource(IDENTITY_PROVIDER_CONFIG)', 'acme']],
        errorCategory: 10,
        grpcCodeValue: 6,
        retryInfo: null,
        definiteAnswer: null,
      })
    })
  })
}
