// Queries for active contracts over any store, compared with a small model.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { forAnybody, forParties, template, viewOf } from '../../../test/support/reading/sample-formats.ts'
import { contractIdOf } from '../../../test/support/reading/sample-ledger.ts'
import { createSampleReading, type Json, never, parsed } from '../../../test/support/reading/sample-reading.ts'
import { freeAccount } from '../../base/byte-budget.ts'
import type { Store } from '../../store/core/store.ts'
import type { EventFormat } from '../reading/requests/queries.ts'
import { type Bounds, developmentBounds } from './bounds.ts'
import type { ContractQuery } from './contract-query.ts'
import { createFinding } from './finding.ts'

const contracts = 260

type Known = { readonly n: number; readonly stakeholders: readonly string[]; readonly isAsset: boolean }

/** Contract n is created at offset n; every third one is archived at offset 260 + n / 3. */
const known: readonly Known[] = Array.from({ length: contracts }, (_, index) => {
  const n = index + 1
  return { n, stakeholders: n % 4 === 0 ? ['alice', 'bob'] : [n % 2 === 0 ? 'alice' : 'bob'], isAsset: n % 5 === 0 }
})

/** Amounts repeat, some are negative, and every eleventh contract has none. */
const amountOf = ({ n }: Known) => (n % 11 === 0 ? null : `${n % 7 === 0 ? '-' : ''}${(n * 37) % 40}.50`)
const argumentOf = (contract: Known) =>
  JSON.stringify({
    label: `z${contract.n}`,
    price: { amount: amountOf(contract), currency: contract.n % 2 ? 'CHF' : 'EUR' },
  })

const nodeOf = (contract: Known) => ({
  contract: `c${contract.n}`,
  template: contract.isAsset ? 'Main:Asset' : 'Main:Iou',
  signatories: contract.stakeholders.slice(0, 1),
  observers: contract.stakeholders.slice(1),
})

const creating = (contract: Known) => ({
  nodes: [{ ...nodeOf(contract), kind: 'create', argument: argumentOf(contract) } as const],
})
const archiving = (contract: Known) => ({
  nodes: [{ ...nodeOf(contract), kind: 'exercise', isConsuming: true, actors: contract.stakeholders } as const],
})

export const plain: ContractQuery = {
  format: forAnybody(),
  activeAtOffset: undefined,
  oldestFirst: false,
  sortBy: undefined,
  filters: [],
  text: '',
  pageSize: undefined,
  pageToken: '',
}

export const asking = { signal: never, account: freeAccount, owner: 'somebody' }

export function findingOver(store: Store, change: Partial<Bounds> = {}) {
  const reading = createSampleReading(store)
  const finding = createFinding({
    reading: reading.parts,
    bounds: { ...developmentBounds, ...change },
    isInNetwork: false,
  })
  return { ...reading, finding }
}

async function filled(store: Store) {
  const all = findingOver(store)
  await all.ledger.commitAll(known.map(creating))
  await all.ledger.commitAll(known.filter(({ n }) => n % 3 === 0).map(archiving))
  return all
}

const isActiveAt = (offset: number) => (contract: Known) =>
  contract.n <= offset && !(contract.n % 3 === 0 && contracts + contract.n / 3 <= offset)

const numberOf = (element: Json): number =>
  Number(element.contractEntry.JsActiveContract.createdEvent.createArgument.label.slice(1))
const isOf = (party: string) => (contract: Known) => contract.stakeholders.includes(party)

export function contractQueryContract(name: string, open: () => Promise<Store>): void {
  describe(`queries for contracts over ${name}`, () => {
    const rows: [title: string, format: EventFormat, isSeen: (contract: Known) => boolean][] = [
      ['of anybody', forAnybody(), () => true],
      ['of anybody, of a template', forAnybody(template('Asset')), ({ isAsset }) => isAsset],
      ['of a party', forParties('alice'), isOf('alice')],
      ['of two parties, each once', forParties('alice', 'bob', 'nobody'), () => true],
      ['of a party and a template', forParties(['bob', template('Iou')]), (c) => isOf('bob')(c) && !c.isAsset],
      ['of an interface', forParties(['bob', viewOf('Token', false)]), isOf('bob')],
      ['of an interface without implementations', forParties(['bob', viewOf('Lonely')]), () => false],
      ['of a stranger', forParties('nobody'), () => false],
    ]

    /** For tests that only read. */
    let sharedStore: Store
    let finding: ReturnType<typeof createFinding>
    before(async () => {
      sharedStore = await open()
      finding = (await filled(sharedStore)).finding
    })
    after(() => sharedStore[Symbol.asyncDispose]())

    test('find what is active at the offset, newest first and oldest first, and count it', async (t) => {
      for (const [title, format, isSeen] of rows) {
        for (const offset of [346, 345, 300, 260, 150, 1]) {
          await t.test(`${title}, at ${offset}`, async () => {
            const want = known
              .filter(isActiveAt(offset))
              .filter(isSeen)
              .map(({ n }) => n)
            for (const oldestFirst of [true, false]) {
              const query = { ...plain, format, oldestFirst, activeAtOffset: BigInt(offset), pageSize: 60 }
              const { found, totals } = await pagesOf(finding, query)
              assert.deepEqual(found, oldestFirst ? want : want.toReversed())
              for (const total of totals) assert.deepEqual(total, { count: want.length, is: 'exact' })
            }
          })
        }
      }
    })

    test('sort by a field, page by page', async (t) => {
      for (const [title, format, isSeen] of rows) {
        for (const descending of [true, false]) {
          await t.test(`${title}, ${descending ? 'descending' : 'ascending'}`, async () => {
            const sortBy = { field: 'price.amount', descending }
            const query = { ...plain, format, sortBy, activeAtOffset: 300n, pageSize: 23 }
            const { found, totals } = await pagesOf(finding, query)
            const want = known.filter(isActiveAt(300)).filter(isSeen)
            assert.deepEqual(found, inOrder(want, descending))
            for (const total of totals) assert.deepEqual(total, { count: want.length, is: 'exact' })
          })
        }
      }
    })

    const conditions: [title: string, query: Partial<ContractQuery>, passes: (contract: Known) => boolean][] = [
      [
        'a number that is equal',
        { filters: [{ field: 'price.amount', test: 'equals', value: '3.5' }] },
        (contract) => amountOf(contract) === '3.50',
      ],
      [
        'a number that is less',
        { filters: [{ field: 'price.amount', test: 'less', value: '5' }] },
        (contract) => amountOf(contract) !== null && Number(amountOf(contract)) < 5,
      ],
      [
        'a text and a number',
        {
          filters: [
            { field: 'price.currency', test: 'contains', value: 'ch' },
            { field: 'price.amount', test: 'greater', value: '30' },
          ],
        },
        (contract) => contract.n % 2 === 1 && Number(amountOf(contract)) > 30,
      ],
      ['a text in any field', { text: 'Z25' }, ({ n }) => n === 25 || (n >= 250 && n <= 259)],
      ['a party', { text: 'ALIC' }, isOf('alice')],
      ['the beginning of its id', { text: contractIdOf('c25').slice(0, 12) }, ({ n }) => n === 25],
      ['what is within its id', { text: contractIdOf('c25').slice(12, 24) }, () => false],
      ['the name of a field, which is no value', { text: 'currency' }, () => false],
      ['no such field', { filters: [{ field: 'price.nothing', test: 'equals', value: '' }] }, () => false],
    ]
    for (const [title, change, passes] of conditions) {
      test(`filter by ${title}`, async () => {
        for (const offset of [346, 200]) {
          const query = { ...plain, ...change, activeAtOffset: BigInt(offset), pageSize: 7 }
          const want = known.filter(isActiveAt(offset)).filter(passes)
          const { found, totals } = await pagesOf(finding, query)
          assert.deepEqual(found, want.map(({ n }) => n).toReversed())
          assert.deepEqual(totals.at(-1), { count: want.length, is: 'exact' })
          const sortBy = { field: 'price.amount', descending: true }
          const sorted = await pagesOf(finding, { ...query, sortBy })
          assert.deepEqual(sorted.found, inOrder(want, true))
        }
      })
    }

    test('stay those at the offset while others are created and archived', async () => {
      await using store = await open()
      const { finding, ledger } = await filled(store)
      const before = known.filter(isActiveAt(346)).map(({ n }) => n)
      const found: number[] = []
      let pageToken: string | null = ''
      for (let step = 0; pageToken !== null; step += 1) {
        const page: Json = parsed(await finding.contracts({ ...plain, pageSize: 40, pageToken }, asking))
        assert.equal(page.activeAtOffset, 346)
        found.push(...page.activeContracts.map(numberOf))
        await ledger.commitAll(known.filter(({ n }) => n % 3 !== 0 && n % 7 === step).map(archiving))
        await ledger.commit(creating({ ...known[step]!, n: 1000 + step }))
        pageToken = page.nextPageToken
      }
      assert.deepEqual(found, before.toReversed())
    })

    test('count on from an earlier count', async () => {
      await using store = await open()
      const { finding, ledger } = await filled(store)
      const formats = [forAnybody(), forAnybody(template('Iou')), forParties('alice'), forParties('alice', 'bob')]
      const totals = async () => {
        const pages = formats.map((format) => finding.contracts({ ...plain, format, pageSize: 1 }, asking))
        return (await Promise.all(pages)).map((page) => parsed(page).total)
      }
      const exactly = (...counts: number[]) => counts.map((count) => ({ count, is: 'exact' }))
      const now = known.filter(isActiveAt(346))
      const counted = (some: readonly Known[]) =>
        exactly(
          some.length,
          some.filter(({ isAsset }) => !isAsset).length,
          some.filter(isOf('alice')).length,
          some.length,
        )
      assert.deepEqual(await totals(), counted(now))
      await ledger.commit(archiving(known[0]!))
      await ledger.commit(creating({ n: 1000, stakeholders: ['alice'], isAsset: false }))
      await ledger.commit(creating({ n: 1001, stakeholders: ['alice'], isAsset: true }))
      await ledger.commit(archiving({ n: 1001, stakeholders: ['alice'], isAsset: true }))
      const later = [...now.slice(1), { n: 1000, stakeholders: ['alice'], isAsset: false }]
      assert.deepEqual(await totals(), counted(later))
      await ledger.commitAll(now.slice(1).map(archiving))
      assert.deepEqual(await totals(), counted(later.slice(-1)))
    })

    test('count anew when archives since an earlier count were pruned', async () => {
      await using store = await open()
      const { finding, ledger } = await filled(store)
      const total = async () => parsed(await finding.contracts(plain, asking)).total
      const { count } = await total()
      const prunedUpTo = await ledger.commit(archiving(known[0]!))
      await ledger.commit(creating({ n: 1000, stakeholders: ['alice'], isAsset: false }))
      await ledger.commit(archiving(known[1]!))
      ledger.end.publishPruning(prunedUpTo)
      await store.contracts.prune({ after: 0n, upTo: prunedUpTo, limit: 1_000 })
      assert.deepEqual(await total(), { count: count - 1, is: 'exact' })
    })

    test('count and list also when thousands were archived since', async () => {
      await using store = await open()
      const { finding, ledger } = findingOver(store)
      const many: Known[] = Array.from({ length: 1_300 }, (_, index) => {
        return { n: index + 1, stakeholders: ['alice'], isAsset: index % 3 === 0 }
      })
      for (let from = 0; from < many.length; from += 100) {
        await ledger.commit({ nodes: many.slice(from, from + 100).flatMap((contract) => creating(contract).nodes) })
      }
      const gone = many.filter(({ n }) => n % 7 !== 0).reverse()
      await ledger.commit({ nodes: gone.flatMap((contract) => archiving(contract).nodes) })
      for (const format of [forAnybody(), forParties('alice'), forParties('alice', 'bob')]) {
        const { found, totals } = await pagesOf(finding, { ...plain, format, activeAtOffset: 13n, pageSize: 500 })
        assert.deepEqual(found, many.map(({ n }) => n).toReversed())
        for (const total of totals) assert.deepEqual(total, { count: many.length, is: 'exact' })
      }
    })
  })
}

async function pagesOf({ contracts: find }: ReturnType<typeof createFinding>, query: ContractQuery) {
  const found: number[] = []
  const totals: Json[] = []
  for (let pageToken: string | null = ''; pageToken !== null; ) {
    const page: Json = parsed(await find({ ...query, pageToken }, asking))
    found.push(...page.activeContracts.map(numberOf))
    totals.push(page.total)
    pageToken = page.nextPageToken
  }
  return { found, totals }
}

/** By amount, the newest first where it is equal, those without one last. */
function inOrder(some: readonly Known[], descending: boolean): number[] {
  const compare = (a: Known, b: Known) => {
    const [x, y] = [amountOf(a), amountOf(b)]
    if (x === y) return b.n - a.n
    if (x === null || y === null) return x === null ? 1 : -1
    return descending ? Number(y) - Number(x) : Number(x) - Number(y)
  }
  return some.toSorted(compare).map(({ n }) => n)
}
