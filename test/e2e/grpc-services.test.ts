// One ledger, two transports: the same request over HTTP and over gRPC has the same outcome, with the same code and text. And
// nothing that a client sends over gRPC is an internal error.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createSeededRandom } from '../../src/base/random.ts'
import { rows } from '../../src/grpc/served-api.ts'
import { allMethods, type GrpcClient, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

const prefix = '/com.daml.ledger.api.v2.'
const internal = 13
const unknown = 2
const unauthenticated = 16

describe('a request', () => {
  let node: TestNode
  let client: GrpcClient

  before(async () => {
    node = await startTestNode({ settings: { grpc: { port: 0 } } })
    client = openGrpc(node.node.grpcUrl!, node.adminToken)
    await node.call('POST', '/v2/users', { body: { user: { id: 'app' }, rights: [] } })
  })
  after(async () => {
    await client[Symbol.asyncDispose]()
    await node[Symbol.asyncDispose]()
  })

  const party = `x::1220${'a'.repeat(64)}`
  const anything = { eventFormat: { filtersByParty: { [party]: {} } } }
  const updateFormat = {
    includeTransactions: { ...anything, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
  }
  const commands = { commands: [], commandId: 'c', actAs: [party], userId: 'participant_admin' }

  type Same = [method: string, request: object, http: string, body?: unknown]
  const same: Same[] = [
    ['admin.UserManagementService/GetUser', { userId: 'nobody' }, 'GET /v2/users/nobody'],
    ['admin.UserManagementService/GetUser', { userId: 'app' }, 'GET /v2/users/app'],
    ['admin.UserManagementService/CreateUser', {}, 'POST /v2/users', {}],
    ['admin.UserManagementService/CreateUser', { user: { id: '%' } }, 'POST /v2/users', { user: { id: '%' } }],
    ['admin.UserManagementService/CreateUser', { user: { id: 'app' } }, 'POST /v2/users', { user: { id: 'app' } }],
    [
      'admin.UserManagementService/GrantUserRights',
      { userId: 'app', rights: [{ kind: { Empty: {} } }] },
      'POST /v2/users/app/rights',
      { userId: 'app', rights: [{ kind: { Empty: {} } }] },
    ],
    [
      'admin.UserManagementService/UpdateUser',
      { user: { id: 'app' }, updateMask: { paths: ['nothing'] } },
      'PATCH /v2/users/app',
      { user: { id: 'app' }, updateMask: { paths: ['nothing'], unknownFields: { fields: {} } } },
    ],
    ['admin.PartyManagementService/AllocateParty', { partyIdHint: '%' }, 'POST /v2/parties', { partyIdHint: '%' }],
    ['admin.PartyManagementService/ListKnownParties', { pageSize: -1 }, 'GET /v2/parties?pageSize=-1'],
    ['admin.IdentityProviderConfigService/GetIdentityProviderConfig', { identityProviderId: 'no' }, 'GET /v2/idps/no'],
    ['PackageService/GetPackageStatus', { packageId: '%' }, 'GET /v2/packages/%25/status'],
    ['admin.ParticipantPruningService/Prune', { pruneUpTo: -1 }, 'POST /v2/pruning', { pruneUpTo: -1 }],
    ['testing.TimeService/SetTime', {}, 'POST /v2/time', {}],
    ['CommandService/SubmitAndWait', { commands }, 'POST /v2/commands/submit-and-wait', commands],
    [
      'UpdateService/GetUpdateByOffset',
      { offset: 1, updateFormat },
      'POST /v2/updates/update-by-offset',
      { offset: 1, updateFormat },
    ],
    [
      'UpdateService/GetUpdateById',
      { updateId: 'x', updateFormat },
      'POST /v2/updates/update-by-id',
      { updateId: 'x', updateFormat },
    ],
    [
      'UpdateService/GetUpdatesPage',
      { updateFormat, maxPageSize: -1 },
      'POST /v2/updates/get-updates-page',
      { updateFormat, maxPageSize: -1 },
    ],
    [
      'StateService/GetActiveContracts',
      { ...anything, activeAtOffset: 1000 },
      'POST /v2/state/active-contracts',
      { ...anything, activeAtOffset: 1000 },
    ],
    [
      'EventQueryService/GetEventsByContractId',
      { ...anything, contractId: 'x' },
      'POST /v2/events/events-by-contract-id',
      { ...anything, contractId: 'x' },
    ],
    ['ContractService/GetContract', { contractId: 'x' }, 'POST /v2/contracts/contract-by-id', { contractId: 'x' }],
    [
      'interactive.InteractiveSubmissionService/GetPreferredPackages',
      {},
      'POST /v2/interactive-submission/preferred-packages',
      { packageVettingRequirements: [] },
    ],
  ]
  for (const [method, request, http, body] of same) {
    test(`to ${method} is answered as ${http}`, async () => {
      const path = `${prefix}${method}`
      const over = await client.call(path, requestBytes(path, request))
      const [verb, place] = http.split(' ') as [string, string]
      const answer = await node.call(verb, place, body === undefined ? {} : { body })
      if (answer.status === 200) assert.equal(over.code, 0, over.message)
      else {
        const { code, errorCategory, cause, grpcCodeValue } = answer.json
        const head = code === 'NA' ? '' : `${code}(${errorCategory},0): `
        const told = over.message.replace(/^([A-Z_]+\(\d+,)[0-9a-f]{8}\)/, '$10)')
        assert.deepEqual([over.code, told], [grpcCodeValue, head + cause])
      }
    })
  }

  test('without a token is refused by every method that requires one', async () => {
    for (const [path, method] of allMethods()) {
      const row = rows.find((each) => path === `${prefix}${each.method}`)
      if (row === undefined || method.isRequestStream || row.operation === 'GET /v2/version') continue
      for (const token of [null, 'x', `${node.adminToken}x`]) {
        const { code } = await client.call(path, new Uint8Array(), { token })
        assert.equal(code, unauthenticated, path)
      }
    }
  })

  test('of random bytes is refused by every method, and never an internal error', async () => {
    const random = createSeededRandom('hostile')
    const answers: Promise<void>[] = []
    for (const [path, method] of allMethods()) {
      if (!path.startsWith(prefix) || method.isRequestStream) continue
      for (const length of [1, 2, 7, 40]) {
        const bytes = random.bytes(length)
        answers.push(
          client.call(path, bytes, { headers: { 'grpc-timeout': '2S' } }).then(({ code, message }) => {
            assert.ok(
              code !== internal && code !== unknown && code >= 0,
              `${path} ${bytes.toString('hex')}: ${code} ${message}`,
            )
          }),
        )
      }
    }
    await Promise.all(answers)
    const { code } = await client.call(`${prefix}StateService/GetLedgerEnd`, new Uint8Array())
    assert.equal(code, 0)
  })

  test('that is no message in a frame is refused, as by grpc-java', async () => {
    const path = `${prefix}StateService/GetLedgerEnd`
    const frames: [bytes: number[], code: number][] = [
      [[], internal],
      [[0, 0, 0], internal],
      [[0, 0, 0, 0, 9, 1], internal],
      [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0], internal],
      [[0, 255, 255, 255, 255], 8],
      [[1, 0, 0, 0, 0], internal],
    ]
    for (const [bytes, code] of frames) {
      const answer = await client.call(path, Uint8Array.from(bytes), { isRaw: true })
      assert.deepEqual([bytes, answer.code], [bytes, code], answer.message)
    }
  })
})
