// An Optional of a type parameter that stands for an Optional: JSON is as Canton writes and reads it, in which `Some None`
// looks like None, and gRPC has the exact value all the same.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { exercise, filtersFor, type Json, startTestLedger, type TestLedger, updateFormat } from '../fixtures/ledger.ts'
import { openProtoClient, type ProtoClient } from '../fixtures/proto-client.ts'
import { optionalsPackage } from '../support/engine/optionals-package.ts'
import { darOf } from '../support/lf/package-writer.ts'

const held = '#optionals:Main:Held'
const none = {
  ...{ box: {}, row: {}, gap: {}, deep: { content: [], after: '1' }, many: { list: [], map: {}, after: '2' } },
  ...{ either: { tag: 'Left', value: null }, outer: { box: {} }, nested: {}, plain: {} },
}
/** What Canton 3.5.10 writes for what the choice Fill makes. */
const filled = {
  ...{ box: {}, row: {}, gap: {}, deep: { content: [[null]], after: '1' } },
  ...{ many: { list: [null, null], map: { key: null }, after: '2' }, either: { tag: 'Right', value: null } },
  ...{ outer: { box: {} }, nested: { content: [[]] }, plain: {} },
}
/** The same over gRPC, where an Optional is a list of its content. */
const filledExactly = {
  ...{ box: { content: [[]] }, row: { first: [[]] }, gap: { first: [], second: [[]] } },
  ...{ deep: { content: [[[]]], after: '1' }, many: { list: [[[]], []], map: { key: [[]] }, after: '2' } },
  ...{ either: { Right: [[]] }, outer: { box: { content: [[[]]] } }, nested: { content: [[[]]] }, plain: {} },
}

/** Canton's JSON of a field of the choice Echo's argument, which it returns. */
const echoed: [field: string, json: unknown, echo?: unknown][] = [
  ['box', { content: null }, {}],
  ['box', { content: '1' }],
  ['row', { first: null, second: '2' }],
  ['row', { first: '1', second: null, last: null }, { first: '1' }],
  ['gap', { last: '3' }, { first: null, second: null, last: '3' }],
  ['deep', { content: [[]], after: '1' }],
  ['deep', { content: [[null]], after: '1' }],
  ['deep', { content: [['1']], after: '1' }],
  ['many', { list: [null, '1'], map: { a: null, b: '2' }, after: '1' }],
  ['either', { tag: 'Left', value: '1' }],
  ['either', { tag: 'Right', value: '1' }],
  ['either', { tag: 'Right', value: null }],
  ['outer', { box: { content: '1' } }],
  ['nested', { content: [] }],
  ['nested', { content: [[]] }],
  ['nested', { content: [['1']] }],
]
/** Of these, Canton answers 500. */
const refused: [field: string, json: unknown][] = [
  ['box', { content: [] }],
  ['box', { content: ['1'] }],
  ['deep', { content: [[[]]], after: '1' }],
  ['deep', { content: null, after: '1' }],
  ['many', { list: [[]], map: {}, after: '1' }],
  ['either', { tag: 'Right', value: [] }],
  ['outer', { box: { content: ['1'] } }],
  ['nested', { content: '1' }],
  ['nested', { content: [null] }],
]

describe('an Optional of a type parameter that stands for an Optional', () => {
  let ledger: TestLedger
  let client: ProtoClient
  let contractId: string
  let transaction: Json

  before(async () => {
    ledger = await startTestLedger({ settings: { grpc: { port: 0 } } })
    client = openProtoClient(ledger.node.node.grpcUrl!, ledger.token)
    const { id, bytes } = optionalsPackage()
    const upload = await ledger.node.call('POST', '/v2/dars', { body: darOf({ [`${id}.dalf`]: bytes }) })
    assert.equal(upload.status, 200, upload.text)
    ;({ contractId } = await create(none))
    ;({ transaction } = await ledger.submit([exercise(held, contractId, 'Fill')]))
  })
  after(async () => {
    client?.[Symbol.dispose]()
    await ledger?.[Symbol.asyncDispose]()
  })

  const create = (sample: object) =>
    ledger.submit([{ CreateCommand: { templateId: held, createArguments: { owner: ledger.alice, sample } } }])
  const echo = (field: string, json: unknown) => {
    const commands = ledger.commandsOf([exercise(held, contractId, 'Echo', { sample: { ...none, [field]: json } })])
    return ledger.post('/v2/commands/submit-and-wait-for-transaction', {
      commands,
      transactionFormat: updateFormat(filtersFor([ledger.alice]), 'LEDGER_EFFECTS').includeTransactions,
    })
  }

  for (const [field, json, answer = json] of echoed) {
    test(`JSON ${JSON.stringify(json)} of ${field} is read, and written as ${JSON.stringify(answer)}`, async () => {
      const { status, json: found, text } = await echo(field, json)
      assert.equal(status, 200, text)
      const { choiceArgument, exerciseResult } = found.transaction.events[0].ExercisedEvent
      assert.deepEqual(exerciseResult, { ...none, [field]: answer })
      assert.deepEqual(choiceArgument.sample, exerciseResult)
    })
  }

  for (const [field, json] of refused) {
    test(`JSON ${JSON.stringify(json)} of ${field} is refused`, async () => {
      const { status, json: answer } = await echo(field, json)
      assert.deepEqual([status, answer.code], [400, 'INVALID_ARGUMENT'])
    })
  }

  test('Some None is written as Canton writes it', async () => {
    const [{ ExercisedEvent }, { CreatedEvent }] = transaction.events
    assert.deepEqual(ExercisedEvent.exerciseResult, filled)
    assert.deepEqual(CreatedEvent.createArgument.sample, filled)
  })

  test('gRPC has the exact value, from a stream of updates and from single events', async () => {
    const updates = await client.of('UpdateService')
    const { eventFormat } = formatFor(ledger.alice)
    const updateFormat = { includeTransactions: formatFor(ledger.alice) }
    const { offset, updateId } = transaction
    const streamed = updates.getUpdates({
      beginExclusive: BigInt(offset - 1),
      endInclusive: BigInt(offset),
      updateFormat,
    })
    const found: Json[] = []
    for await (const { update } of streamed.responses) if (update.transaction) found.push(update.transaction)
    found.push((await updates.getUpdateById({ updateId, updateFormat })).response.update.transaction)
    for (const { events } of found) {
      const [exercised, created] = events
      assert.deepEqual(exactly(exercised.event.exercised.exerciseResult), filledExactly)
      assert.deepEqual(exactly(sampleOf(created.event.created)), filledExactly)
    }
    assert.equal(found.length, 2)
    const state = await client.of('StateService')
    const contracts = state.getActiveContracts({ activeAtOffset: BigInt(await ledger.end()), eventFormat })
    const active: Json[] = []
    for await (const { contractEntry } of contracts.responses) {
      active.push(exactly(sampleOf(contractEntry.activeContract.createdEvent)))
    }
    assert.equal(active.filter((value) => isFilled(value)).length, 1)
  })

  test('a value that came over gRPC is the same when it goes out', async () => {
    const commands = await client.of('CommandService')
    const { response } = await (await client.of('UpdateService')).getUpdateById({
      updateId: transaction.updateId,
      updateFormat: { includeTransactions: formatFor(ledger.alice) },
    })
    const sample = response.update.transaction.events[0].event.exercised.exerciseResult
    const record = { fields: [{ label: 'sample', value: sample }] }
    const answer = await commands.submitAndWaitForTransaction({
      commands: {
        ...{ workflowId: '', commandId: 'over-grpc', userId: 'app', actAs: [ledger.alice], readAs: [] },
        ...{ deduplicationPeriod: { oneofKind: undefined }, submissionId: '', disclosedContracts: [] },
        ...{ synchronizerId: '', packageIdSelectionPreference: [], prefetchContractKeys: [] },
        commands: [
          {
            command: {
              oneofKind: 'exercise',
              exercise: {
                templateId: { packageId: '#optionals', moduleName: 'Main', entityName: 'Held' },
                ...{ contractId, choice: 'Echo' },
                choiceArgument: { sum: { oneofKind: 'record', record } },
              },
            },
          },
        ],
      },
      transactionFormat: formatFor(ledger.alice),
    })
    const { choiceArgument, exerciseResult } = answer.response.transaction.events[0].event.exercised
    assert.deepEqual(exactly(exerciseResult), filledExactly)
    assert.deepEqual(exactly(choiceArgument), { sample: filledExactly })
  })
})

/** With the effects of transactions, and the names of types and fields. */
const formatFor = (party: string) => ({
  eventFormat: { filtersByParty: { [party]: { cumulative: [] } }, verbose: true },
  transactionShape: 2,
})
const isFilled = (value: Json) => JSON.stringify(value) === JSON.stringify(filledExactly)
const sampleOf = (created: Json) => created.createArguments.fields[1].value

/** A value of the Ledger API with each Optional as a list of its content. */
function exactly({ sum }: Json): Json {
  const content = sum[sum.oneofKind]
  switch (sum.oneofKind) {
    case 'record':
      return Object.fromEntries(content.fields.map(({ label, value }: Json) => [label, exactly(value)]))
    case 'variant':
      return { [content.constructor]: exactly(content.value) }
    case 'optional':
      return content.value === undefined ? [] : [exactly(content.value)]
    case 'list':
      return content.elements.map(exactly)
    case 'textMap':
      return Object.fromEntries(content.entries.map(({ key, value }: Json) => [key, exactly(value)]))
    default:
      return String(content)
  }
}
