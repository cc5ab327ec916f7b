// The Admin API: what scripts and tools ask of a participant beside the Ledger API.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { ChannelCredentials } from '@grpc/grpc-js'
import { GrpcTransport } from '@protobuf-ts/grpc-transport'
import { createSeededRandom } from '../../src/base/random.ts'
import { adminMethods } from '../../src/grpc/admin/served-admin-api.ts'
import { adminApi } from '../../src/protobuf/admin-api.ts'
import { createJsonWriters } from '../../src/protobuf/json-writing.ts'
import { finishWriting } from '../../src/protobuf/message-writer.ts'
import type { Field, Method } from '../../src/protobuf/messages.ts'
import { type AdminClient, openAdmin } from '../fixtures/admin-client.ts'
import { answerFrom, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { startTestNetwork } from '../fixtures/network.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

const dar = readFileSync(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))
const headState = { baseQuery: { timeQuery: { HeadState: {} } } }
const [unimplemented, resourceExhausted] = [12, 8]
const synchronizer = (alias: string, priority: number) => ({ alias, priority })

type Result = { config: { synchronizerAlias: string }; connected: boolean; status: string }

describe('the Admin API', () => {
  let node: TestNode
  let admin: AdminClient
  let participantId: string

  before(async () => {
    const settings = { admin: { port: 0 }, synchronizers: [synchronizer('first', 0), synchronizer('second', -1)] }
    node = await startTestNode({ settings })
    admin = openAdmin(node.node.adminUrl!)
    participantId = node.node.participantId
  })
  after(async () => {
    admin[Symbol.dispose]()
    await node[Symbol.asyncDispose]()
  })

  const upload = async (request: object = {}) => {
    const synchronizerId = (await admin.call('SynchronizerConnectivityService/GetSynchronizerId', alias('first')))
      .synchronizerId
    const dars = [{ bytes: dar.toString('base64') }]
    return admin.call('PackageService/UploadDar', { dars, vetAllPackages: true, synchronizerId, ...request })
  }
  const alias = (synchronizerAlias: string) => ({ synchronizerAlias })
  const connectedAliases = async () => {
    const { connectedSynchronizers } = await admin.call('SynchronizerConnectivityService/ListConnectedSynchronizers')
    return connectedSynchronizers.map((one: { synchronizerAlias: string }) => one.synchronizerAlias)
  }

  test('needs no token, and tells the status of the participant with its ports and synchronizers', async () => {
    const { kind } = await admin.call('ParticipantStatusService/ParticipantStatus')
    const { commonStatus, connectedSynchronizers, active, supportedProtocolVersions } = kind.status
    assert.equal(commonStatus.uid, participantId)
    assert.equal(commonStatus.version, '3.5.10')
    assert.equal(commonStatus.ports.admin, Number(new URL(node.node.adminUrl!).port))
    assert.equal(commonStatus.ports.json, Number(new URL(node.url).port))
    assert.deepEqual([active, commonStatus.active, supportedProtocolVersions], [true, true, [34, 35]])
    assert.match(connectedSynchronizers[0].physicalSynchronizerId, /^first::1220[0-9a-f]{64}::35-0$/)
    assert.equal(connectedSynchronizers[0].health, 'HEALTH_HEALTHY')
    const { uniqueIdentifier, initialized } = await admin.call('IdentityInitializationService/GetId')
    assert.deepEqual([uniqueIdentifier, initialized], [participantId, true])
  })

  test('connects and disconnects synchronizers, as the Ledger API then sees', async () => {
    assert.deepEqual(await connectedAliases(), ['first', 'second'])
    await admin.call('SynchronizerConnectivityService/DisconnectSynchronizer', alias('second'))
    assert.deepEqual(await connectedAliases(), ['first'])
    const { json } = await node.call('GET', '/v2/state/connected-synchronizers')
    assert.deepEqual(
      json.connectedSynchronizers.map((one: { synchronizerAlias: string }) => one.synchronizerAlias),
      ['first'],
    )
    const { results } = await admin.call('SynchronizerConnectivityService/ListRegisteredSynchronizers')
    assert.deepEqual(
      results.map((one: Result) => [one.config.synchronizerAlias, one.connected, one.status]),
      [
        ['first', true, 'STATUS_ACTIVE'],
        ['second', false, 'STATUS_ACTIVE'],
      ],
    )
    const back = await admin.call('SynchronizerConnectivityService/ReconnectSynchronizer', alias('second'))
    assert.equal(back.connectedSuccessfully, true)
    await admin.call('SynchronizerConnectivityService/DisconnectAllSynchronizers')
    assert.deepEqual(await connectedAliases(), [])
    await admin.call('SynchronizerConnectivityService/ReconnectSynchronizers')
    assert.deepEqual(await connectedAliases(), ['first', 'second'])
    await assert.rejects(admin.call('SynchronizerConnectivityService/ReconnectSynchronizer', alias('third')), {
      details: /^SYNC_SERVICE_UNKNOWN_SYNCHRONIZER\(11,\w+\): The synchronizer with alias third is unknown\.$/,
    })
  })

  test('uploads a DAR, lists it with its packages, and refuses another main package before it stores anything', async () => {
    const other = await startTestNode({ settings: { admin: { port: 0 }, development: false, auth: { mode: 'off' } } })
    try {
      using empty = openAdmin(other.node.adminUrl!)
      const expectedMainPackageId = 'f'.repeat(64)
      const dars = [{ bytes: dar.toString('base64'), expectedMainPackageId }]
      await assert.rejects(empty.call('PackageService/UploadDar', { dars, vetAllPackages: true }), {
        details: /^MAIN_PACKAGE_IN_DAR_DOES_NOT_MATCH_EXPECTED\(9,\w+\): The main package of the uploaded DAR is 'c5ff/,
      })
      assert.deepEqual(await empty.call('PackageService/ListPackages'), { packageDescriptions: [] })
    } finally {
      await other[Symbol.asyncDispose]()
    }
    const { darIds } = await upload()
    const { json } = await node.call('GET', '/v2/packages')
    assert.ok(json.packageIds.includes(darIds[0]))
    const { dars } = await admin.call('PackageService/ListDars', { filterName: 'quick' })
    assert.deepEqual(dars, [{ main: darIds[0], name: 'quickstart', version: '1.0.0', description: '' }])
    const contents = await admin.call('PackageService/GetDarContents', { mainPackageId: darIds[0] })
    assert.deepEqual([contents.description.main, contents.packages[0].name], [darIds[0], 'quickstart'])
    const { modules, languageVersion, isUtilityPackage, description } = await admin.call(
      'PackageService/GetPackageContents',
      { packageId: darIds[0] },
    )
    assert.deepEqual(
      modules.map(({ name }: { name: string }) => name),
      ['Holding', 'Iou', 'Wallet'],
    )
    assert.deepEqual([languageVersion, isUtilityPackage, description.size], ['2.1', false, 6051])
    const references = await admin.call('PackageService/GetPackageReferences', { packageId: darIds[0] })
    assert.deepEqual(references.dars, dars)
  })

  test('refuses unknown packages and files that are no DARs in Canton’s words', async () => {
    await assert.rejects(admin.call('PackageService/GetDarContents', { mainPackageId: 'abc' }), {
      details: /: getDar operation failed due to non-existent DAR archive with main package-id abc$/,
    })
    await assert.rejects(admin.call('PackageService/GetPackageContents', { packageId: 'abc' }), {
      details: /^PACKAGE_CONTENT_NOT_FOUND\(11,\w+\): The package abc is not known$/,
    })
    await assert.rejects(upload({ dars: [{ bytes: 'AAAA' }] }), {
      details: /^INVALID_DAR\(8,\w+\): Dar file is corrupt$/,
    })
  })

  test('vets and unvets a DAR, as the topology then says', async () => {
    const { darIds } = await upload()
    const { synchronizerId } = await admin.call('SynchronizerConnectivityService/GetSynchronizerId', alias('first'))
    const vetted = async () => {
      const store = { store: { Synchronizer: { kind: { Id: synchronizerId } } } }
      const query = { baseQuery: { ...headState.baseQuery, store } }
      const { results } = await admin.call('TopologyManagerReadService/ListVettedPackages', query)
      return results[0].item.packages.map(({ packageId }: { packageId: string }) => packageId)
    }
    assert.ok((await vetted()).includes(darIds[0]))
    await admin.call('PackageService/UnvetDar', { mainPackageId: darIds[0], synchronizerId })
    assert.ok(!(await vetted()).includes(darIds[0]))
    await admin.call('PackageService/VetDar', { mainPackageId: darIds[0], synchronizerId })
    assert.ok((await vetted()).includes(darIds[0]))
  })

  test('tells who hosts a party to the client that is made from Canton’s files', async () => {
    const { json } = await node.call('POST', '/v2/parties', {
      body: { partyIdHint: 'alice', synchronizerId: (await firstSynchronizer()).synchronizerId },
    })
    const { party } = json.partyDetails
    const transport = new GrpcTransport({
      host: node.node.adminUrl!.replace('http://', ''),
      channelCredentials: ChannelCredentials.createInsecure(),
    })
    try {
      const client = await topologyClient(transport)
      const list = async (filterParty: string, filterParticipant = '') => {
        const baseQuery = { ...emptyQuery, timeQuery: { oneofKind: 'headState', headState: {} } }
        return (await client.listPartyToParticipant({ baseQuery, filterParty, filterParticipant })).response.results
      }
      const [found, ...others] = await list('ali')
      assert.deepEqual(others, [])
      assert.equal(found.item.party, party)
      assert.equal(found.item.threshold, 1)
      const [host] = found.item.participants
      assert.deepEqual([host.participantUid, host.permission], [participantId, 1])
      assert.deepEqual([await list('bob'), await list('alice', 'someone')], [[], []])
      assert.deepEqual(await list(participantId), [], 'no mapping says that a participant hosts itself')
    } finally {
      transport.close()
    }
    const query = { ...headState, filterParty: party }
    const mappings = await admin.call('TopologyManagerReadService/ListPartyToParticipant', query)
    const { store, transactionHash, validFrom, sequenced, serial } = mappings.results[0].context
    assert.deepEqual([transactionHash.length, validFrom, sequenced, serial], [34, 0n, 0n, 1])
    assert.equal(store.store.synchronizer.kind.physicalId, (await firstSynchronizer()).physicalSynchronizerId)
    const { results } = await admin.call('TopologyAggregationService/ListParties', { limit: 10, filterParty: 'alice' })
    assert.equal(results[0].participants[0].synchronizers[0].permission, 'PARTICIPANT_PERMISSION_SUBMISSION')
  })

  const firstSynchronizer = () => admin.call('SynchronizerConnectivityService/GetSynchronizerId', alias('first'))

  test('reads the topology as it is now, of the synchronizers that there are', async () => {
    const { storeIds } = await admin.call('TopologyManagerReadService/ListAvailableStores')
    assert.equal(storeIds.length, 3)
    const method = 'TopologyManagerReadService/ListParticipantSynchronizerPermission'
    assert.deepEqual(await admin.call(method, headState), { results: [] })
    await assert.rejects(admin.call(method), { details: /^PROTO_DESERIALIZATION_FAILURE\(8,/ })
    const snapshot = { baseQuery: { timeQuery: { Snapshot: '2030-01-01T00:00:00Z' } } }
    await assert.rejects(admin.call(method, snapshot), { code: unimplemented, details: /ask for head_state$/ })
    const nowhere = { store: { Synchronizer: { kind: { Id: `nope::1220${'a'.repeat(64)}` } } } }
    await assert.rejects(admin.call(method, { baseQuery: { ...headState.baseQuery, store: nowhere } }), {
      details: /^TOPOLOGY_STORE_NOT_FOUND\(11,\w+\): No active synchronizer found for nope::1220aaaaaaaa\.\.\.\.$/,
    })
  })

  test('has no schedule of pruning, and prunes what the Ledger API would', async () => {
    assert.deepEqual(await admin.call('PruningService/GetSchedule'), {})
    assert.deepEqual(await admin.call('PruningService/GetParticipantSchedule'), {})
    await assert.rejects(admin.call('PruningService/Prune'), { details: /The prune_up_to field \(0\) is invalid/ })
    await assert.rejects(admin.call('PruningService/Prune', { pruneUpTo: 100_000 }), {
      details: /^OFFSET_OUT_OF_RANGE\(9,/,
    })
  })

  test('names the method that it does not have, and does not have those of the Ledger API', async () => {
    const paths = [
      '/com.digitalasset.canton.admin.participant.v30.PartyManagementService/AddPartyAsync',
      '/com.digitalasset.canton.admin.participant.v30.PackageService/RemoveDar',
      '/com.daml.ledger.api.v2.VersionService/GetLedgerApiVersion',
    ]
    for (const path of paths) {
      const refusal = { code: unimplemented, details: `Method not found: ${path.slice(1)}` }
      await assert.rejects(admin.callPath(path), refusal)
    }
  })

  test('describes itself, and not the Ledger API', async () => {
    await using raw = openGrpc(node.node.adminUrl!)
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
    const { messages } = await raw.call(path, requestBytes(path, { messageRequest: { ListServices: '' } }))
    const names = answerFrom(path, messages[0]!).messageResponse.listServicesResponse.service.map(
      ({ name }: { name: string }) => name,
    )
    assert.ok(names.includes('com.digitalasset.canton.admin.participant.v30.PackageService'), names)
    assert.ok(!names.some((name: string) => name.startsWith('com.daml.')), names)
    const api = await admin.call('ApiInfoService/GetApiInfo')
    assert.deepEqual(api, { name: 'admin-api' })
  })

  test('refuses a request that is larger than the limit, before it has come', async () => {
    await using raw = openGrpc(node.node.adminUrl!)
    const path = '/com.digitalasset.canton.admin.participant.v30.PackageService/UploadDar'
    const head = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff])
    const { code, message } = await raw.call(path, head, { isRaw: true })
    assert.equal(code, resourceExhausted, message)
  })

  test('answers no request with an internal error, whatever its fields are', async () => {
    await using raw = openGrpc(node.node.adminUrl!)
    const random = createSeededRandom('admin api')
    const internal = [2, 13]
    for (const [path, { request }] of methods()) {
      const messages = request.fields.flatMap((field) => oddValues(field).map((value) => ({ [field.jsonName]: value })))
      const encoded = [{}, ...messages].map((message) =>
        finishWriting((writer) => createJsonWriters().of(request)(writer, message as never)),
      )
      const nonsense = Array.from({ length: 5 }, () => random.bytes(20))
      for (const bytes of [...encoded, ...nonsense]) {
        if (path.includes('Disconnect')) continue // Other tests need the synchronizers.
        const { code, message } = await raw.call(path, bytes)
        assert.ok(!internal.includes(code), `${path} ${Buffer.from(bytes).toString('hex')}: ${code} ${message}`)
      }
    }
  })

  test('has a row for every method of its tables', () => {
    const rows = adminMethods({ ports: () => ({}), uptimeMs: () => 0, health: node.node as never })
    const declared = adminApi()
      .files.flatMap(({ services }) => services)
      .filter(({ fullName }) => /^com\.digitalasset\.canton\.(admin|topology)\./.test(fullName))
      .flatMap(({ fullName, methods }) => methods.map(({ name }) => `${fullName}/${name}`))
    assert.deepEqual(rows.map(({ method }) => `com.digitalasset.canton.${method}`).sort(), declared.sort())
  })

  test('COMPAT.md has a row for each method', () => {
    const document = readFileSync('COMPAT.md', 'utf8')
    const rows = adminMethods({ ports: () => ({}), uptimeMs: () => 0, health: node.node as never })
    for (const { method } of rows) {
      const row = `| \`${method}\` |`
      assert.ok(document.includes(row), `COMPAT.md has no row ${row}`)
    }
  })
})

test('each participant of a network has an Admin API, which knows the parties of the others', async () => {
  await using network = await startTestNetwork({ settings: { admin: { port: 0 } } })
  const { v1, v2, s2 } = network
  const bob = await v2.allocate('bob', s2)
  const [sandbox, , sidebox] = network.node.node.participants
  using here = openAdmin(sandbox!.adminUrl!)
  const { results } = await here.call('TopologyManagerReadService/ListPartyToParticipant', headState)
  assert.deepEqual(
    results.map(({ item }: Mapped) => [item.party, item.participants.map((one) => one.participantUid)]),
    [[bob, [v2.participantId]]],
  )
  const certificates = await here.call('TopologyManagerReadService/ListSynchronizerTrustCertificate', headState)
  const names = certificates.results.map(({ item }: Certificate) =>
    [item.participantUid, item.synchronizerId].map((id) => id.split('::')[0]).join(' on '),
  )
  assert.deepEqual(names.sort(), [
    'pebblebox on synchronizer-1',
    'pebblebox on synchronizer-2',
    'sandbox on synchronizer-1',
    'sandbox on synchronizer-2',
    'sidebox on synchronizer-2',
  ])
  const query = { limit: 10, filterParty: 'sandbox' }
  using there = openAdmin(sidebox!.adminUrl!)
  const known = await there.call('TopologyAggregationService/ListParties', query)
  assert.deepEqual(
    known.results.map(({ party, participants }: Known) => [party, participants[0]!.participantUid]),
    [[v1.participantId, v1.participantId]],
  )
})

type Mapped = { item: { party: string; participants: { participantUid: string }[] } }
type Certificate = { item: { participantUid: string; synchronizerId: string } }
type Known = { party: string; participants: { participantUid: string }[] }

test('a node has no Admin API unless a port is set', async () => {
  const node = await startTestNode({})
  assert.equal(node.node.adminUrl, undefined)
  await node[Symbol.asyncDispose]()
})

function methods(): [path: string, method: Method][] {
  return adminApi()
    .files.flatMap(({ services }) => services)
    .filter(({ fullName }) => /^com\.digitalasset\.canton\.(admin|topology)\./.test(fullName))
    .flatMap(({ fullName, methods: all }) =>
      all.map((method): [string, Method] => [`/${fullName}/${method.name}`, method]),
    )
}

function oddValues({ kind, occurs }: Field): unknown[] {
  const values = oddValuesOf(kind)
  return occurs === 'repeated' ? values.map((value) => [value]) : values
}

function oddValuesOf(kind: Field['kind']): unknown[] {
  if (kind === 'string') return ['x', '%', '::', 'x::1220', 'a'.repeat(300), '\u0000']
  if (kind === 'bytes') return ['AAAA']
  if (kind === 'bool') return [true]
  if (typeof kind === 'string') return [-1, 1, 2_147_483_647]
  if (kind.is === 'enum') return [...kind.numbers.keys()]
  return kind.fullName === 'google.protobuf.Timestamp' ? ['9999-12-31T23:59:59Z'] : [{}]
}

const emptyQuery = { proposals: false, operation: 0, filterSignedKey: '' }

async function topologyClient(transport: GrpcTransport) {
  const folder = new URL('../../node_modules/@canton-network/core-ledger-proto/dist/esm/_proto/', import.meta.url)
  const file = 'com/digitalasset/canton/topology/admin/v30/topology_manager_read_service.client.js'
  const { TopologyManagerReadServiceClient } = await import(new URL(file, folder).href)
  return new TopologyManagerReadServiceClient(transport)
}
