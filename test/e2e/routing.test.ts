// Routing of commands when parties and contracts are spread over synchronizers: the choice, and every refusal with its
// code and text, on both databases.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  archiveIou,
  createTarget,
  doing,
  effectsDar,
  eventOf,
  exercise,
  filtersFor,
  type Json,
  proposalType,
  right,
  startTestLedger,
  type TestLedger,
  targetType,
} from '../fixtures/ledger.ts'
import { refusalOf, stores } from '../fixtures/node.ts'

const submit = '/v2/commands/async/submit'
const short = (id: string) => `${id.slice(0, id.indexOf('::') + 14)}...`
const psid = (id: string) => `${short(id)}::35-0`

const three = {
  lenient: true, // The fixture names no synchronizer, and means all of them.
  synchronizers: [
    { alias: 'first', priority: 1 },
    { alias: 'second', priority: 0 },
    { alias: 'third', priority: 0 },
  ],
}

for (const store of stores) {
  describe(`a command on ${store}`, () => {
    let ledger: TestLedger
    /** Ids of the synchronizers by alias. */
    let on: Record<'first' | 'second' | 'third', string>
    /** Parties that are hosted on one synchronizer each. */
    let only: Record<'first' | 'second', string>
    before(async () => {
      ledger = await startTestLedger({ store, settings: { ...three, dars: [effectsDar] } })
      const { synchronizers } = (await ledger.node.call('GET', '/v2/synchronizers')).json
      on = Object.fromEntries(
        synchronizers.map((one: Json) => [one.synchronizerAlias, one.synchronizerId]),
      ) as typeof on
      const allocate = async (alias: 'first' | 'second') => {
        const body = { partyIdHint: `only-${alias}`, synchronizerId: on[alias] }
        const { party } = (await ledger.node.call('POST', '/v2/parties', { body })).json.partyDetails
        const rights = [right('CanActAs', party)]
        await ledger.node.call('POST', '/v2/users/app/rights', { body: { userId: 'app', rights } })
        return party as string
      }
      only = { first: await allocate('first'), second: await allocate('second') }
    })
    after(() => ledger[Symbol.asyncDispose]())

    const iouOn = async (alias: keyof typeof on, fields: object = {}, more: object = {}) =>
      (await ledger.submit([ledger.createIou(fields)], { synchronizerId: on[alias], ...more })).contractId
    const refused = async (commands: object[], fields: object = {}) =>
      refusalOf(await ledger.post(submit, ledger.commandsOf(commands, fields)))
    const wentTo = async (commands: object[], fields: object = {}) =>
      (await ledger.submit(commands, fields)).transaction.synchronizerId

    test('goes to the highest priority, even if more must be moved', async () => {
      assert.equal(await wentTo([ledger.createIou()]), on.first)
      const contracts = [await iouOn('first'), await iouOn('second'), await iouOn('second')]
      assert.equal(await wentTo(contracts.map(archiveIou)), on.first)
    })

    test('among equals, goes where the fewest contracts must be moved', async () => {
      const { json } = await ledger.node.call('POST', '/v2/synchronizers/first/disconnect')
      assert.equal(json.synchronizers[0].isConnected, false)
      const contracts = [await iouOn('second'), await iouOn('third'), await iouOn('third')]
      assert.equal(await wentTo(contracts.map(archiveIou)), on.third)
      await ledger.node.call('POST', '/v2/synchronizers/first/connect')
    })

    test('goes to the only synchronizer that all informees share', async () => {
      assert.equal(await wentTo([ledger.createIou({ observers: [only.second] })]), on.second)
    })

    test('moves contracts of its readers', async () => {
      const contracts = [
        await iouOn('first', { owner: ledger.bob }, { actAs: [ledger.bank, ledger.bob] }),
        await iouOn('second'),
      ]
      assert.equal(
        await wentTo(contracts.map(archiveIou), { actAs: [ledger.alice, ledger.bank, ledger.bob] }),
        on.first,
      )
    })

    test('moves contracts with different signatories one after the other', async () => {
      const iou = await iouOn('second')
      const createArguments = {
        iou: { issuer: ledger.bank, owner: ledger.alice, amount: '1', currency: 'EUR', observers: [] },
      }
      const propose = { CreateCommand: { templateId: proposalType, createArguments } }
      const { contractId: proposal } = await ledger.submit([propose], { synchronizerId: on.second })
      const commands = [archiveIou(iou), exercise(proposalType, proposal, 'Archive')]
      assert.equal(await wentTo(commands, { synchronizerId: on.first }), on.first)
    })

    test('stays with its contracts, even if one of its submitters is not hosted there', async () => {
      const actAs = [ledger.bank, ledger.alice, only.second]
      assert.deepEqual(await refused([archiveIou(await iouOn('first'))], { actAs }), [
        400,
        'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
        `Not all informees are on the specified synchronizer: ${psid(on.first)}, but on Set(${psid(on.second)})`,
      ])
    })

    test('is refused if the stakeholders of fetched contracts share no synchronizer', async () => {
      const holdings = [
        await iouOn('first', { issuer: only.first }, { actAs: [only.first, ledger.alice] }),
        await iouOn('second', { issuer: only.second }, { actAs: [only.second, ledger.alice] }),
      ]
      const total = {
        CreateAndExerciseCommand: {
          templateId: '#quickstart:Wallet:Wallet',
          createArguments: { owner: ledger.alice },
          choice: 'Wallet_Total',
          choiceArgument: { holdings, currency: 'EUR' },
        },
      }
      const [status, code] = await refused([total], { actAs: [ledger.alice] })
      assert.deepEqual([status, code], [400, 'INFORMEES_NOT_ACTIVE'])
    })

    test('is refused if no synchronizer hosts all its submitters', async () => {
      const acting = { actAs: [only.first, only.second] }
      assert.deepEqual(await refused([ledger.createIou({ issuer: only.first, owner: only.second })], acting), [
        400,
        'SUBMITTERS_NOT_ACTIVE',
        'There is no common synchronizer where all submitters are active',
      ])
    })

    test('is refused if no synchronizer hosts all informees', async () => {
      assert.deepEqual(await refused([ledger.createIou({ observers: [only.first, only.second] })]), [
        400,
        'INFORMEES_NOT_ACTIVE',
        'There is no common synchronizer where all informees are active',
      ])
    })

    test('is refused if a party is hosted nowhere', async () => {
      const stranger = `stranger::1220${'0'.repeat(64)}`
      assert.deepEqual(await refused([ledger.createIou({ observers: [stranger] })]), [
        404,
        'UNKNOWN_INFORMEES',
        'The participant is not connected to any synchronizer where the given informees are known.',
      ])
    })

    test('is refused on a synchronizer that does not host all parties', async () => {
      const commands = [ledger.createIou({ observers: [only.second] })]
      assert.deepEqual(await refused(commands, { synchronizerId: on.first }), [
        400,
        'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
        `Not all informees are on the specified synchronizer: ${psid(on.first)}, but on Set(${psid(on.second)})`,
      ])
    })

    test('is refused if a contract cannot be moved there', async () => {
      const stuck = await iouOn('second', { observers: [only.second] })
      const free = await iouOn('first', { observers: [only.first] })
      const words = 'There is no common synchronizer where all informees are active'
      assert.deepEqual(await refused([archiveIou(stuck), archiveIou(free)]), [400, 'INFORMEES_NOT_ACTIVE', words])
      assert.deepEqual(await refused([archiveIou(stuck)], { synchronizerId: on.first }), [
        400,
        'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
        `Not all informees are on the specified synchronizer: ${psid(on.first)}, but on Set(${psid(on.second)})`,
      ])
    })

    test('is refused if no submitter or reader is a stakeholder of a contract to be moved', async () => {
      const targetOf = async (party: string, synchronizerId: string) =>
        (await ledger.submit([createTarget([party])], { actAs: [party], synchronizerId })).contractId
      const [own, other] = [await targetOf(ledger.bob, on.first), await targetOf(ledger.alice, on.second)]
      const disclosedContracts = [await blobOf(other)]
      const use = (contractId: string) => exercise(targetType, contractId, 'Keep', doing([ledger.bob]))
      assert.deepEqual(await refused([use(own), use(other)], { actAs: [ledger.bob], disclosedContracts }), [
        400,
        'SUBMITTER_ALWAYS_STAKEHOLDER',
        'The given contracts cannot be reassigned as no submitter is a stakeholder.',
      ])
      const together = [use(other), createTarget([ledger.bob], { observers: [only.second] })]
      const prescribed = { actAs: [ledger.bob], disclosedContracts, synchronizerId: on.first }
      // Found when packages are selected again, for all parties of the transaction.
      assert.equal((await refused(together, prescribed))[1], 'INVALID_PRESCRIBED_SYNCHRONIZER_ID')
      const once = { ...prescribed, tapsMaxPasses: 1 }
      assert.equal((await refused(together, once))[1], 'SUBMITTER_ALWAYS_STAKEHOLDER')
    })

    test('is refused where its packages are not vetted', async () => {
      const vetting = (verb: 'Vet' | 'Unvet') =>
        ledger.node.call('POST', '/v2/package-vetting/update', {
          body: {
            synchronizerId: on.third,
            changes: [{ operation: { [verb]: { value: { packages: [{ packageName: 'quickstart' }] } } } }],
          },
        })
      const contractId = await iouOn('third')
      assert.equal((await vetting('Unvet')).status, 200)
      const [status, code, cause] = await refused([archiveIou(contractId)])
      assert.deepEqual([status, code], [400, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'])
      assert.match(String(cause), /Some packages are not known to all informees on synchronizer/)
      // It cannot leave either.
      assert.deepEqual(await refused([archiveIou(contractId)], { synchronizerId: on.first }), [
        400,
        'AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED',
        'Automatically reassigning contracts to a common synchronizer failed.',
      ])
      assert.equal((await vetting('Vet')).status, 200)
    })

    async function blobOf(contractId: string): Promise<Json> {
      const withBlob = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
      const eventFormat = filtersFor([ledger.alice], withBlob)
      const { json } = await ledger.post('/v2/events/events-by-contract-id', { contractId, eventFormat })
      const { createdEventBlob, templateId } = json.created.createdEvent
      return { createdEventBlob, templateId, contractId }
    }

    describe('with disclosed contracts', () => {
      test('goes to their stated synchronizer', async () => {
        const contractId = await iouOn('second')
        const disclosedContracts = [{ ...(await blobOf(contractId)), synchronizerId: on.second }]
        assert.equal(await wentTo([archiveIou(contractId)], { disclosedContracts }), on.second)
      })

      test('is refused if its parties do not see a contract and others are elsewhere, wherever that is stated to be', async () => {
        const targetOf = async (party: string, synchronizerId: string) =>
          (await ledger.submit([createTarget([party])], { actAs: [party], synchronizerId })).contractId
        const [own, other] = [await targetOf(ledger.bob, on.first), await targetOf(ledger.alice, on.second)]
        const use = (contractId: string) => exercise(targetType, contractId, 'Keep', doing([ledger.bob]))
        for (const synchronizerId of ['', on.second]) {
          const disclosedContracts = [{ ...(await blobOf(other)), synchronizerId }]
          const fields = { actAs: [ledger.bob], disclosedContracts }
          assert.equal((await refused([use(own), use(other)], fields))[1], 'SUBMITTER_ALWAYS_STAKEHOLDER')
          assert.equal(await wentTo([use(other)], fields), on.second)
        }
      })

      test('is refused if its parties do not see a contract that would have to move, unless nobody looks before it is routed', async () => {
        const contractId = (await ledger.submit([createTarget([ledger.alice])], { synchronizerId: on.second }))
          .contractId
        const fields = {
          ...{ actAs: [ledger.bob], synchronizerId: on.first },
          disclosedContracts: [await blobOf(contractId)],
        }
        const use = [exercise(targetType, contractId, 'Keep', doing([ledger.bob]))]
        const reason = 'Automatically reassigning contracts to a common synchronizer failed.'
        assert.deepEqual(await refused(use, fields), [
          400,
          'NO_SYNCHRONIZER_FOR_SUBMISSION',
          'No valid synchronizer found for synchronizer ranking. Discarded synchronizers: ' +
            `${short(on.first)}::35-0: ${reason}`,
        ])
        assert.equal((await refused(use, { ...fields, tapsMaxPasses: 1 }))[1], 'SUBMITTER_ALWAYS_STAKEHOLDER')
      })

      test('is decided at commit if they do not exist', async () => {
        const [archived, leaving] = [await iouOn('second'), await iouOn('second')]
        const disclosedContracts = [await blobOf(archived), await blobOf(leaving)]
        await ledger.submit([archiveIou(archived)])
        const value = { contractId: leaving, source: on.second, target: on.third }
        const commands = [{ command: { UnassignCommand: { value } } }]
        const left = await ledger.post('/v2/commands/submit-and-wait-for-reassignment', {
          reassignmentCommands: { commandId: 'leaves', submitter: ledger.alice, commands },
        })
        assert.equal(left.status, 200, left.text)
        for (const contractId of [archived, leaving]) {
          const body = ledger.commandsOf([archiveIou(contractId), archiveIou(await iouOn('first'))], {
            disclosedContracts,
          })
          const { json } = await ledger.post('/v2/commands/submit-and-wait', body)
          assert.equal(json.code, 'LOCAL_VERDICT_INACTIVE_CONTRACTS')
        }
      })

      test('is refused if they are stated to be in several places', async () => {
        const contracts = [await iouOn('first'), await iouOn('second')]
        const disclosedContracts = [
          { ...(await blobOf(contracts[0]!)), synchronizerId: on.first },
          { ...(await blobOf(contracts[1]!)), synchronizerId: on.second },
        ]
        const [status, code] = await refused(contracts.map(archiveIou), { disclosedContracts })
        assert.deepEqual([status, code], [400, 'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH'])
      })

      test('is refused if they are stated to be elsewhere than prescribed', async () => {
        const contractId = await iouOn('second')
        const disclosedContracts = [{ ...(await blobOf(contractId)), synchronizerId: on.second }]
        const fields = { disclosedContracts, synchronizerId: on.first }
        assert.deepEqual(await refused([archiveIou(contractId)], fields), [
          400,
          'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH',
          `The target synchronizer=${on.first} specified in the command submission mismatches the synchronizer ` +
            `id=${on.second} of some attached disclosed contracts that have been used in the submission ` +
            `(used-disclosed-contract-ids=Set(ContractId(${contractId})))`,
        ])
      })
    })

    test('is refused when nothing is connected', async () => {
      for (const alias of ['first', 'second', 'third']) {
        assert.equal((await ledger.node.call('POST', `/v2/synchronizers/${alias}/disconnect`)).status, 200)
      }
      assert.deepEqual(await refused([ledger.createIou()]), [
        400,
        'NOT_CONNECTED_TO_ANY_SYNCHRONIZER',
        'This participant is not connected to any synchronizer.',
      ])
      const allocation = await ledger.node.call('POST', '/v2/parties', { body: { partyIdHint: 'late' } })
      assert.deepEqual(refusalOf(allocation), [
        400,
        'PARTY_ALLOCATION_WITHOUT_CONNECTED_SYNCHRONIZER',
        'Cannot allocate a party without being connected to a synchronizer',
      ])
      for (const alias of ['first', 'second', 'third']) {
        assert.equal((await ledger.node.call('POST', `/v2/synchronizers/${alias}/connect`)).status, 200)
      }
      const { transaction } = await ledger.submit([ledger.createIou()])
      assert.ok(eventOf(transaction, 'CreatedEvent'))
    })
  })
}
