// Interactive submission over gRPC: prepare, sign, execute.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { openCursor, readBytes, readInt32 } from '../../src/protobuf/wire-reading.ts'
import { answerFrom, type GrpcClient, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { type Json, right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'
import { createOnboardingClient } from '../fixtures/onboarding.ts'
import { createSigner, type Signer } from '../fixtures/signer.ts'

const service = '/com.daml.ledger.api.v2.interactive.InteractiveSubmissionService/'
const invalidArgument = 3

describe('a signed transaction', () => {
  let ledger: TestLedger
  let client: GrpcClient
  let party: string
  const signer = createSigner()

  before(async () => {
    ledger = await startTestLedger({ settings: { grpc: { port: 0 } } })
    const token = await ledger.userWith('signing', right('CanReadAsAnyParty'), right('CanExecuteAsAnyParty'))
    client = openGrpc(ledger.node.node.grpcUrl!, token)
    const onboarded = await (await createOnboardingClient(ledger.node)).onboard(signer, 'ext')
    assert.equal(onboarded.status, 200, onboarded.text)
    party = onboarded.json.partyId
  })
  after(async () => {
    await client[Symbol.asyncDispose]()
    await ledger[Symbol.asyncDispose]()
  })

  const send = (method: string, request: object) =>
    client.call(`${service}${method}`, requestBytes(`${service}${method}`, request))

  async function succeed(method: string, request: object): Promise<{ bytes: Buffer; answer: Json }> {
    const { code, message, messages } = await send(method, request)
    assert.equal(code, 0, message)
    return { bytes: messages[0]!, answer: answerFrom(`${service}${method}`, messages[0]!) }
  }

  async function prepared(commandId: string): Promise<{ transaction: Buffer; hash: Buffer }> {
    const fields = [{ label: 'owner', value: { sum: { Party: party } } }]
    const command = { CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { fields } } }
    const request = {
      ...{ commandId, userId: 'signing', actAs: [party], commands: [command] },
      hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V2',
    }
    const { bytes } = await succeed('PrepareSubmission', request)
    return { transaction: partOf(bytes, 1), hash: partOf(bytes, 2) }
  }

  function execution({ transaction, hash }: { transaction: Buffer; hash: Buffer }, by: Signer = signer): object {
    return {
      preparedTransaction: transaction.toString('base64'),
      partySignatures: { signatures: [{ party, signatures: [by.sign(hash)] }] },
      ...{ submissionId: randomUUID(), userId: 'signing' },
      hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V2',
    }
  }

  test('is recorded, and can be waited for', async () => {
    const first = await succeed('ExecuteSubmissionAndWait', execution(await prepared('first')))
    assert.match(first.answer.updateId, /^1220/)
    const eventFormat = { filtersForAnyParty: {}, verbose: true }
    const signed = await prepared('second')
    const second = await succeed('ExecuteSubmissionAndWaitForTransaction', {
      ...execution(signed),
      transactionFormat: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
    })
    const { transaction } = second.answer
    assert.equal(transaction.events.length, 1)
    assert.deepEqual(Buffer.from(transaction.externalTransactionHash, 'base64'), signed.hash)
    assert.ok(transaction.offset > first.answer.completionOffset)
    await succeed('ExecuteSubmission', execution(await prepared('third')))
    // What was executed over gRPC is read over HTTP.
    const { json } = await ledger.post('/v2/updates/update-by-id', {
      updateId: first.answer.updateId,
      updateFormat: {
        includeTransactions: {
          eventFormat: { filtersForAnyParty: {} },
          transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
        },
      },
    })
    const [{ CreatedEvent: created }] = json.update.Transaction.value.events
    assert.deepEqual([created.createArgument.owner, created.signatories], [party, [party]])
  })

  test('is refused if another has signed it, or if it is another transaction', async () => {
    const one = await prepared('forged')
    const forged = await send('ExecuteSubmissionAndWait', execution(one, createSigner()))
    assert.equal(forged.code, invalidArgument, forged.message)
    const other = await prepared('other')
    const exchanged = await send(
      'ExecuteSubmissionAndWait',
      execution({ transaction: one.transaction, hash: other.hash }),
    )
    assert.equal(exchanged.code, invalidArgument, exchanged.message)
    const damaged = Buffer.from(one.transaction)
    damaged[damaged.length >> 1]! ^= 1
    const changed = await send('ExecuteSubmissionAndWait', execution({ transaction: damaged, hash: one.hash }))
    assert.ok([invalidArgument, 9, 10].includes(changed.code), `${changed.code} ${changed.message}`)
  })

  test('is missed part by part', async () => {
    const missing = (field: string) =>
      new RegExp(`^MISSING_FIELD\\(8,.{8}\\): The submitted command is missing a mandatory field: ${field}$`)
    for (const method of ['ExecuteSubmission', 'ExecuteSubmissionAndWait', 'ExecuteSubmissionAndWaitForTransaction']) {
      assert.match((await send(method, {})).message, missing('prepared_transaction'))
      assert.match((await send(method, { preparedTransaction: '' })).message, missing('parties_signatures'))
    }
  })
})

test('without authentication, an execution needs the user that submits before its transaction', async () => {
  await using node = await startTestNode({ settings: { auth: { mode: 'off' }, grpc: { port: 0 } } })
  await using client = openGrpc(node.node.grpcUrl!)
  const path = `${service}ExecuteSubmission`
  const { code, message } = await client.call(path, new Uint8Array())
  assert.equal(code, invalidArgument)
  assert.match(
    message,
    /^INVALID_TOKEN\(8,.{8}\): The submitted request is missing a user-id: Cannot default user_id field/,
  )
  const named = await client.call(path, requestBytes(path, { userId: 'u', preparedTransaction: '' }))
  assert.match(named.message, /mandatory field: parties_signatures$/)
})

/** The bytes of a field. */
function partOf(message: Buffer, number: number): Buffer {
  const cursor = openCursor(message, 'a message')
  while (cursor.position < message.length) {
    const tag = readInt32(cursor)
    if ((tag & 7) !== 2) readInt32(cursor)
    else {
      const bytes = readBytes(cursor)
      if (tag >> 3 === number) return Buffer.from(bytes)
    }
  }
  throw new Error(`there is no field ${number}`)
}
