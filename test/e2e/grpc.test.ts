// The gRPC API as clients see it that were not made here.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { errorDetails, openProtoClient, type ProtoClient } from '../fixtures/proto-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of all methods pass through here.
type Answer = any

const iou = { packageId: '#quickstart', moduleName: 'Iou', entityName: 'Iou' }
const party = (name: string) => ({ value: { sum: { oneofKind: 'party', party: name } } })
const wildcard = { cumulative: [{ identifierFilter: { oneofKind: 'wildcardFilter', wildcardFilter: {} } }] }

describe('the gRPC API', () => {
  let node: TestNode
  let client: ProtoClient
  let alice: string
  let bank: string

  before(async () => {
    node = await startTestNode({ settings: { grpc: { port: 0 } } })
    client = openProtoClient(node.node.grpcUrl!, node.adminToken)
    const parties = await client.of('PartyManagementService')
    const allocate = async (partyIdHint: string) =>
      (await parties.allocateParty({ partyIdHint, identityProviderId: '', synchronizerId: '', userId: '' })).response
        .partyDetails.party
    alice = await allocate('alice')
    bank = await allocate('bank')
    const users = await client.of('UserManagementService')
    await users.createUser({
      user: {
        id: 'app',
        primaryParty: alice,
        isDeactivated: false,
        identityProviderId: '',
        primaryPartyAuthentication: false,
      },
      rights: [alice, bank].map((name) => ({ kind: { oneofKind: 'canActAs', canActAs: { party: name } } })),
    })
  })
  after(async () => {
    client[Symbol.dispose]()
    await node[Symbol.asyncDispose]()
  })

  const amount = (text: string) => ({ value: { sum: { oneofKind: 'numeric', numeric: text } } })
  const create = (value = '100') => ({
    command: {
      oneofKind: 'create',
      create: {
        templateId: iou,
        createArguments: {
          fields: [
            { label: '', ...party(bank) },
            { label: '', ...party(alice) },
            { label: '', ...amount(value) },
            { label: '', value: { sum: { oneofKind: 'text', text: 'EUR' } } },
            { label: '', value: { sum: { oneofKind: 'list', list: { elements: [] } } } },
          ],
        },
      },
    },
  })
  let numbered = 0
  const commands = (...all: unknown[]) => ({
    ...{ workflowId: 'w', userId: 'app', commandId: `c${numbered++}`, commands: all, actAs: [bank, alice], readAs: [] },
    ...{ deduplicationPeriod: { oneofKind: undefined }, submissionId: '', disclosedContracts: [], synchronizerId: '' },
    ...{ packageIdSelectionPreference: [], prefetchContractKeys: [] },
  })
  const eventFormat = (verbose: boolean) => ({ filtersByParty: { [alice]: wildcard }, verbose })
  const shape = { delta: 1, effects: 2 }

  async function asApp<T>(body: (app: ProtoClient) => Promise<T>): Promise<T> {
    using app = openProtoClient(node.node.grpcUrl!, await node.token('app'))
    return await body(app)
  }

  async function collected(call: { responses: AsyncIterable<Answer> }): Promise<Answer[]> {
    const all: Answer[] = []
    for await (const response of call.responses) all.push(response)
    return all
  }

  test('knows an expected serial of any kind', async () => {
    await using raw = openGrpc(node.node.grpcUrl!, node.adminToken)
    const path = '/com.daml.ledger.api.v2.admin.PackageManagementService/UpdateVettedPackages'
    const codes = []
    for (const serial of [{ NoPrior: {} }, { Prior: { value: 7 } }, { Empty: {} }]) {
      const request = { changes: [], dryRun: true, expectedTopologySerial: { serial } }
      codes.push((await raw.call(path, requestBytes(path, request))).code)
    }
    assert.deepEqual(codes, [9, 9, 0])
  })

  test('tells its version and what administrators want to know', async () => {
    const version = await client.of('VersionService')
    assert.match((await version.getLedgerApiVersion({})).response.version, /^3\.5\./)
    const users = await client.of('UserManagementService')
    const { response } = await users.listUserRights({ userId: 'app', identityProviderId: '' })
    assert.deepEqual(
      response.rights.map((right: Answer) => right.kind.canActAs.party),
      [alice, bank],
    )
    const changed = await users.updateUser({
      user: {
        id: 'app',
        primaryParty: '',
        isDeactivated: false,
        identityProviderId: '',
        primaryPartyAuthentication: false,
        metadata: { resourceVersion: '', annotations: { team: 'a' } },
      },
      updateMask: { paths: ['metadata.annotations'] },
    })
    assert.deepEqual(changed.response.user.metadata, { resourceVersion: '1', annotations: { team: 'a' } })
    assert.equal(changed.response.user.primaryParty, alice)
    const packages = await client.of('PackageService')
    const ids = (await packages.listPackages({})).response.packageIds
    const known = (await (await client.of('PackageManagementService')).listKnownPackages({})).response.packageDetails
    assert.deepEqual(known.map(({ packageId }: Answer) => packageId).toSorted(), ids.toSorted())
    const { response: archive } = await packages.getPackage({ packageId: ids[0] })
    assert.deepEqual([archive.hash, archive.archivePayload.length > 100], [ids[0], true])
  })

  test('takes commands, and shows what they did', async () => {
    await asApp(async (app) => {
      const service = await app.of('CommandService')
      const { response } = await service.submitAndWaitForTransaction({
        commands: commands(create()),
        transactionFormat: { eventFormat: eventFormat(true), transactionShape: shape.effects },
      })
      const [event] = response.transaction.events
      const { created } = event.event
      assert.deepEqual(
        created.createArguments.fields.map(({ label }: Answer) => label),
        ['issuer', 'owner', 'amount', 'currency', 'observers'],
      )
      assert.equal(created.createArguments.fields[2].value.sum.numeric, '100.0000000000')
      assert.deepEqual([created.packageName, created.signatories], ['quickstart', [alice, bank]])

      const split = await service.submitAndWaitForTransaction({
        commands: commands({
          command: {
            oneofKind: 'exercise',
            exercise: {
              templateId: iou,
              contractId: created.contractId,
              choice: 'Iou_Split',
              choiceArgument: {
                sum: { oneofKind: 'record', record: { fields: [{ label: 'amount', ...amount('30') }] } },
              },
            },
          },
        }),
        transactionFormat: { eventFormat: eventFormat(false), transactionShape: shape.effects },
      })
      const kinds = split.response.transaction.events.map(({ event: { oneofKind } }: Answer) => oneofKind)
      assert.deepEqual(kinds, ['exercised', 'created', 'created'])
      const { exercised } = split.response.transaction.events[0].event
      assert.deepEqual(
        exercised.exerciseResult.sum.record.fields.map(({ label }: Answer) => label),
        ['', ''],
      )

      const state = await app.of('StateService')
      const { offset } = (await state.getLedgerEnd({})).response
      const active = await collected(
        state.getActiveContracts({ activeAtOffset: offset, eventFormat: eventFormat(false) }),
      )
      const amounts = active.map(({ contractEntry: { activeContract } }) => {
        return activeContract.createdEvent.createArguments.fields[2].value.sum.numeric
      })
      assert.deepEqual(amounts.toSorted(), ['30.0000000000', '70.0000000000'])

      const updates = await app.of('UpdateService')
      const updateFormat = { includeTransactions: { eventFormat: eventFormat(false), transactionShape: shape.delta } }
      const range = { beginExclusive: '0', endInclusive: offset, updateFormat, filter: undefined, verbose: false }
      const seen = await collected(updates.getUpdates(range))
      const transactions = seen.filter(({ update }) => update.oneofKind === 'transaction')
      assert.deepEqual(
        transactions.map(({ update }) => update.transaction.updateId),
        [response.transaction.updateId, split.response.transaction.updateId],
      )
      const found = await updates.getUpdateById({ updateId: split.response.transaction.updateId, updateFormat })
      assert.equal(found.response.update.transaction.offset, offset)

      const events = await app.of('EventQueryService')
      const both = await events.getEventsByContractId({
        requestingParties: [],
        contractId: created.contractId,
        eventFormat: eventFormat(false),
      })
      assert.equal(both.response.created.createdEvent.contractId, created.contractId)
      assert.equal(both.response.archived.archivedEvent.contractId, created.contractId)

      const completions = await app.of('CommandCompletionService')
      const abort = new AbortController()
      const stream = completions.completionStream(
        { userId: 'app', parties: [alice], beginExclusive: '0' },
        { abort: abort.signal },
      )
      for await (const { completionResponse } of stream.responses) {
        assert.equal(completionResponse.completion.updateId, response.transaction.updateId)
        break
      }
      abort.abort()
    })
  })

  test('refuses packages that cannot be selected with the codes of gRPC', async () => {
    await using raw = openGrpc(node.node.grpcUrl!, await node.token('app'))
    const path = '/com.daml.ledger.api.v2.CommandService/SubmitAndWait'
    const { connectedSynchronizers } = (await node.call('GET', '/v2/state/connected-synchronizers')).json
    const [first] = connectedSynchronizers
    const unknownId = '0'.repeat(64)
    const refused = async (templateId: string, fields: object = {}) => {
      const create = { CreateCommand: { templateId, createArguments: { fields: [] } } }
      const request = { commandId: 'c', userId: 'app', actAs: [alice], commands: [create], ...fields }
      const { code, message } = await raw.call(path, requestBytes(path, { commands: request }))
      return [code, message.replace(/\(\d+,.{8}\)/, '')]
    }
    const shortened = (id: string) => id.replace(/(1220[0-9a-f]{8})[0-9a-f]*/, '$1...')
    const discarded = (places: Answer[]) => {
      const none = `No package with package-name 'nothing' is consistently vetted by all hosting participants of party`
      const failed = "Failed to select package-id for package-name 'nothing' appearing in a command root node due to"
      const reasons = places.map(
        ({ synchronizerId }) => `\n\t${shortened(synchronizerId)}::35-0: ${failed}: ${none} ${shortened(alice)}.`,
      )
      return `Discarded synchronizers: ${reasons.join('')}`
    }
    const [code, cut] = await refused('#nothing:A:B')
    const whole =
      'PACKAGE_SELECTION_FAILED: No synchronizers satisfy the topology requirements for the submitted command: ' +
      discarded(connectedSynchronizers)
    assert.equal(code, 9)
    assert.ok(whole.startsWith(String(cut).slice(0, -'...'.length)), String(cut))
    assert.deepEqual(await refused('#nothing:A:B', { synchronizerId: first.synchronizerId }), [
      9,
      'INVALID_PRESCRIBED_SYNCHRONIZER_ID: Cannot submit transaction to prescribed synchronizer ' +
        `\`${shortened(first.synchronizerId)}\` because: ${discarded([first])}`,
    ])
    assert.deepEqual(await refused('#quickstart:Wallet:Wallet', { packageIdSelectionPreference: [unknownId] }), [
      3,
      'INVALID_ARGUMENT: The submitted request has invalid arguments: ' +
        `user-specified pkg id (${unknownId}) could not be found`,
    ])
  })

  test('refuses as Canton does, with details', async () => {
    const { Status, ErrorInfo, RequestInfo, ResourceInfo } = await errorDetails()
    await using raw = openGrpc(node.node.grpcUrl!, node.adminToken)
    const path = '/com.daml.ledger.api.v2.admin.UserManagementService/GetUser'
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` }
    const answer = await raw.call(path, requestBytes(path, { userId: 'nobody' }), { headers })
    assert.deepEqual(
      [answer.code, answer.message],
      [5, `USER_NOT_FOUND(11,${trace.slice(0, 8)}): getting user failed for unknown user "nobody"`],
    )
    const status = Status.fromBinary(answer.details)
    assert.deepEqual([status.code, status.message], [answer.code, answer.message])
    const details = new Map<string, Uint8Array>(
      status.details.map(({ typeUrl, value }: Answer) => [typeUrl.split('.').at(-1), value]),
    )
    const { reason, metadata } = ErrorInfo.fromBinary(details.get('ErrorInfo')!)
    assert.deepEqual(
      [reason, metadata.category, metadata.definite_answer, metadata.tid],
      ['USER_NOT_FOUND', '11', 'false', trace],
    )
    assert.equal(RequestInfo.fromBinary(details.get('RequestInfo')!).requestId, trace)
    const { resourceType, resourceName } = ResourceInfo.fromBinary(details.get('ResourceInfo')!)
    assert.deepEqual([resourceType, resourceName], ['USER', 'nobody'])
  })

  test('requires a token and rights', async () => {
    await using raw = openGrpc(node.node.grpcUrl!)
    const path = '/com.daml.ledger.api.v2.admin.UserManagementService/ListUsers'
    const codeOf = async (token: string | null) => (await raw.call(path, new Uint8Array(), { token })).code
    assert.deepEqual(
      [
        await codeOf(null),
        await codeOf('nonsense'),
        await codeOf(await node.token('app')),
        await codeOf(node.adminToken),
      ],
      [16, 16, 7, 0],
    )
  })

  test('ends a stream when its reader loses its rights', async () => {
    await node.call('POST', '/v2/users', {
      body: { user: { id: 'reader' }, rights: [{ kind: { CanReadAs: { value: { party: alice } } } }] },
    })
    await using raw = openGrpc(node.node.grpcUrl!, await node.token('reader'))
    const path = '/com.daml.ledger.api.v2.UpdateService/GetUpdates'
    const request = {
      updateFormat: {
        includeTransactions: {
          eventFormat: { filtersByParty: { [alice]: {} } },
          transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
        },
      },
    }
    const ended = raw.call(path, requestBytes(path, request))
    const metrics = async () => (await node.call('GET', '/metrics')).text
    const isOpen = /tallystick_open_streams\{operation="[^"]*GetUpdates",transport="grpc"\} 1/
    while (!isOpen.test(await metrics())) await new Promise((resolve) => setImmediate(resolve))
    await node.call('DELETE', '/v2/users/reader')
    const { code, message } = await ended
    assert.equal(code, 10)
    assert.match(message, /^STALE_STREAM_AUTHORIZATION\(2,[0-9a-f]{8}\): Stale stream authorization. Retry quickly.$/)
  })

  test('keeps deadlines', async () => {
    await using raw = openGrpc(node.node.grpcUrl!, node.adminToken)
    const path = '/com.daml.ledger.api.v2.CommandCompletionService/GetCompletions'
    const { code } = await raw.call(path, requestBytes(path, { parties: [alice] }), {
      headers: { 'grpc-timeout': '60S' },
    })
    assert.equal(code, 7) // An administrator reads nothing.
    const token = await node.token('app')
    const late = await raw.call(path, requestBytes(path, { parties: [alice] }), {
      token,
      headers: { 'grpc-timeout': '50m' },
    })
    assert.equal(late.code, 4)
  })

  test('is healthy, and says what it offers', async () => {
    await using raw = openGrpc(node.node.grpcUrl!)
    const health = await raw.call('/grpc.health.v1.Health/Check', new Uint8Array())
    assert.deepEqual([health.code, [...health.messages[0]!]], [0, [8, 1]])
    const healthOf = async (method: string, service: string) => {
      const healthPath = `/grpc.health.v1.Health/${method}`
      const { code, message } = await raw.call(healthPath, requestBytes(healthPath, { service }))
      return [code, message]
    }
    for (const component of ['write', 'indexer', 'index']) assert.deepEqual(await healthOf('Check', component), [0, ''])
    for (const method of ['Check', 'Watch']) {
      const unknown = 'com.daml.ledger.api.v2.UpdateService'
      assert.deepEqual(await healthOf(method, unknown), [5, `Component ${unknown} does not exist.`])
    }
    const info = await raw.call('/com.digitalasset.canton.connection.v30.ApiInfoService/GetApiInfo', new Uint8Array())
    assert.deepEqual([info.code, info.messages[0]?.toString()], [0, '\n\nledger-api'])
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
    const list = requestBytes(path, { messageRequest: { ListServices: '' } })
    for (const each of [path, path.replace('v1', 'v1alpha')]) {
      const { messages } = await raw.call(each, list)
      const names = messages[0]!.toString('latin1')
      assert.match(names, /com\.daml\.ledger\.api\.v2\.UpdateService/, each)
      assert.match(names, /com\.digitalasset\.canton\.connection\.v30\.ApiInfoService/, each)
    }
    // With these, grpcurl shows the details of an error.
    for (const name of ['ErrorInfo', 'RequestInfo', 'ResourceInfo', 'RetryInfo']) {
      const symbol = { FileContainingSymbol: `google.rpc.${name}` }
      const { messages } = await raw.call(path, requestBytes(path, { messageRequest: symbol }))
      assert.match(messages[0]!.toString('latin1'), /google\/rpc\/error_details\.proto/, name)
    }
    const unknown = await raw.call('/com.daml.ledger.api.v2.UpdateService/GetEverything', new Uint8Array())
    assert.deepEqual(
      [unknown.code, unknown.message],
      [12, 'Method not found: com.daml.ledger.api.v2.UpdateService/GetEverything'],
    )
  })

  test('serves the ledger that a snapshot puts in place of another', async () => {
    await node.call('POST', '/dev/snapshots', { body: { name: 'before' } })
    const parties = await client.of('PartyManagementService')
    await parties.allocateParty({ partyIdHint: 'late', identityProviderId: '', synchronizerId: '', userId: '' })
    const names = async () => {
      const { response } = await parties.listKnownParties({ pageToken: '', pageSize: 0, identityProviderId: '' })
      return response.partyDetails.filter((details: Answer) => details.party.startsWith('late::')).length
    }
    assert.equal(await names(), 1)
    await node.call('POST', '/dev/snapshots/before/restore')
    assert.equal(await names(), 0)
  })
})
