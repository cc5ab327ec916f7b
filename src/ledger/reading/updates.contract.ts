// Guarantees of update streams, over any store.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  delta,
  effects,
  forAnybody,
  forParties,
  template,
  updates,
  viewOf,
} from '../../../test/support/reading/sample-formats.ts'
import { contractIdOf, type SampleTransaction } from '../../../test/support/reading/sample-ledger.ts'
import { collect, createSampleReading, type Json, never } from '../../../test/support/reading/sample-reading.ts'
import type { Store } from '../../store/core/store.ts'
import type { UpdatesQuery } from './requests/queries.ts'

const parties = ['alice', 'bob', 'carol']

/** Update n is for alice, bob or carol in turn; every fifth has another template; every seventh is for all. */
function numbered(n: number): SampleTransaction {
  const [signatory, observers] = n % 7 === 0 ? ['alice', ['bob', 'carol']] : [parties[n % 3]!, []]
  const name = n % 5 === 0 ? 'Main:Asset' : 'Main:Iou'
  return { nodes: [{ kind: 'create', contract: `c${n}`, template: name, signatories: [signatory], observers }] }
}

/** Characters of one to four bytes. */
const wide = 'aß語🜁'

const isFor = (n: number, party: string) => n % 7 === 0 || parties[n % 3] === party

export function updatesContract(name: string, open: () => Promise<Store>): void {
  describe(`updates over ${name}`, () => {
    const rows: [title: string, format: UpdatesQuery['format'], isSeen: (n: number) => boolean][] = [
      ['of anybody', updates(delta(forAnybody())), () => true],
      ['of anybody, with effects', updates(effects(forAnybody())), () => true],
      ['of anybody, of a template', updates(delta(forAnybody(template('Asset')))), (n) => n % 5 === 0],
      ['of a party', updates(delta(forParties('alice'))), (n) => isFor(n, 'alice')],
      ['of two parties', updates(delta(forParties('alice', 'bob'))), (n) => isFor(n, 'alice') || isFor(n, 'bob')],
      ['of a party and an unknown one', updates(delta(forParties('x', 'bob'))), (n) => isFor(n, 'bob')],
      [
        'of a party, of a template',
        updates(delta(forParties(['bob', template('Asset')]))),
        (n) => isFor(n, 'bob') && n % 5 === 0,
      ],
      [
        'of two parties, of one of them by template',
        updates(delta(forParties('alice', ['carol', template('Asset')]))),
        (n) => isFor(n, 'alice') || (isFor(n, 'carol') && n % 5 === 0),
      ],
      [
        'of an interface and of a party',
        updates(delta({ ...forParties('alice'), filtersForAnyParty: [viewOf('Rare', false)] })),
        (n) => isFor(n, 'alice') || n % 5 !== 0,
      ],
      ['of reassignments', { ...updates(undefined), reassignments: forAnybody() }, () => false],
      ['of nothing', updates(undefined), () => false],
    ]
    test('are complete and in order, over many batches', async (t) => {
      await using store = await open()
      const { ledger, updates: reader } = createSampleReading(store)
      const numbers = Array.from({ length: 700 }, (_, index) => index + 1)
      for (let n = 1; n <= numbers.length; n += 11) {
        await ledger.writeAll(numbers.slice(n - 1, n + 9).map(numbered))
        ledger.skip()
      }
      ledger.publish(680n)
      for (const [title, format, isSeen] of rows) {
        for (const descending of [false, true]) {
          await t.test(`${title}${descending ? ', descending' : ''}`, async () => {
            const query = { beginExclusive: 20n, endInclusive: 660n, descending, format, form: 'transaction' } as const
            const found = await collect(reader.stream(query, never))
            const want = numbers.filter((n) => n > 20 && n <= 660 && n % 11 !== 0 && isSeen(n))
            assert.deepEqual(
              found.map(({ update }) => update.Transaction.value.offset),
              descending ? want.toReversed() : want,
            )
          })
        }
      }
    })

    for (const form of ['transaction', 'tree'] as const) {
      test(`keep characters of any width, as a ${form}`, async () => {
        await using store = await open()
        const { ledger, updates: reader } = createSampleReading(store)
        const create = (contract: string, label: string): SampleTransaction['nodes'][0] => {
          return { kind: 'create', contract, argument: JSON.stringify({ label }), signatories: ['alice'] }
        }
        await ledger.commit({ nodes: [create('c1', wide), create('c2', 'a'), create('c3', wide)] })
        const text = await reader.transactionAt(1n, effects(forParties('alice')), form)
        const { events, eventsById } = JSON.parse(text)
        const found = form === 'tree' ? Object.values<Json>(eventsById) : events
        const created = found.map((event: Json) => event.CreatedEvent ?? event.CreatedTreeEvent.value)
        assert.deepEqual(
          created.map(({ contractId, createArgument, signatories }: Json) => [contractId, createArgument, signatories]),
          [
            [contractIdOf('c1'), { label: wide }, ['alice']],
            [contractIdOf('c2'), { label: 'a' }, ['alice']],
            [contractIdOf('c3'), { label: wide }, ['alice']],
          ],
        )
      })
    }
  })
}
