// Random requests to every operation of a node: no answer is a 500 or violates its schema, and the node works
// afterwards. TALLYSTICK_REQUESTS=500 sends as many requests to each operation.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { operationOf } from '../../src/api/route.ts'
import { allRoutes } from '../../src/api/routes/all.ts'
import { arbitraryRequest, type Known, type RandomRequest } from '../fixtures/arbitrary-requests.ts'
import {
  effectsDar,
  exercise,
  filtersFor,
  iouType,
  type Json,
  keysDar,
  right,
  startTestLedger,
  type TestLedger,
  transactionFormat,
} from '../fixtures/ledger.ts'
import { fc, testSeed } from '../fixtures/seed.ts'

const numRuns = Number(process.env.TALLYSTICK_REQUESTS ?? 30)

describe(`random requests (seed ${testSeed})`, () => {
  // Keeps waiting streams short.
  const limits = { listWaitMs: 20, requestTimeoutMs: 60_000 }
  let ledger: TestLedger
  let known: Awaited<ReturnType<typeof whatThereIs>>
  before(async () => {
    ledger = await startTestLedger({ settings: { limits } })
    known = await whatThereIs(ledger)
  })
  after(async () => {
    try {
      await checkAfterwards()
    } finally {
      await ledger[Symbol.asyncDispose]()
    }
  })
  const done = new Set<string>()

  for (const route of allRoutes('0.0.0')) {
    const operation = operationOf(route)
    test(operation, async () => {
      await restore(ledger)
      const property = fc.asyncProperty(arbitraryRequest(route, known), async (request) => {
        const { status, text } = await send(ledger, route.method, request)
        if (status === 503 && waitsForLedgerTime(request)) return
        assert.ok(status < 500 || status === 501, `${status}: ${text.slice(0, 1000)}`)
        if (status === 200) done.add(operation)
      })
      await fc.assert(property, { numRuns, endOnFailure: true })
      await restore(ledger) // Without a synchronizer it is not ready.
      assert.equal((await ledger.node.call('GET', '/readyz')).status, 200)
    })
  }

  /** Not all requests were refused, and the node still works. */
  async function checkAfterwards(): Promise<void> {
    await restore(ledger)
    assert.ok(done.size > 20, `only ${[...done].join(', ')}`)
    assert.equal((await ledger.node.call('GET', '/v2/users/participant_admin')).status, 200)
    await ledger.node.call('POST', '/v2/packages', { body: readFileSync(keysDar) })
    const create = { templateId: '#keys-lf23:Keys:Keyed', createArguments: keyed(ledger.alice) }
    // As the administrator, because the user `app` may have been moved to another identity provider.
    const asAdmin = { commandId: 'afterwards', userId: 'participant_admin', actAs: [ledger.alice] }
    const body = ledger.commandsOf([{ CreateCommand: create }], asAdmin)
    const answer = await ledger.node.call('POST', '/v2/commands/submit-and-wait', { body })
    assert.equal(answer.status, 200, answer.text)
  }
})

async function send(ledger: TestLedger, method: string, { path, body, headers, asWhom }: RandomRequest) {
  const tokens = { admin: ledger.node.adminToken, app: ledger.token, nobody: null, broken: 'no.such.token' }
  return ledger.node.call(method, path, { token: tokens[asWhom], headers, ...(body !== undefined && { body }) })
}

/** A command may ask for a distant ledger time; its request then times out. */
function waitsForLedgerTime({ body }: RandomRequest): boolean {
  return typeof body === 'string' && body.includes('minLedgerTime')
}

function keyed(party: string): object {
  const key = { maintainers: [party], name: 'name', maintainersFault: 'Fine', last: null }
  return { signatories: [party], observers: [], key, keyFault: 'Fine', note: '' }
}

/** Restores what earlier requests may have removed. */
async function restore({ node, alice, bank }: TestLedger): Promise<void> {
  await node.call('POST', '/v2/users', { body: { user: { id: 'someone' } } })
  const rights = [right('CanActAs', alice), right('CanActAs', bank), right('CanReadAsAnyParty')]
  await node.call('POST', '/v2/users/participant_admin/rights', { body: { userId: 'participant_admin', rights } })
  const acme = { identityProviderId: 'acme', issuer: 'https://acme.example', jwksUrl: 'https://acme.example/keys' }
  await node.call('POST', '/v2/idps', { body: { identityProviderConfig: acme } })
  for (const alias of ['global', 'private']) await node.call('POST', `/v2/synchronizers/${alias}/connect`)
  const Vet = { value: { packages: [{ packageName: 'quickstart' }] } }
  await node.call('POST', '/v2/package-vetting/update', { body: { changes: [{ operation: { Vet } }] } })
}

/** Contracts and names of all kinds. The administrator's own user is left out, because the test needs it. */
async function whatThereIs(ledger: TestLedger): Promise<Known> {
  const { alice, bank, bob } = ledger
  const { transaction, contractId } = await ledger.submit([ledger.createIou()])
  const other = await ledger.submit([ledger.createIou({ amount: '5' })])
  const { packageIds } = (await ledger.node.call('GET', '/v2/packages')).json
  const parties = [alice, bank, bob, `nobody::${alice.split('::')[1]}`]
  const mine = [alice, bank]
  const connected = (await ledger.node.call('GET', '/v2/state/connected-synchronizers')).json.connectedSynchronizers
  const synchronizers = connected.map((one: Json) => one.synchronizerId)
  const iou = { issuer: bank, owner: alice, amount: '1.5', currency: 'EUR', observers: [] }
  const users = ['someone', 'somebody']
  const providers = ['', '', 'acme']
  return {
    ...{ party: parties, parties, actAs: parties, readAs: parties, requestingParties: parties, primaryParty: parties },
    ...{ queryingParties: parties, 'filter-party': ['ali', ''], partyIdHint: ['dora', 'emil', 'alice'] },
    ...{ id: users, userId: [...users, 'app', ''], 'user-id': users },
    ...{ identityProviderId: providers, 'idp-id': providers.slice(2), 'identity-provider-id': providers },
    ...{ sourceIdentityProviderId: providers, targetIdentityProviderId: providers },
    ...{ issuer: ['https://acme.example', 'https://other.example'], jwksUrl: ['https://acme.example/keys'] },
    'paths[]': [['issuer'], ['audience'], ['is_deactivated'], ['primary_party'], ['local_metadata'], ['metadata']],
    ...{ alias: ['global', 'private'], source: synchronizers, target: synchronizers },
    ...{ resourceVersion: ['', '0', '1'], pageToken: [''], synchronizerId: ['', ...synchronizers, 'other::1220'] },
    ...{ updateId: [transaction.updateId, '1220'], 'update-id': [transaction.updateId, '1220'], offset: [1, 2, 3] },
    ...{ beginExclusive: [0, 1], endInclusive: [1, 2, 100], activeAtOffset: [0, 1, 2], pruneUpTo: [0, 1] },
    ...{ contractId: [contractId, other.contractId, '00'], templateId: [iouType, '#quickstart:Wallet:Wallet'] },
    ...{ interfaceId: ['#quickstart:Holding:Holding'], choice: ['Archive', 'Iou_Split', 'Iou_Show'] },
    ...{ createArguments: [iou, { owner: alice }], choiceArgument: [{}, { amount: '1' }, { viewers: [bob] }, null] },
    ...{ 'package-id': packageIds, packageIds, packageId: packageIds, packageIdSelectionPreference: packageIds },
    ...{ packageName: ['quickstart', ''], packageVersion: ['1.0.0', ''], packageNamePrefixes: ['quick'] },
    ...{ maxPageSize: [1, 100], pageSize: [0, 1, 100], limit: [1, 10], tapsMaxPasses: [1] },
    ...{ 'actAs[]': [mine, mine, [alice]], 'readAs[]': [[], [bob]], 'parties[]': [mine, []] },
    ...{ 'commands[]': [[ledger.createIou()], [exercise(iouType, contractId, 'Iou_Split', { amount: '1' })]] },
    ...{ 'queryingParties[]': [mine], 'requestingParties[]': [mine, []], 'disclosedContracts[]': [[]] },
    updateFormat: [{ includeTransactions: transactionFormat({ ...filtersFor(mine), verbose: false }) }],
    ...{ deduplicationPeriod: [{ Empty: {} }], minLedgerTimeRel: [{ seconds: 0, nanos: 0 }], minLedgerTimeAbs: [null] },
    files: [readFileSync(effectsDar)],
  }
}
