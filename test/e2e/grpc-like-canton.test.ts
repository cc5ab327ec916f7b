// What gRPC tells and the JSON API tells otherwise, or not at all; as Canton answered when it was asked the same.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { answerToJson } from '../../tools/compare/grpc-side.ts'
import { type GrpcClient, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { effectsDar, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'

const quickstartDar = new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname
const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'

describe('over gRPC', () => {
  let ledger: TestLedger
  let client: GrpcClient

  before(async () => {
    ledger = await startTestLedger({
      settings: { grpc: { port: 0 }, auth: { mode: 'off' }, development: false, dars: [effectsDar, quickstartDar] },
    })
    client = openGrpc(ledger.node.node.grpcUrl!, ledger.token)
  })
  after(async () => {
    await client[Symbol.asyncDispose]()
    await ledger[Symbol.asyncDispose]()
  })

  async function call(method: string, request: object, token = ledger.token) {
    const path = method.startsWith('/') ? method : `/com.daml.ledger.api.v2.${method}`
    return answerToJson(path, await client.call(path, requestBytes(path, request), { token }))
  }

  const fields = () => [{ label: 'owner', value: { sum: { Party: ledger.alice } } }]
  const createWallet = () => ({
    CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { fields: fields() } },
  })

  test('a refusal names the submission where the synchronizer id is malformed', async () => {
    const commands = {
      ...{ userId: 'app', commandId: 'c', submissionId: 'submission', actAs: [ledger.alice], synchronizerId: 'x' },
      commands: [createWallet()],
    }
    for (const method of ['CommandService/SubmitAndWait', 'CommandSubmissionService/Submit']) {
      const { code, context, requestInfo } = await call(method, { commands })
      assert.equal(code, 'INVALID_FIELD')
      assert.match(context.participant, /^'.*'$/)
      assert.equal(requestInfo[0].requestId, 'submission')
    }
    const prepare = 'interactive.InteractiveSubmissionService/PrepareSubmission'
    assert.match((await call(prepare, commands)).context.participant, /^'.*'$/)
  })

  test('a refusal names the submission where a part of a command is missing or malformed', async () => {
    const wrong: object[] = [
      {},
      { CreateCommand: { createArguments: { fields: fields() } } },
      { CreateCommand: { templateId: '#quickstart:Wallet:Wallet' } },
      { CreateCommand: { templateId: 'x:y:z w', createArguments: { fields: fields() } } },
      { ExerciseCommand: { templateId: '#quickstart:Wallet:Wallet', contractId: 'x', choice: 'Archive' } },
    ]
    for (const command of wrong) {
      const commands = { userId: 'app', commandId: 'c', actAs: [ledger.alice], commands: [command] }
      const method = 'CommandService/SubmitAndWait'
      const named = await call(method, { commands: { ...commands, submissionId: 'submission' } })
      assert.equal(named.requestInfo[0].requestId, 'submission', named.cause)
      const unnamed = await call(method, { commands })
      assert.match(unnamed.requestInfo[0].requestId, /^[0-9a-f]{8}-/, unnamed.cause)
      const prepared = await call('interactive.InteractiveSubmissionService/PrepareSubmission', commands)
      assert.equal(prepared.requestInfo[0].requestId, prepared.context.tid, prepared.cause)
    }
  })

  test('an unknown acting party is a submitter of a command, and an informee of a preparation', async () => {
    const commands = { userId: 'app', commandId: 'c', actAs: ['x', ledger.alice], commands: [createWallet()] }
    const submitted = await call('CommandService/SubmitAndWait', { commands })
    assert.deepEqual([submitted.code, submitted.context.unknownSubmitters], ['UNKNOWN_SUBMITTERS', 'Set(x)'])
    assert.equal(submitted.context.unknownInformees, undefined)
    const prepared = await call('interactive.InteractiveSubmissionService/PrepareSubmission', commands)
    assert.deepEqual([prepared.code, prepared.context.unknownInformees], ['UNKNOWN_INFORMEES', 'Set(x)'])
  })

  test('a submission id of any length is taken by Prune, as it is not used', async () => {
    const request = { pruneUpTo: 0, submissionId: 'x'.repeat(300) }
    const { cause } = await call('admin.ParticipantPruningService/Prune', request, ledger.node.adminToken)
    assert.match(cause, /prune_up_to not specified or zero$/)
  })

  test('the refusal of a user of another identity provider names the trace as the request', async () => {
    for (const method of ['GetUser', 'ListUserRights', 'GrantUserRights', 'RevokeUserRights']) {
      const request = { userId: 'app', identityProviderId: 'x' }
      const answer = await call(`admin.UserManagementService/${method}`, request, ledger.node.adminToken)
      const [{ requestId }] = answer.requestInfo
      assert.match(answer.cause, new RegExp(`about the request ${requestId} with tid ${requestId}$`), method)
    }
  })

  test('reflection says what was not found', async () => {
    const rows: [request: object, code: number, message: string][] = [
      [{ FileByFilename: 'nothing.proto' }, 5, 'File not found.'],
      [{ FileContainingSymbol: 'Nothing' }, 5, 'Symbol not found.'],
      [{ AllExtensionNumbersOfType: 'Nothing' }, 5, 'Type not found.'],
      [{ FileContainingExtension: { containingType: 'Nothing', extensionNumber: 5 } }, 5, 'Extension not found.'],
      [{}, 12, 'not implemented MESSAGEREQUEST_NOT_SET'],
    ]
    for (const [messageRequest, errorCode, errorMessage] of rows) {
      const [{ errorResponse }] = await call(reflection, { messageRequest })
      assert.deepEqual(errorResponse, { errorCode, errorMessage })
    }
  })

  test('the size of a package is that of its payload', async () => {
    const { packageDetails } = await call('admin.PackageManagementService/ListKnownPackages', {})
    assert.ok(packageDetails.length > 0)
    for (const { packageId, packageSize } of packageDetails) {
      const { archivePayload } = await call('PackageService/GetPackage', { packageId })
      assert.equal(packageSize, Buffer.from(archivePayload, 'base64').length)
    }
  })
})
