// Parties over HTTP: every rule, the order of checks and the texts. Rights are tested in rights.test.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'

type PartyJson = {
  party: string
  isLocal: boolean
  localMetadata: { resourceVersion: string; annotations: Record<string, string> }
  identityProviderId: string
}

const right = (kind: string, party?: string) => ({ kind: { [kind]: { value: party === undefined ? {} : { party } } } })

const allocate = (node: TestNode, request: object = {}) => node.call('POST', '/v2/parties', { body: request })

/** The full party id for a hint. */
const idOf = (node: TestNode, hint: string) => `${hint}::${node.node.participantId.split('::')[1]}`

const get = (node: TestNode, party: string, query = '') =>
  node.call('GET', `/v2/parties/${encodeURIComponent(party)}?${query}`)

const list = (node: TestNode, query = '') => node.call('GET', `/v2/parties?${query}`)

const patch = (node: TestNode, party: string, changes: object, paths: string[] | undefined) =>
  node.call('PATCH', `/v2/parties/${encodeURIComponent(party)}`, {
    body: { partyDetails: { party, ...changes }, updateMask: paths && { paths } },
  })

const annotate = (node: TestNode, party: string, annotations: object) =>
  patch(node, party, { localMetadata: { annotations } }, ['local_metadata.annotations'])

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

const createUser = (node: TestNode, user: object, rights: object[] = []) =>
  node.call('POST', '/v2/users', { body: { user, rights } })

const rightsOf = async (node: TestNode, id: string) => (await node.call('GET', `/v2/users/${id}/rights`)).json.rights

/** The participant's own party, before its first change. */
const ownPartyOf = ({ node }: TestNode) => ({
  party: node.participantId,
  isLocal: true,
  localMetadata: { resourceVersion: '', annotations: {} },
  identityProviderId: '',
})

const partiesOf = ({ json }: Answer): string[] => json.partyDetails.map(({ party }: PartyJson) => party)
const hintsOf = (answer: Answer): string[] => partiesOf(answer).map((party) => party.split('::')[0]!)

const invalid = (reason: string) => `The submitted request has invalid arguments: ${reason}`
const missing = (field: string) => `The submitted command is missing a mandatory field: ${field}`
const badField = (reason: string) => `The submitted command has a field with invalid value: Invalid field ${reason}`
const badToken = (reason: string) => `The submitted token has a field with invalid value: Invalid field ${reason}`
const badParty = 'non expected character 0x25 in Daml-LF Party "a%b"'
const badLedgerString = 'non expected character 0x25 in Daml-LF Ledger String "a%b"'
const unknownProvider = (id: string) => invalid(`Provided identity_provider_id Id(${id}) has not been found.`)
const tooLarge = (field: string) => invalid(`annotations from field '${field}' are larger than the limit of 256kb`)

type Refusal = [status: number, code: string, cause: string]

for (const store of stores) {
  describe(`parties on ${store}`, () => {
    test("include the participant's own, hosted on every synchronizer, which acts like any other", async () => {
      await using node = await startTestNode({ store })
      const { participantId: party } = node.node
      assert.deepEqual((await list(node)).json, { partyDetails: [ownPartyOf(node)], nextPageToken: '' })
      assert.deepEqual((await get(node, party)).json, { partyDetails: [ownPartyOf(node)] })
      const place = `/v2/state/connected-synchronizers?party=${encodeURIComponent(party)}`
      const { connectedSynchronizers } = (await node.call('GET', place)).json
      assert.deepEqual(
        connectedSynchronizers.map((one: { permission: string }) => one.permission),
        ['PARTICIPANT_PERMISSION_SUBMISSION', 'PARTICIPANT_PERMISSION_SUBMISSION'],
      )
      const taken = await allocate(node, { partyIdHint: 'participant' })
      assert.match(taken.json.cause, /Party already exists: party participant::1220\w+\.\.\. is already allocated/)
      await createUser(node, { id: 'own' }, [{ kind: { CanActAs: { value: { party } } } }])
      const createArguments = { issuer: party, owner: party, amount: '1', currency: 'EUR', observers: [] }
      const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
      const body = { commandId: 'own', actAs: [party], commands }
      const submitted = await node.call('POST', '/v2/commands/submit-and-wait', {
        body,
        token: await node.token('own'),
      })
      assert.equal(submitted.status, 200, submitted.text)
      await node.restart()
      assert.deepEqual((await list(node)).json.partyDetails, [ownPartyOf(node)])
      const annotated = (await annotate(node, party, { a: '1' })).json.partyDetails
      assert.deepEqual(annotated.localMetadata, { resourceVersion: '1', annotations: { a: '1' } })
    })

    test('are allocated, with every key in order', async () => {
      await using node = await startTestNode({ store })
      const alice: PartyJson = {
        party: idOf(node, 'alice'),
        isLocal: true,
        localMetadata: { resourceVersion: '0', annotations: { 'example.com/team': 'Grüße' } },
        identityProviderId: '',
      }
      const { annotations } = alice.localMetadata
      const answer = await allocate(node, { partyIdHint: 'alice', localMetadata: { annotations } })
      assert.deepEqual([answer.status, answer.text], [200, JSON.stringify({ partyDetails: alice })])
      assert.deepEqual((await get(node, alice.party)).json, { partyDetails: [alice] })
      assert.deepEqual((await list(node)).json, { partyDetails: [alice, ownPartyOf(node)], nextPageToken: '' })
    })

    test("are called hint::namespace, all in the participant's namespace", async () => {
      await using node = await startTestNode({ store })
      const { participantId } = (await node.call('GET', '/v2/parties/participant-id')).json
      assert.match(participantId, /^participant::1220[0-9a-f]{64}$/)
      const namespace = participantId.split('::')[1]
      for (const hint of ['alice', 'a', '0', 'a:b', ':', 'Carol:-_ x', ' ', 'x'.repeat(185)]) {
        const answer = await allocate(node, { partyIdHint: hint })
        assert.equal(answer.json.partyDetails?.party, `${hint}::${namespace}`)
        assert.deepEqual(partiesOf(await get(node, `${hint}::${namespace}`)), [`${hint}::${namespace}`])
      }
      const random = await Promise.all([allocate(node), allocate(node, { partyIdHint: '' })])
      const [first, second] = random.map(({ json }) => json.partyDetails.party)
      assert.match(first, /^party-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}::1220/)
      assert.equal(first.split('::')[1], namespace)
      assert.notEqual(first, second)
    })

    test('are allocated only by a valid request, checked in order', async () => {
      await using node = await startTestNode({ store })
      await allocate(node, { partyIdHint: 'taken' })
      // Everything is wrong at first; each row fixes what the previous row was refused for.
      let request: object = {
        partyIdHint: 'a%b',
        localMetadata: { resourceVersion: '0', annotations: { 'b d': '', large: 'x'.repeat(262_140) } },
        identityProviderId: 'a%b',
        synchronizerId: 'nowhere',
        userId: 'a b',
      }
      const long = 'x'.repeat(186)
      const rows: [mended: object, want: Refusal][] = [
        [{}, [400, 'INVALID_TOKEN', badToken(`identity_provider_id: ${badLedgerString}`)]],
        [{ identityProviderId: 'nowhere' }, [400, 'INVALID_ARGUMENT', invalid(badParty)]],
        [{ partyIdHint: 'x'.repeat(256) }, [400, 'INVALID_ARGUMENT', invalid('Daml-LF Party is too long (max: 255)')]],
        [
          { partyIdHint: 'a::b' },
          [400, 'INVALID_ARGUMENT', invalid('field local_metadata.resource_version must be not set')],
        ],
        [
          { localMetadata: { annotations: { 'b d': '', large: 'x'.repeat(262_140) } } },
          [400, 'INVALID_ARGUMENT', tooLarge('local_metadata.annotations')],
        ],
        [
          { localMetadata: { annotations: { fine: '', 'b d': 'x' } } },
          [400, 'INVALID_ARGUMENT', invalid("Key name segment 'b d' has invalid syntax")],
        ],
        [
          { localMetadata: { annotations: { fine: '' } } },
          [400, 'INVALID_ARGUMENT', invalid("The value of an annotation is empty for key: 'fine'")],
        ],
        [
          { localMetadata: null },
          [
            400,
            'INVALID_FIELD',
            badField('synchronizer_id: Invalid unique identifier `nowhere` with missing namespace.'),
          ],
        ],
        [
          { synchronizerId: '::1220' },
          [
            400,
            'INVALID_FIELD',
            badField('synchronizer_id: Invalid unique identifier `::1220` with empty identifier.'),
          ],
        ],
        [
          { synchronizerId: '' },
          [
            400,
            'INVALID_FIELD',
            badField(`user_id: User ID "a b" does not match regex "[a-zA-Z0-9@^$.!\`\\-#+'~_|:\\(\\)]{1,128}"`),
          ],
        ],
        [
          { userId: 'nobody' },
          [400, 'INVALID_ARGUMENT', invalid('Invalid party ID: String contains reserved delimiter `::`.')],
        ],
        [
          { partyIdHint: long },
          [
            400,
            'INVALID_ARGUMENT',
            invalid(
              `Invalid party ID: The given string has a maximum length of 185 but a string of length 186 ('${long}.') was given`,
            ),
          ],
        ],
        [{ partyIdHint: 'taken' }, [400, 'INVALID_ARGUMENT', unknownProvider('nowhere')]],
        [
          { identityProviderId: '' },
          [404, 'USER_NOT_FOUND', 'checking user\'s existence failed for unknown user "nobody"'],
        ],
        [
          { userId: '' },
          [
            400,
            'INVALID_ARGUMENT',
            invalid(
              `Party already exists: party ${idOf(node, 'taken').slice(0, 19)}... is already allocated on this node`,
            ),
          ],
        ],
      ]
      for (const [mended, want] of rows) {
        request = { ...request, ...mended }
        assert.deepEqual(refusalOf(await allocate(node, request)), want)
      }
      assert.deepEqual(hintsOf(await list(node)), ['participant', 'taken'], 'no refusal left anything')
    })

    test('are allocated on a connected synchronizer, which is checked last', async () => {
      await using node = await startTestNode({ store })
      const rows: [request: object, want: Refusal][] = [
        [
          { partyIdHint: 'a::b' },
          [400, 'INVALID_ARGUMENT', invalid('Invalid party ID: String contains reserved delimiter `::`.')],
        ],
        [{ identityProviderId: 'nowhere' }, [400, 'INVALID_ARGUMENT', unknownProvider('nowhere')]],
        [{ userId: 'nobody' }, [404, 'USER_NOT_FOUND', 'checking user\'s existence failed for unknown user "nobody"']],
        [
          {},
          [400, 'NOT_CONNECTED_TO_SYNCHRONIZER', 'This participant is not connected to synchronizer nowhere::1220.'],
        ],
      ]
      for (const [request, want] of rows) {
        assert.deepEqual(refusalOf(await allocate(node, { synchronizerId: 'nowhere::1220', ...request })), want)
      }
    })

    test('are allocated once', async () => {
      await using node = await startTestNode({ store })
      const answers = await Promise.all(Array.from({ length: 5 }, () => allocate(node, { partyIdHint: 'alice' })))
      const namespace = idOf(node, '').slice(2)
      const exists = `Party already exists: party alice::${namespace.slice(0, 12)}... is already allocated on this node`
      const refused = answers.filter(({ status }) => status !== 200)
      assert.equal(refused.length, 4)
      for (const answer of refused) {
        assert.deepEqual(refusalOf(answer), [400, 'INVALID_ARGUMENT', invalid(exists)])
        assert.deepEqual([answer.json.errorCategory, answer.json.grpcCodeValue], [8, 3])
      }
      await node.restart()
      assert.equal((await allocate(node, { partyIdHint: 'alice' })).json.cause, invalid(exists))
      assert.equal((await allocate(node, { partyIdHint: 'Alice' })).status, 200, 'case matters')
    })

    test('grant CanActAs to the user that the request names, and to no other', async () => {
      await using node = await startTestNode({ store, settings: { limits: { userRightsMax: 2 } } })
      await createIdentityProvider(node)
      await createUser(node, { id: 'bob' }, [right('CanReadAs', 'p')])
      await createUser(node, { id: 'carol', identityProviderId: 'acme' })
      await allocate(node, { partyIdHint: 'other' })
      assert.deepEqual(await rightsOf(node, 'bob'), [right('CanReadAs', 'p')])
      assert.deepEqual(await rightsOf(node, 'participant_admin'), [right('ParticipantAdmin')])

      const token = await node.token('bob')
      const bob = idOf(node, 'bob')
      const asBob = () => node.call('GET', `/v2/parties/${encodeURIComponent(bob)}`, { token })
      assert.equal((await asBob()).status, 403)
      assert.equal((await allocate(node, { partyIdHint: 'bob', userId: 'bob' })).status, 200)
      assert.deepEqual(await rightsOf(node, 'bob'), [right('CanActAs', bob), right('CanReadAs', 'p')])
      assert.deepEqual(partiesOf(await asBob()), [bob], 'at once')

      const cause = 'granting user rights for a new party failed, as user "bob" would have too many rights.'
      const tooMany = await allocate(node, { partyIdHint: 'bob2', userId: 'bob' })
      assert.deepEqual(refusalOf(tooMany), [400, 'TOO_MANY_USER_RIGHTS', cause])
      assert.equal((await rightsOf(node, 'bob')).length, 2)

      const foreign = await allocate(node, { partyIdHint: 'carol', userId: 'carol' })
      const reason = "checking user's existence failed: User carol belongs to another Identity Provider"
      assert.deepEqual(refusalOf(foreign), [403, 'NA', reason])
      const own = await allocate(node, { partyIdHint: 'carol', userId: 'carol', identityProviderId: 'acme' })
      assert.equal(own.json.partyDetails.identityProviderId, 'acme')
    })

    test('are listed page by page, by the bytes of their ids', async () => {
      await using node = await startTestNode({ store })
      for (const hint of ['b', 'B', 'a', '_', 'A']) await allocate(node, { partyIdHint: hint })
      const token = (hint: string) => {
        const id = Buffer.from(idOf(node, hint))
        return Buffer.concat([Buffer.from([0x0a, id.length]), id])
          .toString('base64')
          .replaceAll('+', '-')
          .replaceAll('/', '_')
      }
      const rows: [query: string, hints: string[], nextPageToken: string][] = [
        ['', ['A', 'B', '_', 'a', 'b', 'participant'], ''],
        ['pageSize=0', ['A', 'B', '_', 'a', 'b', 'participant'], ''],
        ['pageSize=4', ['A', 'B', '_', 'a'], token('a')],
        ['pageSize=2', ['A', 'B'], token('B')],
        [`pageSize=2&pageToken=${token('B')}`, ['_', 'a'], token('a')],
        [`pageSize=1&pageToken=${token('a')}`, ['b'], token('b')],
        [`pageSize=1&pageToken=${token('b')}`, ['participant'], token('participant')], // A full last page …
        [`pageSize=1&pageToken=${token('participant')}`, [], ''], // … is followed by an empty one.
        [`pageSize=3&pageToken=${token('a')}`, ['b', 'participant'], ''],
        [`pageToken=${token('_')}`, ['a', 'b', 'participant'], ''],
        [`pageSize=3&pageToken=${token('BB')}`, ['_', 'a', 'b'], token('b')], // After "BB", which is not a party.
      ]
      for (const [query, hints, nextPageToken] of rows) {
        const answer = await list(node, query)
        assert.deepEqual([hintsOf(answer), answer.json.nextPageToken], [hints, nextPageToken], query)
      }
    })

    test('can be paged with ids longer than 127 bytes', async () => {
      await using node = await startTestNode({ store })
      const hints = ['a', 'b', 'c'].map((letter) => letter.repeat(185))
      for (const partyIdHint of hints) await allocate(node, { partyIdHint })
      const seen: string[] = []
      let pageToken = ''
      do {
        const page = await list(node, `pageSize=1&pageToken=${pageToken}`)
        seen.push(...hintsOf(page))
        pageToken = page.json.nextPageToken
      } while (pageToken !== '')
      assert.deepEqual(seen, [...hints, 'participant'])
    })

    test('are filtered by the prefix of their ids, case-sensitively', async () => {
      await using node = await startTestNode({ store })
      for (const hint of ['a_b', 'a-b', 'aab', 'A_b', 'a', 'a b', 'ab:c']) await allocate(node, { partyIdHint: hint })
      const rows: [filter: string, hints: string[]][] = [
        ['a_', ['a_b']],
        ['a', ['a b', 'a-b', 'a', 'a_b', 'aab', 'ab:c']], // "a::" sorts after "a-".
        ['A', ['A_b']],
        ['a ', ['a b']],
        ['ab:', ['ab:c']],
        [idOf(node, 'a'), ['a']],
        [idOf(node, 'a').slice(0, -1), ['a']],
        ['b', []],
        ['_', []],
        ['', ['A_b', 'a b', 'a-b', 'a', 'a_b', 'aab', 'ab:c', 'participant']],
      ]
      for (const [filter, hints] of rows) {
        assert.deepEqual(hintsOf(await list(node, `filter-party=${encodeURIComponent(filter)}`)), hints, filter)
      }
      const first = await list(node, 'filter-party=a&pageSize=4')
      const second = await list(node, `filter-party=a&pageSize=4&pageToken=${first.json.nextPageToken}`)
      assert.deepEqual([...hintsOf(first), ...hintsOf(second)], rows[1]![1])
    })

    test('are listed only for a valid request, checked in order', async () => {
      await using node = await startTestNode({ store })
      const long = 'x'.repeat(186)
      const rows: [query: string, ...want: unknown[]][] = [
        ['pageSize=x', 400, 'Invalid value for: query parameter pageSize'],
        [
          'identity-provider-id=a%25b&pageToken=%2A',
          400,
          'INVALID_TOKEN',
          badToken(`identity_provider_id: ${badLedgerString}`),
        ],
        ['pageToken=%2A&pageSize=-1', 400, 'INVALID_ARGUMENT', invalid('Invalid page token')],
        ['pageToken=CgA%3D&pageSize=-1', 400, 'INVALID_ARGUMENT', invalid('Invalid page token')],
        ['pageToken=CgEl', 400, 'INVALID_ARGUMENT', invalid('Invalid page token')], // The token of a party called "%".
        ['pageSize=-1&filter-party=%25', 400, 'INVALID_ARGUMENT', invalid('Page size must be non-negative')],
        [
          'pageSize=10001&filter-party=%25',
          400,
          'INVALID_ARGUMENT',
          invalid("Page size must not exceed the server's maximum of 10000"),
        ],
        ['filter-party=a%25b', 400, 'INVALID_FIELD', badField(`filterString: ${badParty}`)],
        [
          `filter-party=${long}`,
          400,
          'INVALID_FIELD',
          badField(
            `filterString: The given string has a maximum length of 185 but a string of length 186 ('${long}.') was given`,
          ),
        ],
      ]
      for (const [query, ...want] of rows) assert.deepEqual(refusalOf(await list(node, query)), want)
      assert.equal((await list(node, 'pageSize=10000&identity-provider-id=nowhere')).status, 200)
    })

    test('are fetched one by one or several at once, sorted, without duplicates', async () => {
      await using node = await startTestNode({ store })
      for (const hint of ['b', 'Carol:-_ x', 'a']) await allocate(node, { partyIdHint: hint })
      const [a, b, carol, d] = ['a', 'b', 'Carol:-_ x', 'd'].map((hint) => idOf(node, hint)) as [
        string,
        string,
        string,
        string,
      ]
      const more = (...parties: string[]) => parties.map((party) => `parties=${encodeURIComponent(party)}`).join('&')
      const rows: [party: string, query: string, want: string[]][] = [
        [a, '', [a]],
        [carol, '', [carol]],
        [b, more(a), [a, b]],
        [b, more(a, carol), [carol, a, b]],
        [b, more(b, a, a, b), [a, b]],
        [d, '', []],
        ['d', '', []],
        [d, more(a, 'nobody'), [a]],
        [b, `parties=${a}`, [a, b]], // A colon needs no encoding.
        [a, 'identity-provider-id=nowhere', [a]],
      ]
      for (const [party, query, want] of rows) {
        const answer = await get(node, party, query)
        assert.deepEqual([answer.status, partiesOf(answer)], [200, want], query)
      }
      assert.deepEqual(partiesOf(await node.call('GET', `/v2/parties/${a}`)), [a], 'nor does it in the path')
      assert.deepEqual((await get(node, 'nobody')).text, '{"partyDetails":[]}')

      const refusals: [party: string, query: string, code: string, cause: string][] = [
        ['a%b', more('x'.repeat(256)), 'INVALID_ARGUMENT', invalid(badParty)],
        [a, more('', 'a%b'), 'INVALID_ARGUMENT', invalid('Daml-LF Party is empty')],
        [a, more(b, 'x'.repeat(256)), 'INVALID_ARGUMENT', invalid('Daml-LF Party is too long (max: 255)')],
        ['a%b', 'identity-provider-id=a%25b', 'INVALID_TOKEN', badToken(`identity_provider_id: ${badLedgerString}`)],
      ]
      for (const [party, query, code, cause] of refusals) {
        assert.deepEqual(refusalOf(await get(node, party, query)), [400, code, cause])
      }
    })

    test('show an identity provider its own, and little of the rest', async () => {
      await using node = await startTestNode({ store })
      await createIdentityProvider(node)
      await createIdentityProvider(node, 'other')
      const localMetadata = { annotations: { a: '1' } }
      await allocate(node, { partyIdHint: 'ours', localMetadata })
      await allocate(node, { partyIdHint: 'theirs', localMetadata, identityProviderId: 'acme' })
      const shown = (isLocal: boolean, resourceVersion: string, identityProviderId: string) => ({
        isLocal,
        localMetadata: { resourceVersion, annotations: resourceVersion === '' ? {} : { a: '1' } },
        identityProviderId,
      })
      const rows: [hint: string, seenFrom: string, want: object][] = [
        ['ours', '', shown(true, '0', '')],
        ['ours', 'acme', shown(false, '', '')],
        ['theirs', '', shown(true, '', '')],
        ['theirs', 'acme', shown(true, '0', 'acme')],
        ['theirs', 'other', shown(false, '', '')],
        ['theirs', 'nowhere', shown(false, '', '')],
      ]
      for (const [hint, seenFrom, want] of rows) {
        const query = `identity-provider-id=${seenFrom}`
        const party = idOf(node, hint)
        assert.deepEqual((await get(node, party, query)).json.partyDetails, [{ party, ...want }], `${hint} ${seenFrom}`)
        const listed: PartyJson[] = (await list(node, query)).json.partyDetails
        assert.deepEqual(
          listed.find((details) => details.party === party),
          { party, ...want },
        )
        assert.equal(listed.length, 3, "every caller sees that there are two, and the participant's own")
      }
      const taken = await allocate(node, { partyIdHint: 'theirs' })
      const foreign = `Party ${idOf(node, 'theirs')} belongs to another Identity Provider`
      assert.deepEqual(refusalOf(taken), [403, 'NA', foreign])
      const again = await allocate(node, { partyIdHint: 'theirs', identityProviderId: 'acme' })
      assert.equal(again.json.code, 'INVALID_ARGUMENT')
      assert.deepEqual(refusalOf(await patch(node, idOf(node, 'theirs'), {}, ['party'])), [403, 'NA', foreign])
    })

    test('are updated by mask: only annotations change, and every update counts', async () => {
      await using node = await startTestNode({ store })
      await allocate(node, { partyIdHint: 'alice', localMetadata: { annotations: { a: '1' } } })
      const party = idOf(node, 'alice')
      const withNotes = (annotations: object, more: object = {}) => ({ ...more, localMetadata: { annotations } })
      const rows: [changes: object, paths: string[], want: object][] = [
        [withNotes({ b: '2' }), ['local_metadata.annotations'], { a: '1', b: '2' }],
        [withNotes({ a: 'é', b: '' }), ['local_metadata'], { a: 'é' }],
        [withNotes({ c: '3' }), ['.'], { a: 'é', c: '3' }],
        [
          withNotes({ c: '3', d: '4' }),
          ['party', 'identity_provider_id', 'local_metadata.resource_version'],
          { a: 'é', c: '3' },
        ],
        [withNotes({ d: '4' }, { isLocal: true }), ['is_local'], { a: 'é', c: '3' }],
        [{}, ['local_metadata.annotations.'], { a: 'é', c: '3' }],
        [withNotes({ a: '', never: '' }, { isLocal: true }), ['.', 'local_metadata'], { c: '3' }],
      ]
      for (const [index, [changes, paths, annotations]] of rows.entries()) {
        const localMetadata = { resourceVersion: String(index + 1), annotations }
        const details = { party, isLocal: true, localMetadata, identityProviderId: '' }
        assert.deepEqual((await patch(node, party, changes, paths)).json, { partyDetails: details })
        assert.deepEqual((await get(node, party)).json, { partyDetails: [details] })
      }
    })

    test('are updated only by a valid request, checked in order', async () => {
      await using node = await startTestNode({ store })
      await createIdentityProvider(node)
      const large = 'x'.repeat(200_000)
      await allocate(node, { partyIdHint: 'alice', localMetadata: { annotations: { old: large } } })
      const party = idOf(node, 'alice')
      const before = (await get(node, party)).json
      const badUpdate = (reason: string) => `Update operation for party '${party}' failed due to: ${reason}`
      let request: Record<string, unknown> = {
        identityProviderId: 'a%b',
        localMetadata: { resourceVersion: 'one', annotations: { 'b d': '', large: 'x'.repeat(262_140) } },
      }
      let paths: string[] | undefined
      const rows: [mended: object, paths: string[] | undefined, want: Refusal][] = [
        [{}, undefined, [400, 'INVALID_TOKEN', badToken(`identity_provider_id: ${badLedgerString}`)]],
        [
          { identityProviderId: 'nowhere' },
          undefined,
          [400, 'INVALID_FIELD', badField('party_details.local_metadata: Invalid resource version number')],
        ],
        [
          { localMetadata: { resourceVersion: '7', annotations: { 'b d': '', large: 'x'.repeat(262_140) } } },
          undefined,
          [400, 'INVALID_ARGUMENT', tooLarge('party_details.local_metadata.annotations')],
        ],
        [
          { localMetadata: { resourceVersion: '7', annotations: { 'b d': '' } } },
          undefined,
          [400, 'INVALID_ARGUMENT', invalid("Key name segment 'b d' has invalid syntax")],
        ],
        [
          { localMetadata: { resourceVersion: '7', annotations: { large } } },
          undefined,
          [400, 'MISSING_FIELD', missing('update_mask')],
        ],
        [{}, [], [400, 'INVALID_ARGUMENT', unknownProvider('nowhere')]],
        [
          { identityProviderId: 'acme' },
          undefined,
          [400, 'INVALID_PARTY_DETAILS_UPDATE_REQUEST', badUpdate('The update mask contains no entries')],
        ],
        [
          {},
          ['localMetadata'],
          [
            400,
            'INVALID_PARTY_DETAILS_UPDATE_REQUEST',
            badUpdate("The update path: 'localMetadata' points to an unknown field."),
          ],
        ],
        [
          {},
          ['display_name'],
          [
            400,
            'INVALID_PARTY_DETAILS_UPDATE_REQUEST',
            badUpdate("The update path: 'display_name' points to an unknown field."),
          ],
        ],
        [
          {},
          ['party', 'party'],
          [400, 'INVALID_PARTY_DETAILS_UPDATE_REQUEST', badUpdate("The update path: 'party' is duplicated.")],
        ],
        [
          {},
          ['is_local', 'local_metadata'],
          [
            400,
            'INVALID_PARTY_DETAILS_UPDATE_REQUEST',
            badUpdate("Update request attempted to modify not-modifiable 'is_local' attribute"),
          ],
        ],
        [{ isLocal: true }, undefined, [403, 'NA', `Party ${party} belongs to another Identity Provider`]],
        [
          { identityProviderId: '' },
          undefined,
          [
            409,
            'CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED',
            `Update operation for party '${party}' failed due to a concurrent update to the same party`,
          ],
        ],
        [
          { localMetadata: { resourceVersion: '0', annotations: { large } } },
          undefined,
          [
            400,
            'MAX_PARTY_DETAILS_ANNOTATIONS_SIZE_EXCEEDED',
            `Maximum annotations size for party '${party}' has been exceeded`,
          ],
        ],
      ]
      for (const [mended, rowPaths, want] of rows) {
        request = { ...request, ...mended }
        paths = rowPaths ?? paths
        assert.deepEqual(refusalOf(await patch(node, party, request, paths)), want)
      }
      assert.deepEqual((await get(node, party)).json, before, 'no refusal changed anything')
      const unknown = await patch(node, 'nobody', { localMetadata: { resourceVersion: '7' } }, ['is_local'])
      assert.deepEqual(refusalOf(unknown), [
        404,
        'PARTY_NOT_FOUND',
        "Party: 'nobody' was not found when updating a party record",
      ])
      assert.deepEqual(unknown.json.resources, [['ErrorResource(PARTY)', 'nobody']])
      const badName = await patch(node, 'a%b', { localMetadata: { resourceVersion: 'one' } }, undefined)
      assert.deepEqual(refusalOf(badName), [400, 'INVALID_ARGUMENT', invalid(badParty)])
    })

    test('must be the same in the path and the body of an update, even without a token', async () => {
      await using node = await startTestNode({ store })
      const shown = (text: string) => invalid(`alice::1220 does not match party in body ${text}`)
      const notes = { resourceVersion: '3', annotations: { a: '1', b: '2' } }
      const rows: [partyDetails: object | undefined | null, cause: string][] = [
        [undefined, shown('None')],
        [null, shown('None')],
        [{}, shown('Some(PartyDetails(,false,None,))')],
        [
          { party: 'bob', isLocal: true, localMetadata: notes, identityProviderId: 'acme' },
          shown('Some(PartyDetails(bob,true,Some(ObjectMeta(3,Map(a -> 1, b -> 2))),acme))'),
        ],
        [{ party: 'bob', localMetadata: {} }, shown('Some(PartyDetails(bob,false,Some(ObjectMeta(,Map())),))')],
      ]
      for (const [partyDetails, cause] of rows) {
        const answer = await node.call('PATCH', '/v2/parties/alice%3A%3A1220', { token: null, body: { partyDetails } })
        assert.deepEqual(refusalOf(answer), [400, 'INVALID_ARGUMENT', cause])
        assert.deepEqual([answer.json.context, answer.json.definiteAnswer], [{}, false])
      }
    })

    test('change at most once per resource version', async () => {
      await using node = await startTestNode({ store })
      const party = (await allocate(node)).json.partyDetails.party
      const at = (resourceVersion: string) => patch(node, party, { localMetadata: { resourceVersion } }, ['party'])
      const statuses = (await Promise.all(Array.from({ length: 8 }, () => at('0')))).map(({ status }) => status)
      assert.deepEqual(
        statuses.sort((a, b) => a - b),
        [200, ...Array(7).fill(409)],
      )
      const { json } = await at('0')
      assert.deepEqual([json.retryInfo, json.resources], ['1 second', [['ErrorResource(PARTY)', party]]])
      await Promise.all(Array.from({ length: 8 }, (_, index) => annotate(node, party, { [`key${index}`]: 'x' })))
      const [{ localMetadata }] = (await get(node, party)).json.partyDetails
      assert.equal(localMetadata.resourceVersion, '9')
      assert.equal(Object.keys(localMetadata.annotations).length, 8, 'updates without a version lose nothing')
    })

    test('are unchanged after a restart, in the same namespace', async () => {
      await using node = await startTestNode({ store })
      await createIdentityProvider(node)
      await allocate(node, { partyIdHint: 'alice', localMetadata: { annotations: { a: '1' } } })
      await annotate(node, idOf(node, 'alice'), { b: '2' })
      await allocate(node, { partyIdHint: 'bob', identityProviderId: 'acme' })
      const state = async () => [
        (await list(node)).json,
        (await list(node, 'identity-provider-id=acme')).json,
        (await node.call('GET', '/v2/parties/participant-id')).json,
      ]
      const before = await state()
      await node.restart()
      assert.deepEqual(await state(), before)
      assert.equal((await allocate(node, { partyIdHint: 'new' })).json.partyDetails.party, idOf(node, 'new'))
    })
  })
}
