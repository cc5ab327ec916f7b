// Vetting over HTTP: which packages may be used, from when and until when; every refusal with its code and text.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { describe, test } from 'node:test'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import type { Minor } from '../../src/lf/syntax/ast.ts'
import { filtersFor, holdingType, quickstart as quickstartId, startTestLedger } from '../fixtures/ledger.ts'
import { type Answer, refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { partyType } from '../support/lf/data-package.ts'
import { darWith, writePackage } from '../support/lf/described-package.ts'

const oneSynchronizer = { synchronizers: [{ alias: 'global', priority: 0 }] }
type Connected = { synchronizerAlias: string; synchronizerId: string; permission: string }

const versionOf = (version: string, minor: Minor = 1) => {
  const Main = { data: { Iou: { record: { owner: partyType } } }, templates: { Iou: {} } }
  return darWith(writePackage({ name: 'iou', version, minor, modules: { Main } }))
}
const idOf = (dar: Uint8Array) => decodeDar(dar).main.package.id

const [first, second, tenth] = ['1.0.0', '1.2.0', '1.10.0'].map((version) => versionOf(version)) as [
  Buffer,
  Buffer,
  Buffer,
]
const [firstId, secondId, tenthId] = [first, second, tenth].map(idOf) as [string, string, string]
const sameVersion = versionOf('1.0.0', 2) // Like `first`, but another package.
const sameVersionId = idOf(sameVersion)
const quickstart = readFileSync(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))
const quickstartIds = decodeDar(quickstart).packages.map((entry) => entry.package.id)

type Reference = { packageId?: string; packageName?: string; packageVersion?: string }
type Bounds = { newValidFromInclusive?: string; newValidUntilExclusive?: string }

const vet = (packages: Reference[], bounds: Bounds = {}) => ({ operation: { Vet: { value: { packages, ...bounds } } } })
const unvet = (...packages: Reference[]) => ({ operation: { Unvet: { value: { packages } } } })
const named = (packageName: string) => ({ packageName })
const withId = (packageId: string) => ({ packageId })

const upload = async (node: TestNode, dar: Uint8Array, query = '') => {
  const answer = await node.call('POST', `/v2/dars${query}`, { body: dar })
  assert.equal(answer.status, 200, answer.text)
}
const uploadOnly = (node: TestNode, dar: Uint8Array) => upload(node, dar, '?vetAllPackages=false')

const update = (node: TestNode, changes: object[], more: object = {}) =>
  node.call('POST', '/v2/package-vetting/update', { body: { changes, ...more } })

const list = (node: TestNode, request: object = {}) => node.call('POST', '/v2/package-vetting/list', { body: request })

type VettedJson = {
  packageId: string
  packageName: string
  packageVersion: string
  validFromInclusive: string | null
  validUntilExclusive: string | null
}

/** The vetted packages of one name: version, from, until. */
const iouOf = (vetted: { packages: VettedJson[] } | null) =>
  vetted?.packages
    .filter(({ packageName }) => packageName === 'iou')
    .map((entry) => [entry.packageVersion, entry.validFromInclusive, entry.validUntilExclusive])

const vettedIou = async (node: TestNode) => iouOf((await list(node)).json.vettedPackages[0])
const serialOf = async (node: TestNode) => (await list(node)).json.vettedPackages[0].topologySerial

const synchronizersOf = async (node: TestNode, query = '') =>
  (await node.call('GET', `/v2/state/connected-synchronizers${query}`)).json.connectedSynchronizers

const synchronizerIdOf = async (node: TestNode): Promise<string> => (await synchronizersOf(node))[0].synchronizerId

const malformed = async (answer: Answer) => {
  assert.deepEqual(refusalOf(answer), [
    400,
    'PROTO_DESERIALIZATION_FAILURE',
    'Deserialization of protobuf message failed',
  ])
  assert.equal(answer.json.context.definite_answer, undefined)
  return answer.json.context.reason
}

/** A GET with a body, which fetch does not send. */
async function getWithBody(node: TestNode, path: string, body: string | undefined): Promise<[number, string]> {
  const request = httpRequest(`${node.url}${path}`, {
    method: 'GET',
    headers: {
      authorization: `Bearer ${node.adminToken}`,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    },
  })
  request.end(body)
  const [response] = await once(request, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return [response.statusCode, Buffer.concat(chunks).toString()]
}

for (const store of stores) {
  describe(`vetting on ${store}`, () => {
    test('begins with the uploaded packages, named and in order', async () => {
      await using node = await startTestNode({ store, settings: oneSynchronizer })
      const { vettedPackages, nextPageToken } = (await list(node)).json
      assert.equal(vettedPackages.length, 1)
      const [{ packages, participantId, synchronizerId, topologySerial }] = vettedPackages
      assert.equal(participantId, node.node.participantId)
      assert.equal(synchronizerId, await synchronizerIdOf(node))
      assert.equal(topologySerial, 2) // As in Canton, whose participant vets its own packages first.
      assert.deepEqual(packages.map(({ packageId }: VettedJson) => packageId).sort(), quickstartIds.toSorted())
      const names = packages.map(({ packageName }: VettedJson) => packageName)
      assert.deepEqual(names, names.toSorted())
      assert.deepEqual((await list(node, { pageToken: nextPageToken })).json, { vettedPackages: [], nextPageToken: '' })
    })

    test('counts uploads that vet something, and no others', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      assert.equal(await serialOf(node), 3)
      await upload(node, first)
      await upload(node, first, `?synchronizerId=${encodeURIComponent(await synchronizerIdOf(node))}`)
      await uploadOnly(node, second)
      assert.equal(await serialOf(node), 3)
      assert.deepEqual(await vettedIou(node), [['1.0.0', null, null]])
      await upload(node, second)
      assert.equal(await serialOf(node), 4)
      await upload(node, tenth)
      assert.deepEqual(await vettedIou(node), [
        ['1.0.0', null, null],
        ['1.2.0', null, null],
        ['1.10.0', null, null],
      ])
    })

    test('can be changed, returns the state before and after, and survives a restart', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      await uploadOnly(node, second)
      const bounds = {
        newValidFromInclusive: '2026-01-02T03:04:05.123456Z',
        newValidUntilExclusive: '2027-01-02T03:04:05.5+01:00',
      }
      const answer = await update(node, [vet([withId(secondId)], bounds), unvet(withId(firstId))])
      assert.equal(answer.status, 200, answer.text)
      const { pastVettedPackages: past, newVettedPackages: next } = answer.json
      assert.deepEqual(iouOf(past), [['1.0.0', null, null]])
      const changed = [['1.2.0', '2026-01-02T03:04:05.123456Z', '2027-01-02T02:04:05.500Z']]
      assert.deepEqual(iouOf(next), changed)
      assert.deepEqual([past.topologySerial, next.topologySerial], [3, 4])
      assert.deepEqual(Object.keys(next), ['packages', 'participantId', 'synchronizerId', 'topologySerial'])
      assert.deepEqual(await vettedIou(node), changed)
      await node.restart()
      assert.deepEqual([await vettedIou(node), await serialOf(node)], [changed, 4])
    })

    test('is undone by uploading the file again, also after a restart', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      for (const change of [
        unvet(withId(firstId)),
        vet([withId(firstId)], { newValidUntilExclusive: '2000-01-01T00:00:00Z' }),
      ]) {
        assert.equal((await update(node, [change])).status, 200)
        await node.restart()
        await upload(node, first)
        assert.deepEqual(await vettedIou(node), [['1.0.0', null, null]])
      }
    })

    test('replaces both bounds, uses the last change of a package, and does nothing if nothing changes', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      const until = { newValidUntilExclusive: '2030-01-01T00:00:00Z' }
      const from = { newValidFromInclusive: '2020-01-01T00:00:00Z' }
      const iou = [withId(firstId)]
      await update(node, [vet(iou, until)])
      assert.deepEqual(await vettedIou(node), [['1.0.0', null, '2030-01-01T00:00:00Z']])
      await update(node, [unvet(withId(firstId)), vet(iou, until), vet(iou, from)])
      assert.deepEqual(await vettedIou(node), [['1.0.0', '2020-01-01T00:00:00Z', null]])
      const serial = await serialOf(node)
      for (const changes of [[], [vet([])], [vet(iou, from)], [unvet(withId('f'.repeat(64)), named('no'))]]) {
        const { pastVettedPackages: past, newVettedPackages: next } = (await update(node, changes)).json
        assert.deepEqual(next, past)
        assert.equal(next.topologySerial, serial)
      }
    })

    test('with dryRun changes nothing', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      const { pastVettedPackages: past, newVettedPackages: next } = (
        await update(node, [unvet(named('iou'))], { dryRun: true })
      ).json
      assert.deepEqual([iouOf(past), iouOf(next)], [[['1.0.0', null, null]], []])
      assert.deepEqual([past.topologySerial, next.topologySerial], [3, 4])
      assert.deepEqual([await vettedIou(node), await serialOf(node)], [[['1.0.0', null, null]], 3])
      const unknown = await update(node, [vet([named('no')])], { dryRun: true })
      assert.equal(unknown.json.code, 'UNRESOLVED_VETTING_REFERENCE')
    })

    test('accepts packages by id, by name, by name and version, and by all three', async () => {
      await using node = await startTestNode({ store })
      for (const dar of [first, second]) await uploadOnly(node, dar)
      const all = { packageId: secondId, packageName: 'iou', packageVersion: '1.2.0' }
      const rows: [reference: Reference, version: string][] = [
        [withId(firstId), '1.0.0'],
        [{ packageName: 'iou', packageVersion: '1.2.0' }, '1.2.0'],
        [all, '1.2.0'],
      ]
      for (const [reference, version] of rows) {
        assert.deepEqual(iouOf((await update(node, [vet([reference])])).json.newVettedPackages), [
          [version, null, null],
        ])
        assert.deepEqual(iouOf((await update(node, [unvet(reference)])).json.newVettedPackages), [])
      }
      await update(node, [vet([withId(firstId), withId(secondId)])])
      assert.deepEqual(iouOf((await update(node, [unvet(named('iou'))])).json.newVettedPackages), [])
    })

    test('refuses references that match none, or several', async () => {
      await using node = await startTestNode({ store })
      for (const dar of [first, second]) await uploadOnly(node, dar)
      const id = 'f'.repeat(64)
      const ids = `Seq(${[firstId, secondId].map((other) => `${other.slice(0, 12)}...`).join(', ')})`
      const rows: [reference: Reference, shown: string, reason: string | undefined][] = [
        [withId(id), `package-id: '${id}'`, `No packages with package ID ${id}`],
        [named('no'), "package-name: 'no'", 'No packages with name no'],
        [
          { packageName: 'no', packageVersion: '1' },
          'NameAndVersion(name = no, version = 1)',
          'Name no did not match any packages.',
        ],
        [
          { packageName: 'iou', packageVersion: '3' },
          'NameAndVersion(name = iou, version = 3)',
          'No packages with name iou have version 3.',
        ],
        [
          { packageId: firstId, packageName: 'iou', packageVersion: '3' },
          `All(id = ${firstId.slice(0, 12)}..., name = iou, version = 3)`,
          `Package with package ID ${firstId} has name iou and version 1.0.0, but filter specifies name iou and version 3`,
        ],
        [named('iou'), "package-name: 'iou'", undefined],
      ]
      for (const [reference, shown, reason] of rows) {
        const answer = await update(node, [vet([reference])])
        assert.deepEqual(
          refusalOf(answer),
          reason === undefined
            ? [400, 'AMBIGUOUS_VETTING_REFERENCE', `The package reference ${shown} matches multiple packages: ${ids}`]
            : [
                404,
                'UNRESOLVED_VETTING_REFERENCE',
                `The vetted package reference ${shown} does not match any package in the package store. Reason: ${reason}`,
              ],
        )
      }
      assert.deepEqual(await vettedIou(node), [])
    })

    test('detects concurrent changes by the serial', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      const attempt = (serial: object) => update(node, [unvet(named('iou'))], { expectedTopologySerial: { serial } })
      const mismatch = (expected: string) => [
        400,
        'TOPOLOGY_SERIAL_MISMATCH',
        `The provided serial Some(3) did not match the expected serial ${expected}.`,
      ]
      assert.deepEqual(refusalOf(await attempt({ Prior: { value: 2 } })), mismatch('Some(2)'))
      assert.deepEqual(refusalOf(await attempt({ NoPrior: {} })), mismatch('None'))
      assert.equal(await serialOf(node), 3)
      assert.equal((await attempt({ Prior: { value: 3 } })).json.newVettedPackages.topologySerial, 4)
      assert.equal((await attempt({ Empty: {} })).status, 200)
    })

    test('is serialized: of changes with one expected serial, one succeeds', async () => {
      await using node = await startTestNode({ store })
      for (const dar of [first, second, tenth]) await uploadOnly(node, dar)
      const expectedTopologySerial = { serial: { Prior: { value: 2 } } }
      const answers = await Promise.all(
        [firstId, secondId, tenthId].map((id) => update(node, [vet([withId(id)])], { expectedTopologySerial })),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
      assert.equal((await vettedIou(node))?.length, 1)
    })

    test('has the serial 1 before anything is vetted', async () => {
      await using node = await startTestNode({ store, settings: { development: false, auth: { mode: 'off' } } })
      assert.deepEqual((await list(node)).json, { vettedPackages: [], nextPageToken: '' })
      await uploadOnly(node, first)
      const attempt = (serial: object) => update(node, [vet([withId(firstId)])], { expectedTopologySerial: { serial } })
      assert.equal((await attempt({ NoPrior: {} })).json.context.actual, 'Some(1)')
      const { pastVettedPackages: past, newVettedPackages: next } = (await attempt({ Prior: { value: 1 } })).json
      assert.deepEqual([past.packages, past.topologySerial], [[], 1])
      assert.deepEqual([iouOf(next), next.topologySerial], [[['1.0.0', null, null]], 2])
    })

    test('refuses an empty period, except with dryRun', async () => {
      await using node = await startTestNode({ store })
      await uploadOnly(node, first)
      const time = '2026-01-01T00:00:00Z'
      const empty = vet([withId(firstId)], { newValidFromInclusive: time, newValidUntilExclusive: time })
      const shown = `VettedPackage(packageId = ${firstId.slice(0, 12)}..., validFromInclusive = ${time}, validUntilExclusive = ${time})`
      assert.deepEqual(refusalOf(await update(node, [empty])), [
        400,
        'TOPOLOGY_INVALID_MAPPING',
        `The topology transaction was rejected due to an invalid mapping: packages with empty validity period: ${shown}`,
      ])
      assert.equal((await update(node, [empty], { dryRun: true })).status, 200)
      assert.deepEqual(await vettedIou(node), [])
    })

    test('allows one package of a name and version, unless forced', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      await uploadOnly(node, sameVersion)
      const [low, high] = [firstId, sameVersionId].sort()
      const cause = `Tried to vet two packages with the same name and version: ${low} (iou v1.0.0) and ${high} (iou v1.0.0).`
      for (const dryRun of [true, false]) {
        const answer = await update(node, [vet([withId(sameVersionId)])], { dryRun })
        assert.deepEqual(refusalOf(answer), [400, 'KNOWN_PACKAGE_VERSION', cause])
      }
      const flag = 'UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_VET_INCOMPATIBLE_UPGRADES'
      const forced = { updateVettedPackagesForceFlags: [flag], dryRun: true }
      assert.equal((await update(node, [vet([withId(sameVersionId)])], forced)).status, 200)

      const both = await update(node, [unvet(withId(firstId)), vet([withId(sameVersionId)])])
      assert.equal(both.status, 200, both.text)
      const refused = await node.call('POST', '/v2/dars', { body: first })
      assert.equal(refused.json.code, 'KNOWN_PACKAGE_VERSION')
    })

    test('refuses malformed requests, with the reason in the context', async () => {
      await using node = await startTestNode({ store })
      const set =
        'Either package_id must be set, or package_name and package_version must be set, or all three must be set.'
      const violation = (field: string, problem: string) => `InvariantViolation(Some(${field}),${problem})`
      const badId = 'non expected character 0x25 in Daml-LF Package ID "a%"'
      const updates: [changes: object[], more: object, reason: string][] = [
        [[{}], {}, 'FieldNotSet(operation)'],
        [[{ operation: { Empty: {} } }], {}, 'FieldNotSet(operation)'],
        [[vet([{}])], {}, violation('package_name', set)],
        [[unvet({ packageVersion: '1' })], {}, violation('package_name', set)],
        [[vet([{ packageId: 'a', packageName: 'b' }])], {}, violation('package_name', set)],
        [[vet([{ packageId: 'a', packageVersion: '1' }])], {}, violation('package_name', set)],
        [[vet([withId('a%')])], {}, `ValueConversionError(package_id,${badId})`],
        [
          [vet([named('a b')])],
          {},
          'ValueConversionError(package_name,non expected character 0x20 in Daml-LF Package Name "a b")',
        ],
        [
          [vet([{ packageName: 'a', packageVersion: '01' }])],
          {},
          'ValueConversionError(package_version,Invalid package version string: `01`. Package versions are non-empty ' +
            'strings consisting of segments of digits (without leading zeros) separated by dots.)',
        ],
        [
          [],
          { synchronizerId: 'x' },
          'ValueConversionError(synchronizer_id,Invalid unique identifier `x` with missing namespace.)',
        ],
        [
          [],
          { expectedTopologySerial: { serial: { Prior: { value: 0 } } } },
          violation(
            'expected_topology_serial',
            'Received the non-positive 0 as argument, but we require a positive value here.',
          ),
        ],
      ]
      for (const [changes, more, reason] of updates) {
        assert.equal(await malformed(await update(node, changes, more)), reason)
      }
      const badToken = (problem: string) =>
        `ValueConversionError(page_token,Invalid page token for ListVettedPackagesRequest: ${problem})`
      const token = (...ids: string[]) =>
        Buffer.concat(
          ids.map((id, index) => Buffer.concat([Buffer.from([(index + 1) * 8 + 2, id.length]), Buffer.from(id)])),
        ).toString('base64url')
      const lists: [request: object, reason: string][] = [
        [{ packageMetadataFilter: { packageIds: ['a%'] } }, `ValueConversionError(package_ids,${badId})`],
        [
          { topologyStateFilter: { participantIds: ['PAR'] } },
          'ValueConversionError(participant_ids,Invalid unique identifier `PAR` with missing namespace.)',
        ],
        [
          { topologyStateFilter: { synchronizerIds: [''] } },
          'ValueConversionError(synchronizer_ids,Empty string is not a valid unique identifier.)',
        ],
        [{ pageToken: '*' }, badToken('Failed base64 decoding')],
        [{ pageToken: 'AAAA' }, badToken('Failed proto decoding')],
        [
          { pageToken: token('x', 'p::1') },
          badToken("Couldn't extract token's synchronizer ID: Invalid unique identifier `x` with missing namespace."),
        ],
        [
          { pageToken: token('s::1', 'x') },
          badToken("Couldn't extract token's participant ID: Invalid unique identifier `x` with missing namespace."),
        ],
        [
          { pageSize: -1 },
          violation('page_size', 'Received the negative -1 as argument, but we require a non-negative value here.'),
        ],
        [{ pageSize: 101 }, violation('page_size', "Page size must not exceed the server's maximum of 100")],
      ]
      for (const [request, reason] of lists) assert.equal(await malformed(await list(node, request)), reason)
      assert.equal((await list(node, { pageSize: 100 })).status, 200)
    })

    test('refuses invalid values, before anything else', async () => {
      await using node = await startTestNode({ store })
      const body = 'Invalid value for: body'
      const flags =
        'UPDATE_VETTED_PACKAGES_FORCE_FLAG_UNSPECIFIED, ' +
        'UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_VET_INCOMPATIBLE_UPGRADES, ' +
        'UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_UNVETTED_DEPENDENCIES'
      assert.deepEqual(refusalOf(await update(node, [vet([], { newValidFromInclusive: 'soon' })])), [
        400,
        `${body} (Text 'soon' could not be parsed at index 0 at 'changes[0].operation.Vet.value.newValidFromInclusive')`,
      ])
      assert.deepEqual(refusalOf(await update(node, [], { updateVettedPackagesForceFlags: ['ALL'] })), [
        400,
        `${body} (Unrecognized enum value ALL. Supported values: [${flags}] at 'updateVettedPackagesForceFlags[0]')`,
      ])
    })

    test('is on the only synchronizer', async () => {
      await using node = await startTestNode({ store })
      await uploadOnly(node, first)
      const changes = [vet([withId(firstId)])]
      assert.deepEqual(refusalOf(await update(node, changes, { synchronizerId: 'sync::1220' })), [
        400,
        'PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER',
        "Cannot upload a dar because the participant is not connected to synchronizer 'sync::1220'.",
      ])
      const own = await synchronizerIdOf(node)
      assert.equal((await update(node, changes, { synchronizerId: own })).json.newVettedPackages.synchronizerId, own)
    })

    test('is listed by ids and prefixes of names, by participants and synchronizers', async () => {
      await using node = await startTestNode({ store, settings: oneSynchronizer })
      for (const dar of [first, second]) await upload(node, dar)
      const own = await synchronizerIdOf(node)
      const versions = async (request: object) => {
        const { vettedPackages } = (await list(node, request)).json
        return vettedPackages.flatMap(({ packages }: { packages: VettedJson[] }) =>
          packages.map(({ packageName, packageVersion }) => `${packageName} ${packageVersion}`),
        )
      }
      const rows: [request: object, want: string[]][] = [
        [{ packageMetadataFilter: { packageIds: [firstId] } }, ['iou 1.0.0']],
        [{ packageMetadataFilter: { packageNamePrefixes: ['io'] } }, ['iou 1.0.0', 'iou 1.2.0']],
        [{ packageMetadataFilter: { packageNamePrefixes: ['no', 'ou'] } }, []],
        [
          { packageMetadataFilter: { packageIds: [firstId], packageNamePrefixes: ['iou'] } },
          ['iou 1.0.0', 'iou 1.2.0'],
        ],
        [{ packageMetadataFilter: { packageIds: ['f'.repeat(64)] } }, []],
        [{ topologyStateFilter: { participantIds: ['other::1220'] } }, []],
        [
          {
            packageMetadataFilter: { packageIds: [secondId] },
            topologyStateFilter: {
              participantIds: ['other::1220', node.node.participantId],
              synchronizerIds: [own, own],
            },
          },
          ['iou 1.2.0'],
        ],
      ]
      for (const [request, want] of rows) assert.deepEqual(await versions(request), want, JSON.stringify(request))
      const { nextPageToken } = (await list(node, { packageMetadataFilter: { packageIds: ['f'.repeat(64)] } })).json
      assert.equal(nextPageToken, '')
      const unknown = `other::1220${'0'.repeat(64)}`
      assert.deepEqual(refusalOf(await list(node, { topologyStateFilter: { synchronizerIds: [own, unknown] } })), [
        404,
        'TOPOLOGY_STORE_NOT_FOUND',
        'No active synchronizer found for other::122000000000....',
      ])
    })

    test('has the paths of older clients, one of them a GET with a body', async () => {
      await using node = await startTestNode({ store })
      await upload(node, first)
      const path = '/v2/package-vetting'
      const request = { packageMetadataFilter: { packageIds: [firstId] } }
      const [status, text] = await getWithBody(node, path, JSON.stringify(request))
      assert.deepEqual([status, JSON.parse(text)], [200, (await list(node, request)).json])
      assert.deepEqual(JSON.parse((await getWithBody(node, path, '{}'))[1]), (await list(node)).json)
      for (const body of [undefined, '']) {
        assert.deepEqual(await getWithBody(node, path, body), [400, 'Invalid value for: body (exhausted input)'])
      }
      assert.equal((await getWithBody(node, path, '[]'))[0], 400)
      const answer = await node.call('POST', path, { body: { changes: [unvet(named('iou'))] } })
      assert.deepEqual(iouOf(answer.json.newVettedPackages), [])
      assert.equal((await getWithBody(node, '/v2/packages', 'a body that nobody reads'))[0], 200)
    })

    test('does not change the names of interfaces, only whether there is a view', async () => {
      await using ledger = await startTestLedger({ store, settings: oneSynchronizer })
      const { contractId } = await ledger.submit([ledger.createIou()])
      const { json } = await update(ledger.node, [unvet(named('quickstart'))])
      assert.equal(json.newVettedPackages.topologySerial > 0, true)
      const filter = { InterfaceFilter: { value: { interfaceId: holdingType, includeInterfaceView: true } } }
      const eventFormat = filtersFor([ledger.alice], { identifierFilter: filter })
      const answer = await ledger.post('/v2/events/events-by-contract-id', { contractId, eventFormat })
      const [view] = answer.json.created.createdEvent.interfaceViews
      assert.equal(view.interfaceId, `${quickstartId}:Holding:Holding`)
      assert.deepEqual([view.viewStatus.code, view.viewValue, view.implementationPackageId], [9, null, null])
      assert.match(
        view.viewStatus.message,
        /^NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE\(9,0\): .* Reason: No synchronizer satisfies the vetting requirements\./,
      )
    })

    test('can be changed by administrators, and read by every user', async () => {
      await using node = await startTestNode({ store })
      await node.call('POST', '/v2/users', { body: { user: { id: 'alice' } } })
      const alice = await node.token('alice')
      const rows: [method: string, path: string, ofUser: number][] = [
        ['GET', '/v2/package-vetting', 200],
        ['POST', '/v2/package-vetting/list', 200],
        ['POST', '/v2/package-vetting', 403],
        ['POST', '/v2/package-vetting/update', 403],
        ['GET', '/v2/state/connected-synchronizers', 200],
      ]
      for (const [method, path, ofUser] of rows) {
        const status = async (token: string | null) => (await node.call(method, path, { token, body: {} })).status
        assert.deepEqual([await status(alice), await status(null)], [ofUser, 401], `${method} ${path}`)
      }
    })
  })

  describe(`synchronizers on ${store}`, () => {
    test('are two on a development node, created at first start and kept', async () => {
      await using node = await startTestNode({ store })
      const synchronizers = await synchronizersOf(node)
      const shown = synchronizers.map(({ synchronizerAlias, synchronizerId, permission }: Connected) => {
        assert.match(synchronizerId, new RegExp(`^${synchronizerAlias}::1220[0-9a-f]{64}$`))
        return [synchronizerAlias, permission]
      })
      const permission = 'PARTICIPANT_PERMISSION_UNSPECIFIED'
      assert.deepEqual(shown, [
        ['global', permission],
        ['private', permission],
      ])
      const ids = [node.node.participantId, ...synchronizers.map(({ synchronizerId }: Connected) => synchronizerId)]
      assert.equal(new Set(ids.map((id) => id.split('::')[1])).size, 3)
      await node.restart()
      assert.deepEqual(await synchronizersOf(node), synchronizers)
    })

    test('are the configured ones, the highest priority first', async () => {
      const settings = {
        development: false,
        auth: { mode: 'off' as const },
        synchronizers: [
          { alias: 'slow', priority: 0 },
          { alias: 'quick', priority: 5 },
        ],
      }
      await using node = await startTestNode({ store, settings })
      assert.deepEqual(
        (await synchronizersOf(node)).map(({ synchronizerAlias }: Connected) => synchronizerAlias),
        ['quick', 'slow'],
      )
    })

    test('each have their own vetting, changed together unless one is named', async () => {
      await using node = await startTestNode({ store })
      const [global, other] = (await synchronizersOf(node)).map(({ synchronizerId }: Connected) => synchronizerId)
      const vettedOn = async () => {
        const { vettedPackages } = (await list(node)).json
        const on = (id: string) => iouOf(vettedPackages.find((entry: Connected) => entry.synchronizerId === id))
        return [global, other].map((id) => on(id)?.map(([version]) => version))
      }
      await upload(node, first)
      assert.deepEqual(await vettedOn(), [['1.0.0'], ['1.0.0']])
      await upload(node, second, `?synchronizerId=${encodeURIComponent(other)}`)
      assert.deepEqual(await vettedOn(), [['1.0.0'], ['1.0.0', '1.2.0']])
      await upload(node, second)
      assert.deepEqual(await vettedOn(), [
        ['1.0.0', '1.2.0'],
        ['1.0.0', '1.2.0'],
      ])
      await update(node, [unvet(withId(firstId))], { synchronizerId: global })
      assert.deepEqual(await vettedOn(), [['1.2.0'], ['1.0.0', '1.2.0']])
      await update(node, [unvet(named('iou'))])
      assert.deepEqual(await vettedOn(), [[], []])
    })

    const several = [
      { alias: 'slow', priority: 0 },
      { alias: 'quick', priority: 1 },
    ]

    test('must be named by uploads, changes of vetting and allocations where the settings have several', async () => {
      await using node = await startTestNode({ store, settings: { synchronizers: several, hints: true } })
      const ids = (await synchronizersOf(node)).map(({ synchronizerId }: Connected) => synchronizerId)
      const short = (id: string) => `${id.slice(0, id.indexOf('::') + 14)}...`
      const refusal = async (method: string, path: string, options: object) => {
        const { status, json } = await node.call(method, path, options)
        assert.match(json.context.hint, /^name one with synchronizerId: /)
        return [status, json.code, json.cause]
      }
      const detected = `Cannot autodetect synchronizer: currently connected synchronizers ${ids.map(short).join(', ')}`
      const unnamed = [400, 'PACKAGE_SERVICE_CANNOT_AUTODETECT_SYNCHRONIZER', detected]
      assert.deepEqual(await refusal('POST', '/v2/packages', { body: first }), unnamed)
      assert.deepEqual(await refusal('POST', '/v2/dars/validate', { body: first }), unnamed)
      const change = { changes: [unvet(withId(firstId))] }
      assert.deepEqual(await refusal('POST', '/v2/package-vetting', { body: change }), unnamed)
      const party = `alice::${node.node.participantId.split('::')[1]}`
      assert.deepEqual(await refusal('POST', '/v2/parties', { body: { partyIdHint: 'alice' } }), [
        400,
        'PARTY_ALLOCATION_CANNOT_DETERMINE_SYNCHRONIZER',
        `Cannot determine the synchronizer on which to allocate party ${short(party)}, because the participant is ` +
          'connected to multiple synchronizers and no synchronizer was specified.',
      ])
      const unvetted = await node.call('POST', '/v2/packages?vetAllPackages=false', { body: first })
      assert.equal(unvetted.status, 200, unvetted.text)
      await node.call('POST', '/v2/synchronizers/slow/disconnect', { body: {} })
      const named = await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice' } })
      assert.equal(named.status, 200, named.text)
    })

    test('need no name in requests to a lenient node, which means all of them', async () => {
      await using node = await startTestNode({ store, settings: { synchronizers: several, lenient: true } })
      await upload(node, first)
      const { partyDetails } = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice' } })).json
      const hosted = await synchronizersOf(node, `?party=${encodeURIComponent(partyDetails.party)}`)
      assert.equal(hosted.length, 2)
    })

    test('are where parties are allocated and hosted', async () => {
      await using node = await startTestNode({ store })
      const synchronizerId = await synchronizerIdOf(node)
      const allocated = await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice', synchronizerId } })
      assert.equal(allocated.status, 200, allocated.text)
      const { party } = allocated.json.partyDetails
      const connections = (party: string, participantId = '') =>
        synchronizersOf(node, `?${new URLSearchParams({ party, participantId })}`)
      const hosted = [{ synchronizerAlias: 'global', synchronizerId, permission: 'PARTICIPANT_PERMISSION_SUBMISSION' }]
      assert.deepEqual(await connections(party), hosted)
      assert.deepEqual(await connections(party, node.node.participantId), hosted)
      assert.deepEqual(await connections(party, 'other::1220'), [])
      assert.deepEqual(await connections('bob::1220'), [])
    })

    test('are visible to callers that may act or read as the party', async () => {
      await using node = await startTestNode({ store })
      const { party } = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice' } })).json.partyDetails
      const right = { kind: { CanReadAs: { value: { party } } } }
      await node.call('POST', '/v2/users', { body: { user: { id: 'reader' }, rights: [right] } })
      await node.call('POST', '/v2/users', { body: { user: { id: 'stranger' } } })
      const path = `/v2/state/connected-synchronizers?party=${encodeURIComponent(party)}`
      const status = async (user: string) => (await node.call('GET', path, { token: await node.token(user) })).status
      assert.deepEqual([await status('reader'), await status('stranger')], [200, 403])
    })

    test('refuse invalid parties and participants', async () => {
      await using node = await startTestNode({ store })
      const badField = 'The submitted command has a field with invalid value: Invalid field'
      const rows: [query: Record<string, string>, cause: string][] = [
        [{ party: 'a%' }, `${badField} party: non expected character 0x25 in Daml-LF Party "a%"`],
        [
          { participantId: 'x' },
          `${badField} participant_id: Unable to convert field \`participant_id\`: Invalid member \`PAR::x\`, expecting <three-letter-code>::id::fingerprint.`,
        ],
      ]
      for (const [query, cause] of rows) {
        const answer = await node.call('GET', `/v2/state/connected-synchronizers?${new URLSearchParams(query)}`)
        assert.deepEqual(refusalOf(answer), [400, 'INVALID_FIELD', cause])
      }
    })
  })
}
