// Several active contracts with one key: which of them the key resolves to, and that many are read in parts.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventOf, type Json, keys, keysDar, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { stores } from '../fixtures/node.ts'

const keyedType = `${keys}:Keys:Keyed`

for (const store of stores) {
  describe(`a key with several contracts on ${store}`, () => {
    let ledger: TestLedger
    before(async () => {
      ledger = await startTestLedger({ store, settings: { dars: [keysDar] } })
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
    async function queried(name: string, count: number, ...notes: readonly string[]): Promise<string[]> {
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
      const { transaction } = await ledger.submit([command])
      const result: Json = eventOf(transaction, 'ExercisedEvent').exerciseResult
      return (Object.values(result)[1] as string[]).toReversed()
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
