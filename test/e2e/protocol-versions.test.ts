// Synchronizers with protocol version 34: effects may be undone, there are no keys, and what is signed names them without
// a version.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as visualizer from '@canton-network/core-tx-visualizer'
import { type SigningLedger, startSigningLedger, waitPath } from '../fixtures/interactive.ts'
import {
  createTarget,
  doing,
  eventOf,
  exercise,
  type Json,
  keys,
  type TestLedger,
  target,
  targetType,
} from '../fixtures/ledger.ts'
import { refusalOf, stores } from '../fixtures/node.ts'
import { createSigner } from '../fixtures/signer.ts'
import { depositPackage } from '../support/engine/deposit-package.ts'
import { shownPackage } from '../support/engine/versioned-package.ts'
import { darOf } from '../support/lf/package-writer.ts'

const wait = '/v2/commands/submit-and-wait-for-transaction'
const short = (id: string) => `${id.slice(0, id.indexOf('::') + 14)}...`

for (const store of stores) {
  describe(`protocol versions on ${store}`, () => {
    let signing: SigningLedger
    let ledger: TestLedger
    let old: string
    let current: string
    before(async () => {
      const synchronizers = [
        { alias: 'old', priority: 1, protocolVersion: 34 },
        { alias: 'current', priority: 0 },
      ]
      signing = await startSigningLedger({ store, settings: { synchronizers, lenient: true } })
      ledger = signing.ledger
      const { json } = await ledger.node.call('GET', '/v2/synchronizers')
      const idOf = (alias: string) => json.synchronizers.find((one: Json) => one.synchronizerAlias === alias)
      ;[old, current] = ['old', 'current'].map((alias) => idOf(alias).synchronizerId) as [string, string]
    })
    after(() => signing[Symbol.asyncDispose]())

    const trying = (...body: readonly object[]) => ({
      tag: 'Try',
      value: { body: [...body, { tag: 'Throw', value: 'undo' }], handler: { tag: 'Handle', value: [] } },
    })
    const createsAndUndoes = (party: string) => ({
      CreateAndExerciseCommand: {
        templateId: targetType,
        createArguments: target([party]),
        choice: 'Keep',
        choiceArgument: doing([party], trying({ tag: 'Create', value: target([party]) })),
      },
    })
    const send = (commands: readonly object[], fields: object) =>
      ledger.post(wait, { commands: ledger.commandsOf(commands, fields) })
    const isActive = async (contractId: string) => {
      const eventFormat = { filtersForAnyParty: {} }
      const body = { activeAtOffset: await ledger.end(), eventFormat }
      const { json } = await ledger.post('/v2/state/active-contracts', body)
      const ids = json.map(({ contractEntry }: Json) => contractEntry.JsActiveContract?.createdEvent.contractId)
      return ids.includes(contractId)
    }
    let moves = 0
    const keyed = (name = 'key') => ({
      CreateCommand: {
        templateId: `${keys}:Keys:Keyed`,
        createArguments: {
          signatories: [ledger.alice],
          observers: [],
          key: { maintainers: [ledger.alice], name, maintainersFault: 'Fine' },
          keyFault: 'Fine',
          note: '',
        },
      },
    })

    test('with 34 a create may be undone and leaves nothing; with 35 it ends the command', async () => {
      const fields = (synchronizerId: string) => ({ actAs: [ledger.alice], synchronizerId })
      const { transaction } = await ledger.submit([createsAndUndoes(ledger.alice)], fields(old))
      assert.equal(transaction.synchronizerId, old)
      const created = transaction.events.filter(({ CreatedEvent }: Json) => CreatedEvent)
      assert.equal(created.length, 1)
      const refused = await send([createsAndUndoes(ledger.alice)], fields(current))
      assert.deepEqual(refusalOf(refused).slice(0, 2), [400, 'DAML_EFFECTFUL_ROLLBACK_ERROR'], refused.text)
    })

    test('with 34 a package needs what it depends on vetted', async () => {
      const deposit = depositPackage({ version: '1.0.0', added: 0 })
      const dar = darOf({ 'deposit.dalf': deposit.bytes, 'shown.dalf': shownPackage.bytes })
      for (const id of [old, current]) {
        const uploaded = await ledger.node.call('POST', `/v2/dars?synchronizerId=${id}`, { body: dar })
        assert.equal(uploaded.status, 200, uploaded.text)
      }
      const change = (kind: 'Vet' | 'Unvet', synchronizerId: string, more: object = {}) => {
        const operation = { [kind]: { value: { packages: [{ packageId: shownPackage.id }] } } }
        return ledger.node.call('POST', '/v2/package-vetting/update', {
          body: { changes: [{ operation }], synchronizerId, ...more },
        })
      }
      assert.deepEqual(refusalOf(await change('Unvet', old)), [
        ...[400, 'TOPOLOGY_DEPENDENCIES_NOT_VETTED'],
        'Package vetting failed due to dependencies not being vetted',
      ])
      const force = 'UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_UNVETTED_DEPENDENCIES'
      assert.equal((await change('Unvet', old, { updateVettedPackagesForceFlags: [force] })).status, 200)
      assert.equal((await change('Unvet', current)).status, 200)
      const created = (packageRef: string, synchronizerId: string) => {
        const { alice } = ledger
        const shape = { tag: 'Square', value: '1' }
        const createArguments = { owner: alice, other: alice, note: '', part: { n: '1' }, shape, colour: 'Red' }
        const command = { CreateCommand: { templateId: `${packageRef}:Main:Deposit`, createArguments } }
        return send([command], { actAs: [alice], synchronizerId })
      }
      for (const packageRef of ['#deposit', deposit.id]) {
        assert.equal((await created(packageRef, current)).status, 200)
      }
      const byName = await created('#deposit', old)
      assert.match(byName.text, /JSON_API_PACKAGE_SELECTION_FAILED.*Packages with required dependencies not vetted/)
      const byId = await created(deposit.id, old)
      const lacking = `has not vetted ${shownPackage.id.slice(0, 12)}...`
      assert.equal(byId.json.code, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID')
      assert.ok(byId.json.cause.endsWith(lacking), byId.text)
      for (const id of [old, current]) assert.equal((await change('Vet', id)).status, 200)
      assert.equal((await created('#deposit', old)).status, 200)
    })

    test('with 34 an archive may be undone, and the contract is still there', async () => {
      const fields = { actAs: [ledger.alice], synchronizerId: old }
      const { contractId } = await ledger.submit([createTarget([ledger.alice])], fields)
      const program = trying({ tag: 'Archive', value: { tag: 'Given', value: contractId } })
      const { contractId: other } = await ledger.submit([createTarget([ledger.alice])], fields)
      // Twice: after the first time it is there for the second.
      const archives = exercise(targetType, other, 'Keep', doing([ledger.alice], program, program))
      const undone = await ledger.submit([archives], fields)
      assert.equal(undone.transaction.synchronizerId, old)
      assert.deepEqual(
        undone.transaction.events.map(({ ExercisedEvent }: Json) => [
          ExercisedEvent?.contractId,
          ExercisedEvent?.choice,
        ]),
        [[other, 'Keep']],
      )
      assert.equal(await isActive(contractId), true)
      const { transaction } = await ledger.submit([exercise(targetType, contractId, 'Archive')], fields)
      assert.equal(eventOf(transaction, 'ExercisedEvent').contractId, contractId)
      assert.equal(await isActive(contractId), false)
    })

    test('with 34 there is no LF 2.3', async () => {
      const refused = await send([keyed()], { actAs: [ledger.alice], synchronizerId: old })
      assert.deepEqual(
        refusalOf(refused).slice(0, 3),
        [
          400,
          'ALLOWED_LANGUAGE_VERSIONS',
          `Disallowed language version in package ${keys}: Expected version range is List(2.1, 2.2) but got 2.3`,
        ],
        refused.text,
      )
      const { transaction } = await ledger.submit([keyed()], { actAs: [ledger.alice], synchronizerId: current })
      assert.equal(transaction.synchronizerId, current)
    })

    test('a contract of LF 2.3 can be moved to 34, where nothing can be done with it, and back', async () => {
      const { alice } = ledger
      const fields = { actAs: [alice], synchronizerId: current }
      const { contractId } = await ledger.submit([keyed('moved')], fields)
      const move = async (command: object) => {
        const body = { reassignmentCommands: { commandId: `${++moves}`, submitter: alice, commands: [{ command }] } }
        const eventFormat = { filtersForAnyParty: {} }
        const moved = await ledger.post('/v2/commands/submit-and-wait-for-reassignment', { ...body, eventFormat })
        assert.equal(moved.status, 200, moved.text)
        return moved.json.reassignment.events[0]
      }
      const value = { contractId, source: current, target: old }
      const { reassignmentId } = (await move({ UnassignCommand: { value } })).JsUnassignedEvent.value
      await move({ AssignCommand: { value: { reassignmentId, source: current, target: old } } })
      const archive = exercise(`${keys}:Keys:Keyed`, contractId, 'Archive')
      const contractKey = { maintainers: [alice], name: 'moved', maintainersFault: 'Fine' }
      const byKey = {
        ExerciseByKeyCommand: { templateId: `${keys}:Keys:Keyed`, contractKey, choice: 'Archive', choiceArgument: {} },
      }
      for (const [command, synchronizerId] of [
        [archive, old],
        [archive, ''],
        [byKey, old],
      ] as const) {
        const refused = await send([command], { actAs: [alice], synchronizerId, submissionId: 's' })
        assert.equal(refused.json.code, 'ALLOWED_LANGUAGE_VERSIONS', refused.text)
        assert.equal(refused.json.correlationId, 's')
        const { commands, tid: _, ...context } = refused.json.context
        assert.match(commands, /^\{readAs: \[\], .*submissionId: 's'/)
        assert.deepEqual(context, {
          category: '8',
          definite_answer: 'false',
          participant: `'${context.participant.slice(1, -1)}'`,
        })
      }
      const { transaction } = await ledger.submit([byKey], fields) // It is brought back first.
      assert.equal(transaction.synchronizerId, current)
    })

    test('what is signed for 34 names the synchronizer without a version, and is executed there', async () => {
      const { party, signer } = await newParty('signs')
      const fields = { actAs: [party], synchronizerId: old }
      const transaction = await signing.run({ party, signer }, createTarget([party]), fields)
      const { contractId } = transaction.events[0].CreatedEvent
      const undoing = doing([party], trying({ tag: 'Create', value: target([party]) }))
      const prepared = await signing.prepare([exercise(targetType, contractId, 'Keep', undoing)], fields)
      assert.equal(prepared.status, 200, prepared.text)
      const { metadata } = visualizer.decodePreparedTransaction(prepared.json.preparedTransaction)
      assert.equal(metadata?.synchronizerId, old)
      const given = { [party]: [signer, signer] } // More signatures than keys: refused with 35 only.
      const done = await signing.post(waitPath, signing.executionOf(prepared.json, given))
      assert.equal(done.status, 200, done.text)
    })

    test('for 34 nothing is signed by the scheme V3', async () => {
      const { party } = await newParty('third')
      const hashingSchemeVersion = 'HASHING_SCHEME_VERSION_V3'
      const fields = { actAs: [party], synchronizerId: old, hashingSchemeVersion }
      const refused = await signing.prepare([createTarget([party])], fields)
      assert.deepEqual(refusalOf(refused).slice(0, 2), [400, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'], refused.text)
      const text = `was hashed using a version V3 that is supported starting protocol version: Some(35). Currently the synchronizer ${short(old)}::34-0 is using 34.`
      assert.ok(refused.text.includes(text), refused.text)
    })

    async function newParty(hint: string) {
      const signer = createSigner()
      const { onboarding } = signing
      const generated = await onboarding.generate({ synchronizer: old, partyHint: hint, publicKey: signer.publicKey })
      const allocated = await onboarding.allocate({
        synchronizer: old,
        onboardingTransactions: generated.json.topologyTransactions.map((one: string) => ({ transaction: one })),
        multiHashSignatures: [signer.sign(Buffer.from(generated.json.multiHash, 'base64'))],
      })
      assert.equal(allocated.status, 200, allocated.text)
      return { party: allocated.json.partyId as string, signer }
    }

    test('without a prescribed synchronizer the preferred one decides', async () => {
      const { transaction } = await ledger.submit([createsAndUndoes(ledger.alice)], { actAs: [ledger.alice] })
      assert.equal(transaction.synchronizerId, old)
    })
  })
}
