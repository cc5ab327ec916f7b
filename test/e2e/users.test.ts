// Users over HTTP: every rule, the order of checks and the texts. Rights are tested in rights.test.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'

type UserJson = {
  id: string
  primaryParty: string
  isDeactivated: boolean
  metadata: { resourceVersion: string; annotations: Record<string, string> }
  identityProviderId: string
  primaryPartyAuthentication: boolean
}

const alice: UserJson = {
  id: 'alice',
  primaryParty: '',
  isDeactivated: false,
  metadata: { resourceVersion: '0', annotations: {} },
  identityProviderId: '',
  primaryPartyAuthentication: false,
}

const right = (kind: string, party?: string) => ({ kind: { [kind]: { value: party === undefined ? {} : { party } } } })

const create = (node: TestNode, user: object = { id: 'alice' }, rights: object[] = []) =>
  node.call('POST', '/v2/users', { body: { user, rights } })

const get = (node: TestNode, id: string, identityProviderId = '') =>
  node.call('GET', `/v2/users/${encodeURIComponent(id)}?identity-provider-id=${identityProviderId}`)

const patch = (node: TestNode, changes: object, paths: string[] | undefined, id = 'alice', token?: string) =>
  node.call('PATCH', `/v2/users/${encodeURIComponent(id)}`, {
    body: { user: { id, ...changes }, updateMask: paths && { paths } },
    ...(token && { token }),
  })

const annotate = (node: TestNode, annotations: object, id = 'alice') =>
  patch(node, { metadata: { annotations } }, ['metadata.annotations'], id)

const rightsOf = async (node: TestNode, id: string) =>
  (await node.call('GET', `/v2/users/${encodeURIComponent(id)}/rights`)).json.rights

/** Grants with POST, revokes with PATCH. */
const changeRights = (node: TestNode, method: 'POST' | 'PATCH', rights: object[], id = 'alice', more: object = {}) =>
  node.call(method, `/v2/users/${encodeURIComponent(id)}/rights`, { body: { userId: id, rights, ...more } })

const move = (node: TestNode, from: string, to: string, id = 'alice') =>
  node.call('PATCH', `/v2/users/${encodeURIComponent(id)}/identity-provider-id`, {
    body: { userId: id, sourceIdentityProviderId: from, targetIdentityProviderId: to },
  })

const createIdentityProvider = (node: TestNode, id = 'acme') =>
  node.call('POST', '/v2/idps', {
    body: {
      identityProviderConfig: {
        identityProviderId: id,
        issuer: `https://${id}.example`,
        jwksUrl: `https://${id}.example/keys`,
      },
    },
  })

const idsOf = ({ json }: Answer): string[] => json.users.map(({ id }: UserJson) => id)

const invalid = (reason: string) => `The submitted request has invalid arguments: ${reason}`
const missing = (field: string) => `The submitted command is missing a mandatory field: ${field}`
const badField = (reason: string) => `The submitted command has a field with invalid value: Invalid field ${reason}`
const badToken = (reason: string) => `The submitted token has a field with invalid value: Invalid field ${reason}`
const badUpdate = (reason: string) => `Update operation for user id 'alice' failed due to: ${reason}`
const badUserId = (id: string) => `User ID "${id}" does not match regex "[a-zA-Z0-9@^$.!\`\\-#+'~_|:\\(\\)]{1,128}"`
const badLedgerString = 'non expected character 0x25 in Daml-LF Ledger String "a%b"'
const badParty = 'non expected character 0x25 in Daml-LF Party "a%b"'
const unknownKind = 'unknown kind of right - check that the Ledger API version of the server is recent enough'
const unknownProvider = (id: string) => invalid(`Provided identity_provider_id Id(${id}) has not been found.`)
const denied = (reason: string) => [403, 'NA', reason]

type Refusal = [status: number, code: string, cause: string]

for (const store of stores) {
  describe(`users on ${store}`, () => {
    test('begin with participant_admin', async () => {
      await using node = await startTestNode({ store })
      const admin = { ...alice, id: 'participant_admin' }
      assert.deepEqual((await node.call('GET', '/v2/users')).json, { users: [admin], nextPageToken: '' })
      assert.deepEqual(await rightsOf(node, 'participant_admin'), [right('ParticipantAdmin')])
      assert.deepEqual((await node.call('GET', '/v2/authenticated-user')).json, { user: admin })
    })

    test('can be created, fetched, listed, updated, granted, revoked and deleted', async () => {
      await using node = await startTestNode({ store })
      const bob = {
        ...alice,
        id: 'bob',
        primaryParty: 'bob::1220',
        metadata: { resourceVersion: '0', annotations: { 'example.com/team': 'blue' } },
        primaryPartyAuthentication: true,
      }
      const created = await create(node, { ...bob, metadata: { annotations: bob.metadata.annotations } }, [
        right('CanActAs', 'bob::1220'),
        right('CanReadAsAnyParty'),
      ])
      assert.equal(created.status, 200)
      assert.equal(created.text, JSON.stringify({ user: bob })) // Every key, in Canton's order.
      assert.deepEqual((await create(node)).json, { user: alice })
      assert.deepEqual((await get(node, 'bob')).json, { user: bob })
      assert.deepEqual(idsOf(await node.call('GET', '/v2/users')), ['alice', 'bob', 'participant_admin'])
      const own = await node.call('GET', '/v2/authenticated-user', { token: await node.token('bob') })
      assert.deepEqual(own.json, { user: bob })

      const updated = await patch(node, { isDeactivated: true }, ['is_deactivated'])
      const deactivated = { ...alice, isDeactivated: true, metadata: { resourceVersion: '1', annotations: {} } }
      assert.deepEqual([updated.status, updated.json], [200, { user: deactivated }])
      assert.deepEqual((await get(node, 'alice')).json, { user: deactivated })

      const deleted = await node.call('DELETE', '/v2/users/bob')
      assert.deepEqual([deleted.status, deleted.text], [200, '{}'])
      assert.equal((await get(node, 'bob')).json.code, 'USER_NOT_FOUND')
      assert.equal((await node.call('DELETE', '/v2/users/bob')).json.code, 'USER_NOT_FOUND')
      assert.deepEqual(idsOf(await node.call('GET', '/v2/users')), ['alice', 'participant_admin'])

      await create(node, { id: 'bob' })
      assert.deepEqual(await rightsOf(node, 'bob'), [], 'the rights went with the user')
    })

    test('hold rights that are granted and revoked, without duplicates', async () => {
      await using node = await startTestNode({ store })
      const all = [
        right('CanActAs', 'p'),
        right('CanExecuteAs', 'p'),
        right('CanExecuteAsAnyParty'),
        right('CanReadAs', 'p'),
        right('CanReadAsAnyParty'),
        right('IdentityProviderAdmin'),
        right('ParticipantAdmin'),
      ]
      await create(node, { id: 'alice' }, [right('CanActAs', 'p'), right('CanActAs', 'p')])
      assert.deepEqual(await rightsOf(node, 'alice'), [right('CanActAs', 'p')])
      assert.deepEqual((await changeRights(node, 'POST', [])).json, { newlyGrantedRights: [] })
      assert.deepEqual((await changeRights(node, 'POST', [...all, ...all])).json, { newlyGrantedRights: all.slice(1) })
      assert.deepEqual(await rightsOf(node, 'alice'), all)
      assert.deepEqual((await changeRights(node, 'POST', all)).json, { newlyGrantedRights: [] })
      const others = [right('CanActAs', 'q'), right('CanReadAs', 'p'), right('CanReadAs', 'p')]
      assert.deepEqual((await changeRights(node, 'PATCH', others)).json, {
        newlyRevokedRights: [right('CanReadAs', 'p')],
      })
      assert.deepEqual((await changeRights(node, 'PATCH', others)).json, { newlyRevokedRights: [] })
      assert.equal((await changeRights(node, 'PATCH', all)).json.newlyRevokedRights.length, 6)
      assert.deepEqual(await rightsOf(node, 'alice'), [])
      assert.equal((await get(node, 'alice')).json.user.metadata.resourceVersion, '0', 'rights are no update')
    })

    test('have ids of 1 to 128 letters, digits and symbols', async () => {
      await using node = await startTestNode({ store })
      for (const id of ['x', "aA0@^$.!`-#+'~_|:()", '#'.repeat(128)]) {
        assert.equal((await create(node, { id })).json.user.id, id)
        assert.equal((await get(node, id)).json.user.id, id)
        const granted = await changeRights(node, 'POST', [right('CanActAs', 'p')], id)
        assert.deepEqual(granted.json, { newlyGrantedRights: [right('CanActAs', 'p')] })
        assert.equal((await patch(node, { primaryParty: 'p' }, ['primary_party'], id)).json.user.primaryParty, 'p')
        assert.equal((await node.call('DELETE', `/v2/users/${encodeURIComponent(id)}`)).status, 200)
      }
      for (const id of ['a b', 'a/b', 'a"b', 'é', '#'.repeat(129)]) {
        assert.deepEqual(refusalOf(await create(node, { id })), [
          400,
          'INVALID_FIELD',
          badField(`id: ${badUserId(id)}`),
        ])
      }
    })

    test('are created only by a valid request, checked in order', async () => {
      await using node = await startTestNode({ store, settings: { limits: { userRightsMax: 3 } } })
      assert.deepEqual(refusalOf(await node.call('POST', '/v2/users', { body: { rights: [{}] } })), [
        400,
        'MISSING_FIELD',
        missing('user'),
      ])
      // Everything is wrong at first; each row fixes what the previous row was refused for.
      let request: { user: object; rights: object[] } = {
        user: {
          id: '',
          metadata: { resourceVersion: '0', annotations: { 'b d': '', large: 'x'.repeat(262_140) } },
          primaryParty: 'a%b',
          identityProviderId: 'a%b',
        },
        rights: [right('CanReadAs', 'p'), right('CanActAs', 'a%b'), {}],
      }
      const fourRights = ['p', 'q', 'r', 's'].map((party) => right('CanReadAs', party))
      const rows: [mended: object, rights: object[] | undefined, want: Refusal][] = [
        [{}, undefined, [400, 'INVALID_TOKEN', badToken(`identity_provider_id: ${badLedgerString}`)]],
        [{ identityProviderId: 'nowhere' }, undefined, [400, 'MISSING_FIELD', missing('id')]],
        [{ id: 'a b' }, undefined, [400, 'INVALID_FIELD', badField(`id: ${badUserId('a b')}`)]],
        [
          { id: 'participant_admin' },
          undefined,
          [400, 'INVALID_ARGUMENT', invalid('field user.metadata.resource_version must be not set')],
        ],
        [
          { metadata: { annotations: { 'b d': '', large: 'x'.repeat(262_140) } } },
          undefined,
          [
            400,
            'INVALID_ARGUMENT',
            invalid("annotations from field 'user.metadata.annotations' are larger than the limit of 256kb"),
          ],
        ],
        [
          { metadata: { annotations: { fine: '', 'b d': 'x' } } },
          undefined,
          [400, 'INVALID_ARGUMENT', invalid("Key name segment 'b d' has invalid syntax")],
        ],
        [
          { metadata: { annotations: { fine: '' } } },
          undefined,
          [400, 'INVALID_ARGUMENT', invalid("The value of an annotation is empty for key: 'fine'")],
        ],
        [{ metadata: { annotations: { fine: 'x' } } }, undefined, [400, 'INVALID_ARGUMENT', invalid(badParty)]],
        [{ primaryParty: 'p' }, undefined, [400, 'INVALID_ARGUMENT', invalid(badParty)]],
        [{}, [right('CanExecuteAs', 'p'), {}], [400, 'INVALID_ARGUMENT', invalid(unknownKind)]],
        [{}, [{ kind: { Empty: {} } }], [400, 'INVALID_ARGUMENT', invalid(unknownKind)]],
        [{}, [right('CanActAs', '')], [400, 'INVALID_ARGUMENT', invalid('Daml-LF Party is empty')]],
        [{}, fourRights, [400, 'INVALID_ARGUMENT', unknownProvider('nowhere')]],
        [
          { identityProviderId: '' },
          undefined,
          [409, 'USER_ALREADY_EXISTS', 'creating user failed, as user "participant_admin" already exists'],
        ],
        [
          { id: 'alice' },
          undefined,
          [400, 'TOO_MANY_USER_RIGHTS', 'creating user failed, as user "alice" would have too many rights.'],
        ],
      ]
      for (const [mended, rights = request.rights, want] of rows) {
        request = { user: { ...request.user, ...mended }, rights }
        assert.deepEqual(refusalOf(await node.call('POST', '/v2/users', { body: request })), want)
      }
      assert.deepEqual(idsOf(await node.call('GET', '/v2/users')), ['participant_admin'], 'no refusal left anything')
      const threeRights = [...fourRights.slice(1), fourRights[1]!]
      assert.equal((await create(node, request.user, threeRights)).status, 200, 'duplicates count once')
    })

    test('are updated only by a valid request, checked in order', async () => {
      await using node = await startTestNode({ store })
      await create(node, { id: 'alice', metadata: { annotations: { old: 'x'.repeat(200_000) } } })
      await create(node, { id: 'bob' })
      const before = (await get(node, 'alice')).json
      const large = 'x'.repeat(200_000)
      let request: Record<string, unknown> = {
        primaryParty: 'a%b',
        identityProviderId: 'a%b',
        isDeactivated: true,
        metadata: { resourceVersion: 'one', annotations: { 'b d': '', large: 'x'.repeat(262_140) } },
      }
      let paths: string[] | undefined
      const rows: [mended: object, paths: string[] | undefined, want: Refusal][] = [
        [{}, undefined, [400, 'INVALID_TOKEN', badToken(`identity_provider_id: ${badLedgerString}`)]],
        [{ identityProviderId: 'nowhere' }, undefined, [400, 'MISSING_FIELD', missing('update_mask')]],
        [{}, [], [400, 'INVALID_ARGUMENT', invalid(badParty)]],
        [
          { primaryParty: '' },
          undefined,
          [400, 'INVALID_FIELD', badField('user.metadata.resource_version: Invalid resource version number')],
        ],
        [
          { metadata: { resourceVersion: '9223372036854775808', annotations: { 'b d': '' } } },
          undefined,
          [400, 'INVALID_FIELD', badField('user.metadata.resource_version: Invalid resource version number')],
        ],
        [
          { metadata: { resourceVersion: '7', annotations: { 'b d': '', large: 'x'.repeat(262_140) } } },
          undefined,
          [
            400,
            'INVALID_ARGUMENT',
            invalid("annotations from field 'user.metadata.annotations' are larger than the limit of 256kb"),
          ],
        ],
        [
          { metadata: { resourceVersion: '7', annotations: { 'b d': '' } } },
          undefined,
          [400, 'INVALID_ARGUMENT', invalid("Key name segment 'b d' has invalid syntax")],
        ],
        [
          { metadata: { resourceVersion: '7', annotations: { large } } },
          undefined,
          [400, 'INVALID_USER_UPDATE_REQUEST', badUpdate('The update mask contains no entries')],
        ],
        [{}, ['metadata.annotations'], [400, 'INVALID_ARGUMENT', unknownProvider('nowhere')]],
        [
          { identityProviderId: '' },
          undefined,
          [
            409,
            'CONCURRENT_USER_UPDATE_DETECTED',
            "Update operation for user 'alice' failed due to a concurrent update to the same user",
          ],
        ],
        [
          { metadata: { resourceVersion: '0', annotations: { large } } },
          undefined,
          [400, 'MAX_USER_ANNOTATIONS_SIZE_EXCEEDED', "Maximum annotations size for user 'alice' has been exceeded"],
        ],
      ]
      for (const [mended, rowPaths, want] of rows) {
        request = { ...request, ...mended }
        paths = rowPaths ?? paths
        assert.deepEqual(refusalOf(await patch(node, request, paths)), want)
      }
      assert.deepEqual((await get(node, 'alice')).json, before, 'no refusal changed anything')
      const unknown = await patch(node, { metadata: { resourceVersion: '7' } }, ['is_deactivated'], 'nobody')
      assert.deepEqual(refusalOf(unknown), [404, 'USER_NOT_FOUND', 'updating user failed for unknown user "nobody"'])
      const badId = await patch(node, {}, undefined, 'a b')
      assert.deepEqual(refusalOf(badId), [400, 'INVALID_FIELD', badField(`user.id: ${badUserId('a b')}`)])
    })

    test('are updated by mask: fields outside it stay', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      const metadata = (annotations: object) => ({ metadata: { annotations } })
      const set = { primaryParty: 'r', primaryPartyAuthentication: true, isDeactivated: true }
      const rows: [changes: object, paths: string[], want: Partial<UserJson>][] = [
        [{ primaryParty: 'p' }, ['primary_party'], { primaryParty: 'p' }],
        [{ primaryParty: 'q', isDeactivated: true }, ['is_deactivated'], { isDeactivated: true }],
        [{ primaryParty: 'q' }, ['is_deactivated', 'primary_party'], { isDeactivated: false, primaryParty: 'q' }],
        [{ primaryParty: '' }, ['.'], {}], // The root changes only fields that are not at their default …
        [set, ['..'], set],
        [{}, ['primary_party'], { primaryParty: '' }], // … and a path that names the field always changes it.
        [{}, ['primary_party_authentication'], { primaryPartyAuthentication: false }],
        [{}, ['is_deactivated.'], { isDeactivated: false }], // A trailing dot is ignored.
        [{ primaryPartyAuthentication: true }, ['primary_party'], {}], // A longer name is another field.
        [metadata({ a: '1' }), ['metadata'], { metadata: { resourceVersion: '', annotations: { a: '1' } } }],
        [metadata({ b: '2' }), ['metadata.resource_version'], {}],
        [metadata({ a: '9' }), ['id', 'identity_provider_id'], {}],
        [metadata({}), ['metadata.annotations'], {}],
        [
          metadata({ b: '2' }),
          ['metadata', 'metadata.annotations'],
          { metadata: { resourceVersion: '', annotations: { a: '1', b: '2' } } },
        ],
        [metadata({ a: '' }), ['.'], { metadata: { resourceVersion: '', annotations: { b: '2' } } }],
      ]
      let expected = alice
      for (const [index, [changes, paths, want]] of rows.entries()) {
        const { annotations } = want.metadata ?? expected.metadata
        expected = { ...expected, ...want, metadata: { resourceVersion: String(index + 1), annotations } }
        assert.deepEqual((await patch(node, changes, paths)).json, { user: expected }, JSON.stringify([changes, paths]))
      }
      assert.deepEqual((await get(node, 'alice')).json, { user: expected })
    })

    test('have no other fields that a mask can name', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      const long = 'x'.repeat(54)
      const unknown = (path: string) => `The update path: '${path}' points to an unknown field.`
      const rows: [paths: string[], reason: string][] = [
        [[], 'The update mask contains no entries'],
        [['isDeactivated'], unknown('isDeactivated')],
        [[''], unknown('')],
        [[' is_deactivated'], unknown(' is_deactivated')],
        [['is_deactivated', 'is'], unknown('is')],
        [['metadata..annotations'], unknown('metadata..annotations')],
        [['.metadata'], unknown('.metadata')],
        [['metadata.annotations.key'], unknown('metadata.annotations.key')],
        [['metadata.annotations!merge'], unknown('metadata.annotations!merge')],
        [['primary_party!replace'], unknown('primary_party!replace')],
        [[long.slice(1)], unknown(long.slice(1))],
        [[long], unknown(`${long.slice(0, 50)}...`)],
        [['id', 'is_deactivated', 'id'], "The update path: 'id' is duplicated."],
        [['id', 'id', 'nothing'], unknown('nothing')], // Unknown fields are reported first.
        [['metadata', 'metadata.'], "The update path: 'metadata.' is duplicated."],
      ]
      for (const [paths, reason] of rows) {
        const answer = await patch(node, { isDeactivated: true }, paths)
        assert.deepEqual(refusalOf(answer), [400, 'INVALID_USER_UPDATE_REQUEST', badUpdate(reason)])
      }
      const noPaths = await node.call('PATCH', '/v2/users/alice', { body: { user: { id: 'alice' }, updateMask: {} } })
      assert.equal(noPaths.json.cause, badUpdate('The update mask contains no entries'))
      const nullMask = await node.call('PATCH', '/v2/users/alice', {
        body: { user: { id: 'alice' }, updateMask: null },
      })
      assert.equal(nullMask.json.cause, missing('update_mask'))
      assert.deepEqual((await get(node, 'alice')).json, { user: alice })
    })

    test('are annotated under keys like those of Kubernetes', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      const tooManySlashes = (key: string) => `Key '${key}' contains more than one forward slash ('/') character`
      const badName = (name: string) => `Key name segment '${name}' has invalid syntax`
      const badPrefix = (prefix: string) => `Key prefix segment '${prefix}' has invalid syntax`
      const longPrefix = `${'x'.repeat(126)}.${'x'.repeat(127)}`
      const rows: [key: string, problem: string | undefined][] = [
        ['a', undefined],
        ['A.b-c_d9', undefined],
        ['x'.repeat(63), undefined],
        ['x'.repeat(64), `Key name segment '${'x'.repeat(50)}...' exceeds maximum length of 63 characters`],
        ['', badName('')],
        ['-a', badName('-a')],
        ['a-', badName('a-')],
        ['.a', badName('.a')],
        ['a_', badName('a_')],
        ['a b', badName('a b')],
        ['é', badName('é')],
        ['_', badName('_')],
        ['__proto__', badName('__proto__')],
        ['constructor', undefined],
        [`${'x'.repeat(52)}!`, badName(`${'x'.repeat(52)}!`)],
        [`${'x'.repeat(53)}!`, badName(`${'x'.repeat(50)}...`)],
        ['example.com/a', undefined],
        ['a/', undefined], // Nothing follows the slash, so the name is "a".
        ['a-b.c-d/e', undefined],
        [`${longPrefix.slice(1)}/a`, undefined],
        [
          `${longPrefix}/a`,
          `Key prefix segment '${longPrefix.slice(0, 50)}...' exceeds maximum length of 253 characters`,
        ],
        ['/a', badPrefix('')],
        ['a_b/c', badPrefix('a_b')],
        ['-a/c', badPrefix('-a')],
        ['a-/c', badPrefix('a-')],
        ['.a/c', badPrefix('.a')],
        ['a..b/c', badPrefix('a..b')],
        ['a_b/c!', badPrefix('a_b')], // The prefix is checked first.
        ['a/b/c', tooManySlashes('a/b/c')],
        ['/', tooManySlashes('/')],
        ['a//c', tooManySlashes('a//c')],
      ]
      for (const [key, problem] of rows) {
        const answer = await annotate(node, { [key]: 'value' })
        if (problem === undefined) assert.equal(answer.json.user?.metadata.annotations[key], 'value', key)
        else assert.deepEqual(refusalOf(answer), [400, 'INVALID_ARGUMENT', invalid(problem)])
      }
      const accepted = rows.filter(([, problem]) => problem === undefined).map(([key]) => key)
      const { annotations } = (await get(node, 'alice')).json.user.metadata
      assert.deepEqual(Object.keys(annotations).sort(), accepted.sort())
    })

    test('keep annotations that an update does not name, and drop those it empties', async () => {
      await using node = await startTestNode({ store })
      await create(node, { id: 'alice', metadata: { annotations: { a: '1', b: '2' } } })
      const rows: [changes: Record<string, string>, want: Record<string, string>][] = [
        [{ c: '3' }, { a: '1', b: '2', c: '3' }],
        [{ a: 'Grüße 🌍' }, { a: 'Grüße 🌍', b: '2', c: '3' }],
        [
          { b: '', d: '4' },
          { a: 'Grüße 🌍', c: '3', d: '4' },
        ],
        [{ never: '' }, { a: 'Grüße 🌍', c: '3', d: '4' }],
        [{ a: '', c: '', d: '' }, {}],
      ]
      for (const [changes, want] of rows) {
        assert.deepEqual((await annotate(node, changes)).json.user.metadata.annotations, want)
        assert.deepEqual((await get(node, 'alice')).json.user.metadata.annotations, want)
      }
    })

    test('carry at most 256 kB of annotations, counted in bytes of keys and values', async () => {
      await using node = await startTestNode({ store })
      const full = 262_144
      const tooLarge = [
        400,
        'INVALID_ARGUMENT',
        invalid("annotations from field 'user.metadata.annotations' are larger than the limit of 256kb"),
      ]
      const exceeded = [
        400,
        'MAX_USER_ANNOTATIONS_SIZE_EXCEEDED',
        "Maximum annotations size for user 'alice' has been exceeded",
      ]
      const withNote = (annotations: object) => ({ id: 'alice', metadata: { annotations } })
      assert.deepEqual(refusalOf(await create(node, withNote({ note: 'x'.repeat(full - 3) }))), tooLarge)
      assert.deepEqual(refusalOf(await create(node, withNote({ note: 'é'.repeat(full / 2 - 1) }))), tooLarge)
      assert.equal((await create(node, withNote({ note: 'é'.repeat(full / 2 - 2) }))).status, 200)
      assert.deepEqual(refusalOf(await annotate(node, { a: 'x'.repeat(full) })), tooLarge)
      assert.deepEqual(refusalOf(await annotate(node, { a: '1' })), exceeded)
      assert.equal((await annotate(node, { a: '', note: 'x'.repeat(full - 4) })).status, 200, 'deletions weigh nothing')
      assert.equal((await annotate(node, { note: '', a: 'x'.repeat(full - 1) })).status, 200)
    })

    test('change at most once per resource version', async () => {
      await using node = await startTestNode({ store })
      await create(node)
      const at = (resourceVersion: string) => patch(node, { metadata: { resourceVersion } }, ['primary_party'])
      assert.equal((await at('0')).json.user.metadata.resourceVersion, '1')
      assert.equal((await at('')).json.user.metadata.resourceVersion, '2', 'an update without effect counts')
      assert.equal((await at('+2')).json.user.metadata.resourceVersion, '3')
      for (const stale of ['2', '4', '-1', '9223372036854775807', '-9223372036854775808']) {
        const { status, json } = await at(stale)
        assert.deepEqual(
          [status, json.code, json.retryInfo, json.resources, json.context.definite_answer],
          [409, 'CONCURRENT_USER_UPDATE_DETECTED', '1 second', [['ErrorResource(USER)', 'alice']], undefined],
        )
      }
      for (const bad of ['x', ' 3', '3.0', '3 ', '0x3', '--3', '9223372036854775808', '-9223372036854775809']) {
        assert.equal((await at(bad)).json.code, 'INVALID_FIELD', bad)
      }
      const statuses = (await Promise.all(Array.from({ length: 8 }, () => at('3')))).map(({ status }) => status)
      assert.deepEqual(
        statuses.sort((a, b) => a - b),
        [200, ...Array(7).fill(409)],
      )
      await Promise.all(Array.from({ length: 8 }, (_, index) => annotate(node, { [`key${index}`]: 'x' })))
      const { metadata } = (await get(node, 'alice')).json.user
      assert.equal(metadata.resourceVersion, '12')
      assert.equal(Object.keys(metadata.annotations).length, 8, 'updates without a version lose nothing')
    })

    test('are listed on pages that end early when they have many bytes', async () => {
      await using node = await startTestNode({ store, settings: { limits: { readBytesMax: 40_000 } } })
      const annotations = { text: 'x'.repeat(2_000) }
      for (const id of ['a', 'b', 'c', 'd', 'e']) {
        await node.call('POST', '/v2/users', { body: { user: { id, metadata: { resourceVersion: '', annotations } } } })
        const body = { partyIdHint: id, localMetadata: { resourceVersion: '', annotations } }
        await node.call('POST', '/v2/parties', { body })
      }
      for (const [path, list] of [
        ['/v2/users', 'users'],
        ['/v2/parties', 'partyDetails'],
      ] as const) {
        const lengths: number[] = []
        let pageToken = ''
        do {
          const { json, text } = await node.call('GET', `${path}?pageSize=100&pageToken=${pageToken}`)
          lengths.push(json[list].length)
          assert.ok(text.length < 10_000, path)
          pageToken = json.nextPageToken
        } while (pageToken !== '')
        assert.ok(lengths.length >= 3, `${path}: ${lengths}`)
        const whole = await node.call('GET', `${path}?pageSize=10`)
        assert.equal(
          lengths.reduce((sum, length) => sum + length, 0),
          whole.json[list].length,
          path,
        )
      }
    })

    test('are listed page by page, by the bytes of their ids', async () => {
      await using node = await startTestNode({ store })
      for (const id of ['b', 'A', 'a', '_', 'B']) await create(node, { id })
      const list = (query: string) => node.call('GET', `/v2/users?${query}`)
      const rows: [query: string, ids: string[], nextPageToken: string][] = [
        ['pageSize=2', ['A', 'B'], 'CgFC'],
        ['pageSize=2&pageToken=CgFC', ['_', 'a'], 'CgFh'],
        ['pageSize=2&pageToken=CgFh', ['b', 'participant_admin'], 'ChFwYXJ0aWNpcGFudF9hZG1pbg=='], // A full last page …
        ['pageSize=2&pageToken=ChFwYXJ0aWNpcGFudF9hZG1pbg==', [], ''], // … is followed by an empty one.
        ['pageSize=2&pageToken=ChFwYXJ0aWNpcGFudF9hZG1pbg', [], ''], // Padding may be omitted.
        ['pageSize=3&pageToken=CgFh', ['b', 'participant_admin'], ''],
        ['pageSize=2&pageToken=CgJCQg==', ['_', 'a'], 'CgFh'], // After "BB", which is not a user.
        ['', ['A', 'B', '_', 'a', 'b', 'participant_admin'], ''],
        ['pageSize=0', ['A', 'B', '_', 'a', 'b', 'participant_admin'], ''],
        ['pageSize=2147483647&pageToken=CgFh', ['b', 'participant_admin'], ''], // A size above the limit is no error.
      ]
      for (const [query, ids, nextPageToken] of rows) {
        const answer = await list(query)
        assert.deepEqual([idsOf(answer), answer.json.nextPageToken], [ids, nextPageToken], query)
      }
      const badBytes = ['\n', '\n\u0000', '\n\u0002a', '\n\u0001ab', '\n\u0003a b', '\u0012\u0001a', 'a']
      const badTokens = badBytes.map((bytes) => Buffer.from(bytes).toString('base64url'))
      for (const token of [...badTokens, '*', 'CgFC CgFC', '=']) {
        const answer = await list(`pageToken=${encodeURIComponent(token)}&pageSize=-1`)
        assert.deepEqual(refusalOf(answer), [400, 'INVALID_ARGUMENT', invalid('Invalid page token')], token)
      }
      const refusals: [query: string, want: unknown[]][] = [
        ['pageSize=-1', [400, 'INVALID_ARGUMENT', invalid('Max page size must be non-negative')]],
        ['pageSize=x', [400, 'Invalid value for: query parameter pageSize']],
        ['pageSize=2147483648', [400, 'Invalid value for: query parameter pageSize']],
        ['pageSize=1.5', [400, 'Invalid value for: query parameter pageSize']],
      ]
      for (const [query, want] of refusals) assert.deepEqual(refusalOf(await list(query)), want)
    })

    test('are listed only with a complete page token', async () => {
      await using node = await startTestNode({ store })
      for (const token of ['CgFC=', 'CgFC==', 'CgFCA', 'CgJCQg=']) {
        const answer = await node.call('GET', `/v2/users?pageToken=${token}`)
        assert.deepEqual(refusalOf(answer), [400, 'INVALID_ARGUMENT', invalid('Invalid page token')], token)
      }
    })

    test('have page tokens that are safe in URLs', async () => {
      await using node = await startTestNode({ store })
      await create(node, { id: '~' })
      assert.equal((await node.call('GET', '/v2/users?pageSize=2')).json.nextPageToken, 'CgF-')
      assert.deepEqual((await node.call('GET', '/v2/users?pageToken=CgF-')).json, { users: [], nextPageToken: '' })
    })

    test('continue a page after a deleted user', async () => {
      await using node = await startTestNode({ store })
      for (const id of ['a', 'b', 'c']) await create(node, { id })
      const { nextPageToken } = (await node.call('GET', '/v2/users?pageSize=2')).json
      await node.call('DELETE', '/v2/users/b')
      const next = await node.call('GET', `/v2/users?pageToken=${nextPageToken}`)
      assert.deepEqual(idsOf(next), ['c', 'participant_admin'])
    })

    test('belong to one identity provider, and move to another', async () => {
      await using node = await startTestNode({ store })
      await createIdentityProvider(node)
      await createIdentityProvider(node, 'other')
      await create(node)
      await create(node, { id: 'carol', identityProviderId: 'acme' })
      assert.deepEqual(idsOf(await node.call('GET', '/v2/users')), ['alice', 'participant_admin'])
      assert.equal((await get(node, 'carol', 'acme')).json.user.identityProviderId, 'acme')

      const foreign = (operation: string) =>
        denied(`${operation} failed: User carol belongs to another Identity Provider`)
      const strangers: [call: () => Promise<Answer>, want: unknown[]][] = [
        [() => get(node, 'carol'), foreign('getting user')],
        [() => get(node, 'carol', 'other'), foreign('getting user')],
        [() => get(node, 'carol', 'nowhere'), foreign('getting user')],
        [() => create(node, { id: 'carol' }), foreign('creating user')],
        [() => create(node, { id: 'carol', identityProviderId: 'other' }), foreign('creating user')],
        [() => patch(node, {}, ['id'], 'carol'), foreign('updating user')],
        [() => node.call('DELETE', '/v2/users/carol'), foreign('deleting user')],
        [() => node.call('GET', '/v2/users/carol/rights'), foreign('list user rights')],
        [() => changeRights(node, 'POST', [], 'carol'), foreign('grant user rights')],
        [() => changeRights(node, 'PATCH', [], 'carol'), foreign('revoke user rights')],
        [() => move(node, '', 'acme', 'carol'), foreign('update user identity provider')],
        [() => move(node, 'other', 'acme', 'carol'), foreign('update user identity provider')],
      ]
      for (const [call, want] of strangers) assert.deepEqual(refusalOf(await call()), want)
      const same = await create(node, { id: 'carol', identityProviderId: 'acme' })
      assert.equal(same.json.code, 'USER_ALREADY_EXISTS')
      const granted = await changeRights(node, 'POST', [right('CanActAs', 'p')], 'carol', {
        identityProviderId: 'acme',
      })
      assert.equal(granted.status, 200)

      const moved = await move(node, '', 'acme')
      assert.deepEqual([moved.status, moved.text], [200, '{}'])
      assert.deepEqual(refusalOf(await get(node, 'alice')).slice(0, 2), [403, 'NA'])
      assert.deepEqual((await get(node, 'alice', 'acme')).json, { user: { ...alice, identityProviderId: 'acme' } })
      assert.equal((await move(node, 'acme', 'acme')).status, 200)
      assert.equal((await move(node, 'acme', 'other')).status, 200)
      assert.equal((await move(node, 'other', '')).status, 200)
      assert.deepEqual((await get(node, 'alice')).json, { user: alice }, 'a move is not an update')
      assert.equal((await move(node, 'acme', '', 'carol')).status, 200)
      assert.deepEqual(await rightsOf(node, 'carol'), [right('CanActAs', 'p')], 'rights come along')
    })

    test('are refused with the text of each operation', async () => {
      await using node = await startTestNode({ store, settings: { limits: { userRightsMax: 2 } } })
      await createIdentityProvider(node)
      await create(node)
      const malformed = invalid(`Malformed user-id: ${badUserId('a b')}`)
      const mismatch = (path: string, body: string) => invalid(`${path} does not match user in body: ${body} `)
      const badIdp = (field: string) => badField(`${field}: ${badLedgerString}`)
      const body = (value: object) => ({ body: value })
      const three = ['p', 'q', 'r'].map((party) => right('CanActAs', party))
      const rows: [call: () => Promise<Answer>, ...want: unknown[]][] = [
        [() => get(node, 'a b'), 400, 'INVALID_ARGUMENT', malformed],
        [() => get(node, 'nobody'), 404, 'USER_NOT_FOUND', 'getting user failed for unknown user "nobody"'],
        [() => get(node, 'nobody', 'nowhere'), 404, 'USER_NOT_FOUND', 'getting user failed for unknown user "nobody"'],
        [
          () => get(node, 'nobody', 'a%25b'),
          400,
          'INVALID_TOKEN',
          badToken(`identity_provider_id: ${badLedgerString}`),
        ],
        [() => node.call('DELETE', '/v2/users/a%20b'), 400, 'INVALID_ARGUMENT', malformed],
        [
          () => node.call('DELETE', '/v2/users/nobody'),
          404,
          'USER_NOT_FOUND',
          'deleting user failed for unknown user "nobody"',
        ],
        [() => node.call('GET', '/v2/users/a%20b/rights'), 400, 'INVALID_ARGUMENT', malformed],
        [
          () => node.call('GET', '/v2/users/nobody/rights'),
          404,
          'USER_NOT_FOUND',
          'list user rights failed for unknown user "nobody"',
        ],
        [
          () => node.call('PATCH', '/v2/users/alice', body({ updateMask: { paths: ['id'] } })),
          400,
          'INVALID_ARGUMENT',
          mismatch('alice', 'None'),
        ],
        [
          () => node.call('PATCH', '/v2/users/alice', body({ user: {} })),
          400,
          'INVALID_ARGUMENT',
          mismatch('alice', 'Some()'),
        ],
        [
          () => node.call('PATCH', '/v2/users/alice', body({ user: { id: 'bob' } })),
          400,
          'INVALID_ARGUMENT',
          mismatch('alice', 'Some(bob)'),
        ],
        [
          () => node.call('POST', '/v2/users/alice/rights', body({})),
          400,
          'INVALID_ARGUMENT',
          mismatch('alice', 'Some()'),
        ],
        [
          () => node.call('PATCH', '/v2/users/alice/rights', body({ userId: 'bob' })),
          400,
          'INVALID_ARGUMENT',
          mismatch('alice', 'Some(bob)'),
        ],
        [
          () => node.call('PATCH', '/v2/users/alice/identity-provider-id', body({ userId: 'bob' })),
          400,
          'INVALID_ARGUMENT',
          mismatch('alice', 'Some(bob)'),
        ],
        [() => changeRights(node, 'POST', [{}], 'a b'), 400, 'INVALID_FIELD', badField(`user_id: ${badUserId('a b')}`)],
        [
          () => changeRights(node, 'PATCH', [{}], 'a b'),
          400,
          'INVALID_FIELD',
          badField(`user_id: ${badUserId('a b')}`),
        ],
        [() => changeRights(node, 'POST', [{}], 'nobody'), 400, 'INVALID_ARGUMENT', invalid(unknownKind)],
        [() => changeRights(node, 'PATCH', [{}], 'nobody'), 400, 'INVALID_ARGUMENT', invalid(unknownKind)],
        [
          () => changeRights(node, 'POST', [right('CanActAs', 'a%b')], 'nobody'),
          400,
          'INVALID_ARGUMENT',
          invalid(badParty),
        ],
        [
          () => changeRights(node, 'PATCH', [right('CanReadAs', 'x'.repeat(256))], 'nobody'),
          400,
          'INVALID_ARGUMENT',
          invalid('Daml-LF Party is too long (max: 255)'),
        ],
        [
          () => changeRights(node, 'POST', [{}], 'a b', { identityProviderId: 'a%b' }),
          400,
          'INVALID_TOKEN',
          badToken(`identity_provider_id: ${badLedgerString}`),
        ],
        [
          () => changeRights(node, 'POST', three, 'nobody', { identityProviderId: 'nowhere' }),
          404,
          'USER_NOT_FOUND',
          'grant user rights failed for unknown user "nobody"',
        ],
        [
          () => changeRights(node, 'PATCH', three, 'nobody'),
          404,
          'USER_NOT_FOUND',
          'revoke user rights failed for unknown user "nobody"',
        ],
        [
          () => changeRights(node, 'POST', three),
          400,
          'TOO_MANY_USER_RIGHTS',
          'grant user rights failed, as user "alice" would have too many rights.',
        ],
        [() => move(node, 'a%b', 'a%b', 'a b'), 400, 'INVALID_FIELD', badField(`user_id: ${badUserId('a b')}`)],
        [() => move(node, 'a%b', 'a%b', 'nobody'), 400, 'INVALID_FIELD', badIdp('source_identity_provider_id')],
        [() => move(node, 'from', 'a%b', 'nobody'), 400, 'INVALID_FIELD', badIdp('target_identity_provider_id')],
        [() => move(node, 'from', 'to', 'nobody'), 400, 'INVALID_ARGUMENT', unknownProvider('from')],
        [() => move(node, 'acme', 'to', 'nobody'), 400, 'INVALID_ARGUMENT', unknownProvider('to')],
        [
          () => move(node, '', 'acme', 'nobody'),
          404,
          'USER_NOT_FOUND',
          'update user identity provider failed for unknown user "nobody"',
        ],
      ]
      for (const [call, ...want] of rows) assert.deepEqual(refusalOf(await call()), want)
      assert.deepEqual((await get(node, 'alice')).json, { user: alice })
      assert.deepEqual(await rightsOf(node, 'alice'), [], 'too many rights are none')
    })

    test('are refused as plain text when the request cannot be decoded', async () => {
      await using node = await startTestNode({ store })
      const body = (problem: string) => `Invalid value for: body (${problem})`
      const wrong = (value: string, type: string, path: string) =>
        body(`Got value '${value}' with wrong type, expecting ${type} at '${path}'`)
      const rows: [request: unknown, want: string][] = [
        [{ user: { id: null } }, wrong('null', 'string', 'user.id')],
        [{ user: { id: 1 } }, wrong('1', 'string', 'user.id')],
        [{ user: { isDeactivated: 'yes' } }, wrong('"yes"', "'true' or 'false'", 'user.isDeactivated')],
        [
          { user: { metadata: [] } },
          "Invalid value for: body (Missing required field at 'user.metadata.resourceVersion')",
        ],
        [{ user: { metadata: { annotations: { a: 1 } } } }, wrong('1', 'string', 'user.metadata.annotations.a')],
        [{ rights: {} }, wrong('{}', 'array', 'rights')],
        [
          { rights: [{ kind: null }] },
          "Invalid value for: body (JSON decoding to CNil should never happen at 'rights[0].kind')",
        ],
        [
          { rights: [right('ParticipantAdmin'), { kind: { CanDoAnything: {} } }] },
          body("JSON decoding to CNil should never happen at 'rights[1].kind'"),
        ],
        [
          { rights: [{ kind: { ParticipantAdmin: {} } }] },
          body("Missing required field at 'rights[0].kind.ParticipantAdmin.value'"),
        ],
      ]
      for (const [request, want] of rows) {
        assert.deepEqual(refusalOf(await node.call('POST', '/v2/users', { body: request })), [400, want])
      }
      const relaxed = await create(node, { id: 'alice', metadata: null, unknownField: 1 }, [
        { kind: { CanActAs: { value: { party: 'p' } }, ParticipantAdmin: { value: {} } } },
      ])
      assert.deepEqual(relaxed.json, { user: alice })
      assert.deepEqual(await rightsOf(node, 'alice'), [right('CanActAs', 'p')], 'the first kind by name counts')
    })

    test('are refused for a bad path or body even without a token', async () => {
      await using node = await startTestNode({ store })
      const token = null
      const traceId = '0af7651916cd43dd8448eb211c80319c'
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
      assert.deepEqual((await node.call('DELETE', '/v2/users/a%20b', { token, headers })).json, {
        code: 'INVALID_ARGUMENT',
        cause: invalid(`Malformed user-id: ${badUserId('a b')}`),
        correlationId: traceId,
        traceId,
        context: {},
        resources: [],
        errorCategory: 8,
        grpcCodeValue: 3,
        retryInfo: null,
        definiteAnswer: false,
      })
      const rows: [method: string, path: string, body: object | undefined, status: number][] = [
        ['GET', '/v2/users/a%20b', undefined, 400],
        ['GET', '/v2/users/a%20b/rights', undefined, 400],
        ['PATCH', '/v2/users/alice', { user: { id: 'bob' } }, 400],
        ['POST', '/v2/users/alice/rights', { userId: 'bob' }, 400],
        ['PATCH', '/v2/users/alice/rights', { userId: 'bob' }, 400],
        ['PATCH', '/v2/users/alice/identity-provider-id', { userId: 'bob' }, 400],
        ['GET', '/v2/users?pageSize=x', undefined, 400],
        ['POST', '/v2/users', { user: 1 }, 400],
        ['POST', '/v2/users', {}, 401],
        ['GET', '/v2/users?pageSize=-1', undefined, 401],
        ['PATCH', '/v2/users/alice', { user: { id: 'alice' } }, 401],
        ['POST', '/v2/users/a%20b/rights', { userId: 'a b' }, 401],
      ]
      for (const [method, path, body, status] of rows) {
        assert.equal((await node.call(method, path, { token, body })).status, status, `${method} ${path}`)
      }
    })

    test('appear in error resources, with the missing item in the context', async () => {
      await using node = await startTestNode({ store })
      const { json } = await get(node, 'nobody')
      assert.deepEqual(json, {
        code: 'USER_NOT_FOUND',
        cause: 'getting user failed for unknown user "nobody"',
        correlationId: null,
        traceId: json.traceId,
        context: { category: '11', tid: json.traceId, definite_answer: 'false', participant: "'participant'" },
        resources: [['ErrorResource(USER)', 'nobody']],
        errorCategory: 11,
        grpcCodeValue: 5,
        retryInfo: null,
        definiteAnswer: null,
      })
      assert.equal((await create(node, {})).json.context.field_name, 'id')
      const rows: [answer: Answer, definiteAnswer: string | undefined, category: number, grpc: number][] = [
        [await create(node, { id: 'participant_admin' }), 'false', 10, 6],
        [await patch(node, {}, [], 'participant_admin'), undefined, 8, 3],
      ]
      for (const [{ json }, definiteAnswer, category, grpc] of rows) {
        assert.deepEqual(json.resources, [['ErrorResource(USER)', 'participant_admin']])
        assert.deepEqual(
          [json.context.definite_answer, json.errorCategory, json.grpcCodeValue],
          [definiteAnswer, category, grpc],
        )
      }
    })

    test('cannot delete or deactivate themselves, nor give up being administrator', async () => {
      await using node = await startTestNode({ store })
      await create(node, { id: 'alice' }, [right('ParticipantAdmin'), right('IdentityProviderAdmin')])
      const token = await node.token('alice')
      const deactivate = (paths: string[]) => patch(node, { isDeactivated: true }, paths, 'alice', token)
      const revoke = (...rights: object[]) =>
        node.call('PATCH', '/v2/users/alice/rights', { token, body: { userId: 'alice', rights } })
      const selfDeactivate = 'Requesting user cannot self-deactivate'
      const rows: [call: () => Promise<Answer>, reason: string | undefined][] = [
        [() => node.call('DELETE', '/v2/users/alice', { token }), 'Requesting user cannot delete itself'],
        [() => deactivate(['is_deactivated']), selfDeactivate],
        [() => deactivate(['.']), selfDeactivate],
        [() => deactivate(['primary_party']), undefined],
        [() => patch(node, {}, ['is_deactivated'], 'alice', token), undefined],
        [
          () => revoke(right('CanActAs', 'p'), right('ParticipantAdmin')),
          'Requesting user cannot remove own admin rights',
        ],
        [() => revoke(right('IdentityProviderAdmin')), undefined],
      ]
      for (const [call, reason] of rows) {
        const answer = await call()
        if (reason === undefined) assert.equal(answer.status, 200)
        else assert.deepEqual(refusalOf(answer), [400, 'INVALID_ARGUMENT', invalid(reason)])
      }
      assert.deepEqual(await rightsOf(node, 'alice'), [right('ParticipantAdmin')])
      const byAnother = [
        await changeRights(node, 'PATCH', [right('ParticipantAdmin')]),
        await patch(node, { isDeactivated: true }, ['is_deactivated']),
        await node.call('DELETE', '/v2/users/alice'),
      ]
      assert.deepEqual(
        byAnother.map(({ status }) => status),
        [200, 200, 200],
      )
    })

    test('are unchanged after a restart', async () => {
      await using node = await startTestNode({ store })
      await createIdentityProvider(node)
      await create(node, { id: 'alice', primaryParty: 'p', metadata: { annotations: { a: 'Grüße' } } }, [
        right('CanActAs', 'p'),
        right('CanReadAsAnyParty'),
      ])
      await patch(node, { isDeactivated: true, primaryPartyAuthentication: true }, ['.'])
      await create(node, { id: 'carol', identityProviderId: 'acme' })
      await changeRights(node, 'POST', [right('IdentityProviderAdmin')], 'participant_admin')
      const state = async () => [
        (await node.call('GET', '/v2/users')).json,
        (await get(node, 'carol', 'acme')).json,
        await rightsOf(node, 'alice'),
        await rightsOf(node, 'participant_admin'),
      ]
      const before = await state()
      await node.restart()
      assert.deepEqual(await state(), before)
    })

    test('may lack participant_admin, which no restart restores', async () => {
      await using node = await startTestNode({ store })
      await create(node, { id: 'root' }, [right('ParticipantAdmin')])
      const token = await node.token('root')
      assert.equal((await node.call('DELETE', '/v2/users/participant_admin', { token })).status, 200)
      await node.restart()
      assert.deepEqual(idsOf(await node.call('GET', '/v2/users', { token })), ['root'])
      assert.equal((await node.call('GET', '/v2/users')).status, 403)
      await node.call('POST', '/v2/users', { token, body: { user: { id: 'participant_admin' } } })
      const rights = await node.call('GET', '/v2/users/participant_admin/rights', { token })
      assert.deepEqual(rights.json, { rights: [] }, 'the name alone gives no rights')
    })
  })
}
