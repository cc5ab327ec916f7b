// Packages over HTTP: upload, validation, look-up; every refusal with its code and text, and nothing stored.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import { writeZip } from '../../src/lf/dar/zip-writing.ts'
import { type Answer, refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { fc } from '../fixtures/seed.ts'
import { archiveOf, createPackageWriter, darOf, payloadOf } from '../support/lf/package-writer.ts'
import { bytes, text } from '../support/lf/proto-writer.ts'
import { sampleArchive, sampleDar } from '../support/lf/sample-package.ts'

const fileOf = (path: string) => new URL(`../../${path}`, import.meta.url)
const readDar = (path: string) => readFileSync(fileOf(path))
const idsOf = (dar: Uint8Array) => decodeDar(dar).packages.map((entry) => entry.package.id)

const quickstart = readDar('packages/quickstart/quickstart.dar')
const keys = readDar('test/lf/keys-lf23.dar')
const sample = sampleDar(1)
const sameVersion = sampleDar(2) // The same name and version as `sample`, but another package.
const [sampleId, sameVersionId] = [sample, sameVersion].map((dar) => idsOf(dar)[0]!) as [string, string]

const empty = archiveOf(payloadOf(createPackageWriter(2).finish(), '2'))
const languageOne = Buffer.concat([text(3, '17'), bytes(2, Buffer.alloc(0))])
const languageDev = payloadOf(createPackageWriter(2).finish(), 'dev')
const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

const upload = (node: TestNode, body: Uint8Array, query = '', path = '/v2/dars') =>
  node.call('POST', `${path}${query}`, { body })
const validate = (node: TestNode, body: Uint8Array, query = '') => upload(node, body, query, '/v2/dars/validate')
const list = async (node: TestNode): Promise<string[]> => (await node.call('GET', '/v2/packages')).json.packageIds
const statusOf = async (node: TestNode, id: string) => (await node.call('GET', `/v2/packages/${id}/status`)).json

function referringTo(packageId: string): Buffer {
  const writer = createPackageWriter(1)
  writer.constructorType(writer.id('Main', 'T', packageId))
  return archiveOf(payloadOf(writer.finish(), '1'))
}

const disallowed = (payload: Uint8Array, version: string) =>
  `Disallowed language version in package ${hashOf(payload)}: Expected version range is List(2.1, 2.2, 2.3) but got ${version}`

const unreadable: [what: string, dar: Uint8Array, code: string, cause: string][] = [
  ['nothing', Buffer.alloc(0), 'INVALID_DAR', 'Dar file is corrupt'],
  ['text', Buffer.from('this is not a zip file, whatever its name'), 'INVALID_DAR', 'Dar file is corrupt'],
  ['a zip file without manifest', writeZip([['a', Buffer.from('b')]]), 'INVALID_DAR', 'Dar file is corrupt'],
  ['a manifest of another format', darOf({ a: empty }, { Format: 'x' }), 'INVALID_DAR', 'Dar file is corrupt'],
  [
    'a manifest that names what is missing',
    darOf({ a: empty }, { Dalfs: 'a, b' }),
    'INVALID_ZIP_ENTRY',
    'Dar zip file is corrupt',
  ],
  ['a truncated DAR', keys.subarray(0, 2000), 'DAR_PARSE_ERROR', 'Failed to parse the dar file content.'],
  ['a dalf of noise', darOf({ a: Buffer.from('noise') }), 'DAR_PARSE_ERROR', 'Failed to parse the dar file content.'],
  [
    'a dalf with another hash',
    darOf({ a: archiveOf(payloadOf(createPackageWriter(2).finish(), '2'), 'f'.repeat(64)) }),
    'DAR_PARSE_ERROR',
    'Failed to parse the dar file content.',
  ],
  ['a zip bomb', darOf({ a: Buffer.alloc(4 * 1024 * 1024) }), 'ZIP_BOMB', 'Dar zip file seems to be a zip bomb.'],
  ['LF 1', darOf({ a: archiveOf(languageOne) }), 'ALLOWED_LANGUAGE_VERSIONS', disallowed(languageOne, '1.17')],
  ['LF 2.dev', darOf({ a: archiveOf(languageDev) }), 'ALLOWED_LANGUAGE_VERSIONS', disallowed(languageDev, '2.dev')],
  [
    'a DAR without the stable packages that it refers to',
    darOf({ a: decodeDar(keys).main.bytes }),
    'DAR_VALIDATION_ERROR',
    'Package validation failed.',
  ],
  [
    'a DAR without what its main package needs',
    darOf({ a: referringTo('f'.repeat(64)) }),
    'DAR_DEPENDENCIES_NOT_VALID',
    'The set of packages in the dar is not self-consistent and is missing dependencies or has extra dependencies',
  ],
  [
    'a DAR with more than its main package needs',
    darOf({ a: sampleArchive(2), b: empty }),
    'DAR_DEPENDENCIES_NOT_VALID',
    'The set of packages in the dar is not self-consistent and is missing dependencies or has extra dependencies',
  ],
]

for (const store of stores) {
  describe(`packages on ${store}`, () => {
    test('are uploaded, listed, and returned as bytes whose hash is their id', async () => {
      await using node = await startTestNode({ store })
      for (const path of ['/v2/dars', '/v2/packages']) {
        const answer = await upload(node, keys, '', path)
        assert.deepEqual([answer.status, answer.text], [200, '{}'])
      }
      const ids = await list(node)
      assert.deepEqual(ids, [...new Set([...idsOf(quickstart), ...idsOf(keys)])].sort())
      for (const id of ids) {
        const response = await fetch(`${node.url}/v2/packages/${id}`, {
          headers: { authorization: `Bearer ${node.adminToken}` },
        })
        assert.equal(response.headers.get('content-type'), 'application/octet-stream')
        assert.equal(response.headers.get('canton-package-hash'), id)
        assert.equal(hashOf(await response.bytes()), id)
        assert.deepEqual(await statusOf(node, id), { packageStatus: 'PACKAGE_STATUS_REGISTERED' })
      }
    })

    test('take any Content-Type, and none', async () => {
      await using node = await startTestNode({ store })
      for (const type of ['application/json', 'application/octet-stream', 'text/plain', 'nonsense']) {
        const headers = { 'content-type': type }
        assert.equal((await node.call('POST', '/v2/dars', { body: sample, headers })).status, 200, type)
      }
      assert.equal((await node.call('POST', '/v2/users', { body: { user: { id: 'bob' } } })).status, 200)
    })

    test('are octets, and an Accept header that excludes them is refused', async () => {
      await using node = await startTestNode({ store })
      const path = `/v2/packages/${idsOf(quickstart)[0]}`
      const rows: [accept: string, status: number][] = [
        ['application/octet-stream', 200],
        ['application/*', 200],
        ['text/html, */*', 200],
        ['application/json', 406],
      ]
      for (const [accept, status] of rows) {
        assert.equal((await node.call('GET', path, { headers: { accept } })).status, status, accept)
      }
      const headers = { accept: 'text/plain' } // An answer without a body has no type to exclude.
      assert.equal((await node.call('POST', '/v2/dars/validate', { body: sample, headers })).status, 200)
    })

    test('survive a restart, which does not upload them again', async () => {
      await using node = await startTestNode({ store })
      await upload(node, sample)
      const before = await list(node)
      await node.restart()
      assert.deepEqual(await list(node), before)
      assert.equal((await upload(node, sample)).status, 200)
      assert.deepEqual(await list(node), before)
    })

    test('that are unknown are 404, and have no status', async () => {
      await using node = await startTestNode({ store })
      const id = 'f'.repeat(64)
      const answer = await node.call('GET', `/v2/packages/${id}`)
      assert.deepEqual(refusalOf(answer), [404, 'PACKAGE_NOT_FOUND', 'Could not find package.'])
      assert.deepEqual(answer.json.resources, [['ErrorResource(PACKAGE)', id]])
      assert.equal(answer.json.context.definite_answer, 'false')
      assert.deepEqual(await statusOf(node, id), { packageStatus: 'PACKAGE_STATUS_UNSPECIFIED' })
    })

    test('are refused with an invalid id', async () => {
      await using node = await startTestNode({ store })
      const invalid = 'The submitted request has invalid arguments: Invalid package id: '
      const rows: [id: string, reason: string][] = [
        ['a%25', 'non expected character 0x25 in Daml-LF Package ID "a%"'],
        ['a'.repeat(65), 'Daml-LF Package ID is too long (max: 64)'],
      ]
      for (const [id, reason] of rows) {
        for (const path of [`/v2/packages/${id}`, `/v2/packages/${id}/status`]) {
          assert.deepEqual(refusalOf(await node.call('GET', path)), [400, 'INVALID_ARGUMENT', invalid + reason])
        }
      }
    })

    test('are refused if they cannot be read, and nothing is kept', async () => {
      await using node = await startTestNode({ store })
      const before = await list(node)
      for (const [what, dar, code, cause] of unreadable) {
        assert.deepEqual(refusalOf(await upload(node, dar)), [400, code, cause], what)
        assert.deepEqual(refusalOf(await validate(node, dar)), [400, code, cause], `${what}, validated`)
      }
      assert.deepEqual(await list(node), before)
    })

    test('are refused with the reason in the context', async () => {
      await using node = await startTestNode({ store })
      const contextOf = async (dar: Uint8Array) => {
        const { tid, participant, category, ...context } = (await upload(node, dar)).json.context
        assert.deepEqual([participant, category, typeof tid], ['participant', '8', 'string'])
        return context
      }
      const damaged = darOf({ a: Buffer.from('noise') })
      const exception = 'com.digitalasset.daml.lf.archive.Error$InvalidZipEntry: Invalid zip entryName'
      assert.deepEqual(await contextOf(Buffer.alloc(0)), {
        entries: 'List()',
        throwable: `${exception}: META-INF/MANIFEST.MF, DAR: uploaded-via-ledger-api, content: [}]`,
      })
      assert.deepEqual(await contextOf(darOf({ a: empty }, { Dalfs: 'a, b' })), {
        name: 'b',
        entries: 'List(META-INF/MANIFEST.MF, a)',
      })
      assert.match((await contextOf(damaged)).reason, /^a: /)
      assert.deepEqual(await contextOf(darOf({ a: archiveOf(languageOne) })), {
        packageId: hashOf(languageOne),
        languageVersion: '1.17',
        allowedLanguageVersions: 'List(2.1, 2.2, 2.3)',
      })
    })

    test('are refused if name and version are taken, unless they are not vetted', async () => {
      await using node = await startTestNode({ store })
      await upload(node, sample)
      const before = await list(node)
      const [first, second] = [sampleId, sameVersionId].sort()
      const pair = `${first} (test-package v1.0.0) and ${second} (test-package v1.0.0)`
      const cause = `Tried to vet two packages with the same name and version: ${pair}.`
      assert.deepEqual(refusalOf(await validate(node, sameVersion)), [400, 'KNOWN_PACKAGE_VERSION', cause])
      assert.deepEqual(await list(node), before)
      const refused = await upload(node, sameVersion)
      assert.deepEqual(refusalOf(refused), [400, 'KNOWN_PACKAGE_VERSION', cause])
      assert.equal(refused.json.context.action, 'package-vetting')
      assert.ok((await list(node)).includes(sameVersionId), 'it is kept, unvetted')

      assert.equal((await upload(node, sameVersion, '?vetAllPackages=false')).status, 200)
      assert.equal((await upload(node, sameVersion, '?vetAllPackages=false')).status, 200)
      assert.equal((await upload(node, sample)).status, 200)
      assert.deepEqual(refusalOf(await upload(node, sameVersion)), [400, 'KNOWN_PACKAGE_VERSION', cause])
    })

    test('with one name and version, uploaded concurrently, are one package', async () => {
      await using node = await startTestNode({ store })
      const answers = await Promise.all([sample, sameVersion, sample, sameVersion].map((dar) => upload(node, dar)))
      const codes = answers.map(({ status }) => status).sort()
      assert.deepEqual(codes, [200, 200, 400, 400])
    })

    test('can be validated without being stored', async () => {
      await using node = await startTestNode({ store })
      const before = await list(node)
      const answer = await validate(node, sample)
      assert.deepEqual([answer.status, answer.text, answer.type], [200, '', ''])
      assert.deepEqual(await list(node), before)
    })

    test('are for the only ledger', async () => {
      await using node = await startTestNode({ store })
      const known = `?synchronizerId=${encodeURIComponent('sync::1220')}`
      const notConnected = "Cannot upload a dar because the participant is not connected to synchronizer 'sync::1220'."
      const rows: [answer: Answer, want: unknown[]][] = [
        [await upload(node, sample, known), [400, 'PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER', notConnected]],
        [await validate(node, sample, known), [400, 'PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER', notConnected]],
        [
          await upload(node, sample, '?synchronizerId=x'),
          [400, 'PROTO_DESERIALIZATION_FAILURE', 'Deserialization of protobuf message failed'],
        ],
        [
          await upload(node, sample, '?vetAllPackages=maybe'),
          [400, 'Invalid value for: query parameter vetAllPackages'],
        ],
      ]
      for (const [answer, want] of rows) assert.deepEqual(refusalOf(answer), want)
      assert.equal((await upload(node, sample, `${known}&vetAllPackages=FALSE`)).status, 200)
    })

    test('are uploaded by administrators, and readable by every user', async () => {
      await using node = await startTestNode({ store })
      await node.call('POST', '/v2/users', { body: { user: { id: 'alice' } } })
      const alice = await node.token('alice')
      const id = idsOf(quickstart)[0]!
      const rows: [method: string, path: string, ofUser: number][] = [
        ['POST', '/v2/dars', 403],
        ['POST', '/v2/packages', 403],
        ['POST', '/v2/dars/validate', 403],
        ['GET', '/v2/packages', 200],
        ['GET', `/v2/packages/${id}`, 200],
        ['GET', `/v2/packages/${id}/status`, 200],
      ]
      for (const [method, path, ofUser] of rows) {
        const body = method === 'POST' ? { body: sample } : {}
        const status = async (token: string | null) => (await node.call(method, path, { token, ...body })).status
        assert.deepEqual([await status(alice), await status(null)], [ofUser, 401], `${method} ${path}`)
      }
      assert.ok(!(await list(node)).includes(sampleId))
    })

    test('are refused if they exceed the body limit', async () => {
      await using node = await startTestNode({ store, settings: { limits: { bodyBytesMax: 1000 } } })
      const before = await list(node)
      const large = Buffer.concat([sample, Buffer.alloc(1000)])
      assert.deepEqual(refusalOf(await upload(node, large)), [413, 'The request body is larger than 1000 bytes'])
      assert.deepEqual(await list(node), before)
    })

    test('of hostile bytes are refused, and change nothing', async () => {
      await using node = await startTestNode({ store })
      const before = await list(node)
      const damaged = fc
        .record({ at: fc.nat(keys.length - 1), with: fc.uint8Array({ minLength: 1, maxLength: 8 }), cut: fc.nat(8) })
        .map(({ at, with: bytes, cut }) => Buffer.concat([keys.subarray(0, at), bytes, keys.subarray(at + cut)]))
      await fc.assert(
        fc.asyncProperty(fc.oneof(damaged, fc.uint8Array({ maxLength: 300 })), async (dar) => {
          const { status, text } = await validate(node, dar)
          if (status === 200) return // The damaged bytes were not part of a package.
          assert.equal(status, 400, text)
        }),
        { numRuns: 60, endOnFailure: true },
      )
      assert.deepEqual(await list(node), before)
    })
  })
}

describe('packages at start', () => {
  test('are the quickstart package on a development node', async () => {
    await using node = await startTestNode()
    assert.deepEqual(node.node.packages, ['quickstart 1.0.0'])
    assert.deepEqual(await list(node), idsOf(quickstart).sort())
  })

  test('are the requested ones, in addition to the quickstart package', async () => {
    const file = fileOf('test/lf/keys-lf23.dar').pathname
    await using node = await startTestNode({ store: 'sqlite', settings: { dars: [file] } })
    assert.deepEqual(node.node.packages, ['quickstart 1.0.0', 'keys-lf23 1.0.0'])
    await node.restart()
    assert.deepEqual(node.node.packages, ['quickstart 1.0.0', 'keys-lf23 1.0.0'])
    assert.deepEqual(await list(node), [...new Set([...idsOf(quickstart), ...idsOf(keys)])].sort())
  })
})
