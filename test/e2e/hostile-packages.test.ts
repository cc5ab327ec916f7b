// Ill-typed packages over HTTP. Uploads refuse them. A ledger of an older node may have some all the same: there each
// command is refused with its reason, nothing of it is stored, and other data stays readable.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { filtersFor, interfaceFilter, type Json, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { longestStretchMs } from '../fixtures/longest-stretch.ts'
import { deepTypePackage } from '../support/engine/deep-type-package.ts'
import { type Hostile, hostile, hostilePackages } from '../support/engine/hostile-packages.ts'
import { illTypedPackage } from '../support/engine/ill-typed-package.ts'
import { doubledTypePackage } from '../support/lf/doubled-type-package.ts'
import { darOf } from '../support/lf/package-writer.ts'

const anybody = { filtersByParty: {}, filtersForAnyParty: {} }
const updateFormat = {
  includeTransactions: { eventFormat: anybody, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
}

test('hostile packages are refused when they are uploaded', async () => {
  await using ledger = await startTestLedger()
  const known = (await ledger.node.call('GET', '/v2/packages')).json
  for (const { name, dar } of hostilePackages) {
    for (const path of ['/v2/dars/validate', '/v2/dars']) {
      const { status, json } = await ledger.node.call('POST', path, { body: dar })
      assert.deepEqual(
        [status, json.code, json.cause],
        [400, 'DAR_VALIDATION_ERROR', 'Package validation failed.'],
        name,
      )
    }
  }
  assert.deepEqual((await ledger.node.call('GET', '/v2/packages')).json, known)
})

test('types nested 900 deep are accepted, used and described, and types nested deeper than 1000 are refused', async () => {
  await using ledger = await startTestLedger()
  const { node, alice } = ledger
  const upload = (depth: number) =>
    node.call('POST', '/v2/packages', { body: darOf({ 'deep.dalf': deepTypePackage(depth) }) })
  const refused = await upload(1001)
  assert.deepEqual([refused.status, refused.json.code], [400, 'DAR_PARSE_ERROR'], refused.text)
  const accepted = await upload(900)
  assert.equal(accepted.status, 200, accepted.text)
  let deep: Json = []
  for (let level = 0; level < 60; level += 1) deep = [deep]
  const command = { templateId: '#deep:Main:Deep', createArguments: { owner: alice, deep: [] }, choice: 'Echo' }
  const commands = ledger.commandsOf([{ CreateAndExerciseCommand: { ...command, choiceArgument: { deep } } }], {
    actAs: [alice],
  })
  const reply = await ledger.post('/v2/commands/submit-and-wait-for-transaction', { commands })
  assert.equal(reply.status, 200, reply.text)
  for (const path of ['/docs/openapi?package=deep', '/docs/types?package=deep', '/docs/openapi']) {
    assert.equal((await node.call('GET', path)).status, 200, path)
  }
  const updates = await ledger.post('/v2/updates?stream_idle_timeout_ms=50', { beginExclusive: 0, updateFormat })
  assert.equal(updates.status, 200, updates.text)
})

test('small packages whose types unfold to millions of parts delay nobody while they are uploaded and checked', async () => {
  await using ledger = await startTestLedger()
  for (const path of ['/v2/dars/validate', '/v2/dars']) {
    const body = darOf({ 'doubled.dalf': doubledTypePackage('doubled', 5_000) })
    assert.ok(body.length < 50_000)
    const uploaded = ledger.node.call('POST', path, { body })
    const stretchMs = await longestStretchMs(uploaded)
    const { status, text } = await uploaded
    assert.equal(status, 200, text)
    // Walked on the main thread, the types took three seconds.
    assert.ok(stretchMs < 400, `${Math.round(stretchMs)} ms`)
  }
})

test('a choice that returns an AnyException, which the type checker allows, is refused without blame for the package', async () => {
  await using ledger = await startTestLedger()
  const { node, alice } = ledger
  const { dar, templateId } = illTypedPackage('exceptional', ({ w, write, types }) => {
    const anyException = w.builtinType('AnyException')
    const exception = write.toAnyException(types.exception, write.record('Ex', ['m', write.text('m')]))
    return { returns: anyException, body: write.pure(anyException, exception) }
  })
  const uploaded = await node.call('POST', '/v2/packages', { body: dar })
  assert.equal(uploaded.status, 200, uploaded.text)
  const command = { templateId, createArguments: { owner: alice }, choice: 'Go', choiceArgument: {} }
  const commands = ledger.commandsOf([{ CreateAndExerciseCommand: command }], { actAs: [alice] })
  const { status, json } = await ledger.post('/v2/commands/submit-and-wait', commands)
  assert.deepEqual([status, json.code], [400, 'DAML_INTERPRETATION_ERROR'], JSON.stringify(json))
  assert.match(json.cause, /A value of the type AnyException cannot be part of a transaction/)
  assert.doesNotMatch(json.cause, /of another kind/)
  for (const path of ['/docs/openapi?package=exceptional', '/docs/types?package=exceptional']) {
    assert.equal((await node.call('GET', path)).status, 200, path)
  }
})

describe('hostile packages', () => {
  let ledger: TestLedger
  before(async () => {
    ledger = await startTestLedger({ isCheckingPackages: false })
  })
  after(() => ledger[Symbol.asyncDispose]())

  const upload = async ({ dar }: Hostile) => {
    const answer = await ledger.node.call('POST', '/v2/packages', { body: dar })
    assert.equal(answer.status, 200, answer.text)
  }
  const submit = async (attack: Hostile, path = '/v2/commands/submit-and-wait') => {
    const { kind, ...command } = attack.command(ledger.alice)
    return await ledger.post(
      path,
      ledger.commandsOf([{ CreateAndExerciseCommand: command }], { actAs: [ledger.alice] }),
    )
  }
  const updates = async (beginExclusive: number): Promise<Json[]> => {
    const answer = await ledger.post('/v2/updates?stream_idle_timeout_ms=50', { beginExclusive, updateFormat })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.filter(({ update }: Json) => update.Transaction !== undefined)
  }

  test('are refused when they are used, and leave nothing behind', async () => {
    const end = await ledger.end()
    // A package name has one package per version: each attack is a different package, and the last one vetted counts.
    for (const attack of hostilePackages) {
      await upload(attack)
      const { status, json } = await submit(attack)
      assert.equal(status, 400, `${attack.name}: ${JSON.stringify(json)}`)
      assert.equal(json.code, 'DAML_INTERPRETATION_ERROR', attack.name)
      assert.match(json.cause, /the package's code met a value of another kind/)
    }
    assert.deepEqual(await updates(end), [])
    await ledger.submit([ledger.createIou()])
    assert.equal((await updates(end)).length, 1)
  })

  test('may use the names of JavaScript built-ins', async () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']) {
      const named = hostile(name, ({ write, types }) => ({
        returns: types.text,
        body: write.pure(types.text, write.structField(name, write.struct([name, write.text(name)]))),
      }))
      await upload(named)
      for (const templateId of [named.templateId, `#${name}:Main:T`]) {
        const { kind, ...command } = named.command(ledger.alice)
        const { transaction } = await ledger.submit([{ CreateAndExerciseCommand: { ...command, templateId } }])
        assert.equal(transaction.events.at(-1).ExercisedEvent.exerciseResult, name)
        assert.equal(transaction.events.at(-1).ExercisedEvent.packageName, name)
      }
    }
  })

  test('are refused when a transaction is prepared for signing', async () => {
    for (const attack of hostilePackages.filter(({ name }) => name.startsWith('returns-'))) {
      await upload(attack)
      const { kind, ...command } = attack.command(ledger.alice)
      const answer = await ledger.post('/v2/interactive-submission/prepare', {
        commands: [{ CreateAndExerciseCommand: command }],
        commandId: attack.name,
        actAs: [ledger.alice],
        synchronizerId: ledger.synchronizerId,
        packageIdSelectionPreference: [],
        verboseHashing: false,
      })
      assert.equal(answer.status, 400, `${attack.name}: ${answer.text}`)
      assert.equal(answer.json.code, 'DAML_INTERPRETATION_ERROR', answer.text)
    }
  })

  test('show no view of a wrong type, and the contract stays readable', async () => {
    const attack = hostile('view-of-another-kind', ({ write, types }) => ({
      view: write.record('View', ['n', write.text('1","forged":"yes')]),
      body: write.pure(types.int, write.number(1n)),
    }))
    await upload(attack)
    const end = await ledger.end()
    const { status, text } = await submit(attack)
    assert.equal(status, 200, text)
    const eventFormat = filtersFor([ledger.alice], interfaceFilter(`#${attack.name}:Main:I`))
    const answer = await ledger.post('/v2/state/active-contracts', { activeAtOffset: await ledger.end(), eventFormat })
    assert.equal(answer.status, 200, answer.text)
    const [created] = answer.json.map(({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent)
    assert.deepEqual(created.createArgument, { owner: ledger.alice })
    const [view] = created.interfaceViews
    assert.equal(view.viewValue, null)
    assert.equal(view.viewStatus.code, 9)
    assert.match(view.viewStatus.message, /DAML_INTERPRETATION_ERROR/)
    assert.equal((await updates(end)).length, 1)
  })
})
