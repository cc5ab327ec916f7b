// Several active contracts with one key: which of them the key resolves to, and that many are read in parts.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  eventOf,
  filtersFor,
  type Json,
  keys,
  keysDar,
  move,
  startTestLedger,
  type TestLedger,
  transactionFormat,
} from '../fixtures/ledger.ts'
import { stores } from '../fixtures/node.ts'

const keyedType = `${keys}:Keys:Keyed`

for (const store of stores) {
  describe(`a key with several contracts on ${store}`, () => {
    let ledger: TestLedger
    before(async () => {
      ledger = await startTestLedger({
        store,
        settings: {
          dars: [keysDar],
          lenient: true, // The fixture names no synchronizer, and means all of them.
          synchronizers: [
            { alias: 'first', priority: 1 },
            { alias: 'second', priority: 0 },
          ],
        },
      })
    })
    after(() => ledger[Symbol.asyncDispose]())

    const keyOf = (name: string) => ({ maintainers: [ledger.alice], name, maintainersFault: 'Fine' })
    const keyed = (name: string, note: string) => ({
      signatories: [ledger.alice],
      observers: [],
      key: keyOf(name),
      keyFault: 'Fine',
      note,
    })
    const create = (name: string, note: string) => ({
      CreateCommand: { templateId: keyedType, createArguments: keyed(name, note) },
    })
    const byKey = (name: string, choice: string) => ({
      ExerciseByKeyCommand: {
        templateId: keyedType,
        contractKey: keyOf(name),
        choice,
        choiceArgument: choice === 'Archive' ? {} : { controllers: [ledger.alice], program: [] },
      },
    })
    /** Creates contracts with these notes, then queries `count` by key; returns their notes in ledger order. */
    const queried = (name: string, count: number, ...notes: readonly string[]) => queriedWith([], name, count, ...notes)

    async function queriedWith(
      disclosedContracts: readonly Json[],
      name: string,
      count: number,
      ...notes: readonly string[]
    ): Promise<string[]> {
      const program = [
        ...notes.map((note) => ({ tag: 'Create', value: keyed(name, note) })),
        { tag: 'Query', value: { count: String(count), key: keyOf(name) } },
      ]
      const command = {
        CreateAndExerciseCommand: {
          templateId: `${keys}:Keys:Actor`,
          createArguments: { parties: [ledger.alice] },
          choice: 'Actor_Run',
          choiceArgument: { program },
        },
      }
      const { transaction } = await ledger.submit([command], { disclosedContracts })
      return foundBy(transaction)
    }
    function foundBy(transaction: Json): string[] {
      const result: Json = eventOf(transaction, 'ExercisedEvent').exerciseResult
      return (Object.values(result)[1] as string[]).toReversed()
    }
    async function blobAt(offset: number): Promise<string> {
      const blobs = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
      const format = transactionFormat(filtersFor([ledger.alice], blobs))
      const answer = await ledger.post('/v2/updates/transaction-by-offset', { offset, transactionFormat: format })
      return eventOf(answer.json.transaction, 'CreatedEvent').createdEventBlob
    }
    const exercised = ({ transaction }: { transaction: Json }) => eventOf(transaction, 'ExercisedEvent').contractId

    test('resolves to the newest, and to the next older one once that is archived', async () => {
      const created: string[] = []
      for (const note of ['a', 'b', 'c']) created.push((await ledger.submit([create('one', note)])).contractId)
      const two = await ledger.submit([create('one', 'd'), create('one', 'e')])
      for (const { CreatedEvent } of two.transaction.events.slice(0, 2)) {
        if (CreatedEvent.contractId !== created.at(-1)) created.push(CreatedEvent.contractId)
      }
      for (const contractId of created.toReversed()) {
        assert.equal(exercised(await ledger.submit([byKey('one', 'Keep')])), contractId)
        assert.equal(exercised(await ledger.submit([byKey('one', 'Archive')])), contractId)
      }
    })

    test('returns as many as requested, those of the transaction first, each newest first', async () => {
      for (const note of ['a', 'b', 'c']) await ledger.submit([create('many', note)])
      assert.deepEqual(await queried('many', 1), ['c'])
      assert.deepEqual(await queried('many', 2), ['c', 'b'])
      assert.deepEqual(await queried('many', 9), ['c', 'b', 'a'])
      assert.deepEqual(await queried('many', 4, 'd', 'e'), ['e', 'd', 'c', 'b'])
    })

    test('stands for disclosed contracts first, in the order of the request', async () => {
      const notes = ['a', 'b', 'c']
      const disclosed: Json[] = []
      for (const note of notes) {
        const { transaction } = await ledger.submit([create('disclosed', note)])
        disclosed.push({ createdEventBlob: await blobAt(transaction.offset) })
      }
      const [a, b] = disclosed
      assert.deepEqual(await queried('disclosed', 2), ['c', 'b'])
      assert.deepEqual(await queriedWith([a], 'disclosed', 1), ['a'])
      assert.deepEqual(await queriedWith([b, a], 'disclosed', 9), ['b', 'a', 'c'])
      assert.deepEqual(await queriedWith([a, b], 'disclosed', 9), ['a', 'b', 'c'])
    })

    test('stands for the newest also when the command names an older one', async () => {
      const { contractId } = await ledger.submit([create('named', 'a')])
      await ledger.submit([create('named', 'b')])
      const program = [{ tag: 'Query', value: { count: '2', key: keyOf('named') } }]
      const choiceArgument = { controllers: [ledger.alice], program }
      const command = { ExerciseCommand: { templateId: keyedType, contractId, choice: 'Keep', choiceArgument } }
      const { transaction } = await ledger.submit([command])
      assert.deepEqual(foundBy(transaction), ['b', 'a'])
    })

    test('stands for a contract that came from another synchronizer as for a new one', async () => {
      const created: string[] = []
      for (const note of ['a', 'b', 'c']) created.push((await ledger.submit([create('moved', note)])).contractId)
      await move(ledger, created[0]!, true)
      assert.deepEqual(await queried('moved', 1), ['a'])
      assert.equal(exercised(await ledger.submit([byKey('moved', 'Keep')])), created[0])
    })

    test('returns all of them, however many and large they are', async () => {
      const notes = Array.from(
        { length: 250 },
        (_, index) => `${index} ${'x'.repeat(index % 50 === 0 ? 400_000 : 100)}`,
      )
      for (let from = 0; from < notes.length; from += 50) {
        await ledger.submit(notes.slice(from, from + 50).map((note) => create('crowd', note)))
      }
      assert.deepEqual(await queried('crowd', 1_000), notes.toReversed())
    })
  })
}
