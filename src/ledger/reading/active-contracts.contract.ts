// Lists of active contracts over any store, whatever happens meanwhile.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { forAnybody, forParties, template, viewOf } from '../../../test/support/reading/sample-formats.ts'
import { createSampleReading, type Json, never, parsed } from '../../../test/support/reading/sample-reading.ts'
import type { Store } from '../../store/core/store.ts'
import type { EventFormat } from './requests/queries.ts'

const contracts = 260

type Known = { readonly n: number; readonly stakeholders: readonly string[]; readonly isAsset: boolean }

/** Contract n is created at offset n; every third one is archived at offset 260 + n / 3. */
const known: readonly Known[] = Array.from({ length: contracts }, (_, index) => {
  const n = index + 1
  return { n, stakeholders: n % 4 === 0 ? ['alice', 'bob'] : [n % 2 === 0 ? 'alice' : 'bob'], isAsset: n % 5 === 0 }
})

const nodeOf = ({ n, stakeholders, isAsset }: Known) => ({
  contract: `c${n}`,
  template: isAsset ? 'Main:Asset' : 'Main:Iou',
  signatories: stakeholders.slice(0, 1),
  observers: stakeholders.slice(1),
})

type Reading = ReturnType<typeof createSampleReading>

const archiving = (contract: Known) => ({
  nodes: [{ ...nodeOf(contract), kind: 'exercise', isConsuming: true, actors: contract.stakeholders } as const],
})

async function filled(store: Store): Promise<Reading> {
  const reading = createSampleReading(store)
  await reading.ledger.commitAll(known.map((contract) => ({ nodes: [{ ...nodeOf(contract), kind: 'create' }] })))
  await reading.ledger.commitAll(known.filter(({ n }) => n % 3 === 0).map(archiving))
  return reading
}

function activeAt(offset: number, isSeen: (contract: Known) => boolean): number[] {
  return known
    .filter((contract) => contract.n <= offset && !(contract.n % 3 === 0 && contracts + contract.n / 3 <= offset))
    .filter(isSeen)
    .map(({ n }) => n)
}

const numberOf = (element: Json): number =>
  Number(element.contractEntry.JsActiveContract.createdEvent.createArgument.label.slice(1))
const isOf = (party: string) => (contract: Known) => contract.stakeholders.includes(party)

export function activeContractsContract(name: string, open: () => Promise<Store>): void {
  describe(`active contracts over ${name}`, () => {
    const rows: [title: string, format: EventFormat, isSeen: (contract: Known) => boolean][] = [
      ['of anybody', forAnybody(), () => true],
      ['of anybody, of a template', forAnybody(template('Asset')), ({ isAsset }) => isAsset],
      ['of a party', forParties('alice'), isOf('alice')],
      ['of two parties, each once', forParties('alice', 'bob', 'nobody'), () => true],
      ['of a party and a template', forParties(['bob', template('Iou')]), (c) => isOf('bob')(c) && !c.isAsset],
      ['of an interface', forParties(['bob', viewOf('Token', false)]), isOf('bob')],
      [
        'of one party, and of another by template',
        forParties('alice', ['bob', template('Asset')]),
        (c) => isOf('alice')(c) || (isOf('bob')(c) && c.isAsset),
      ],
      ['of an interface without implementations', forParties(['bob', viewOf('Lonely')]), () => false],
    ]
    test('are those at the offset, now and in the past, in the order of their creation', async (t) => {
      await using store = await open()
      const { activeContracts } = await filled(store)
      for (const [title, format, isSeen] of rows) {
        for (const offset of [346, 345, 300, 260, 150, 1, 0]) {
          await t.test(`${title}, at ${offset}`, async () => {
            const query = { activeAtOffset: BigInt(offset), format, continuationToken: '' }
            const found: Json[] = []
            for await (const some of activeContracts.stream(query, never)) found.push(...some.map(parsed))
            assert.deepEqual(found.map(numberOf), activeAt(offset, isSeen))
          })
        }
      }
    })

    test('resume after any element, page after page', async () => {
      await using store = await open()
      const { activeContracts } = await filled(store)
      const query = { activeAtOffset: 300n, format: forParties('alice', 'bob'), continuationToken: '' }
      const found: Json[] = []
      for await (const some of activeContracts.stream(query, never)) found.push(...some.map(parsed))
      for (const at of [0, 1, 99, 100, 150, found.length - 1]) {
        const continuationToken: string = found[at].streamContinuationToken
        const rest: Json[] = []
        for await (const some of activeContracts.stream({ ...query, continuationToken }, never)) {
          rest.push(...some.map(parsed))
        }
        assert.deepEqual(rest, found.slice(at + 1))
      }
      const paged: Json[] = []
      let pageToken: string | null = ''
      while (pageToken !== null) {
        const page: Json = parsed(await activeContracts.page({ ...query, maxPageSize: 30, pageToken }))
        assert.equal(page.activeAtOffset, 300)
        paged.push(...page.activeContracts)
        pageToken = page.nextPageToken
      }
      assert.deepEqual(paged.map(numberOf), found.map(numberOf))
    })

    test('come in the order of their creation also when thousands were archived since', async () => {
      await using store = await open()
      const { activeContracts, ledger } = createSampleReading(store)
      const many: Known[] = Array.from({ length: 1_300 }, (_, index) => {
        return { n: index + 1, stakeholders: ['alice'], isAsset: index % 3 === 0 }
      })
      await ledger.commit({ nodes: many.map((contract) => ({ ...nodeOf(contract), kind: 'create' as const })) })
      const gone = many.filter(({ n }) => n % 7 !== 0).reverse()
      await ledger.commit({ nodes: gone.flatMap((contract) => archiving(contract).nodes) })
      assert.ok(gone.length > 1_000)
      for (const format of [forAnybody(), forParties('alice')]) {
        const found: number[] = []
        let pageToken: string | null = ''
        while (pageToken !== null) {
          const query = { activeAtOffset: 1n, format, maxPageSize: 170, pageToken }
          const page: Json = parsed(await activeContracts.page(query))
          found.push(...page.activeContracts.map(numberOf))
          pageToken = page.nextPageToken
        }
        assert.deepEqual(
          found,
          many.map(({ n }) => n),
        )
      }
    })

    for (const format of [forAnybody(), forParties('alice', 'bob')]) {
      const who = [...format.filtersByParty.keys()].join(' and ') || 'anybody'
      test(`of ${who} stay those at the offset while others are created and archived`, async () => {
        await using store = await open()
        const { activeContracts, ledger } = await filled(store)
        const query = { activeAtOffset: 346n, format, continuationToken: '' }
        const found: number[] = []
        let step = 0
        for await (const some of activeContracts.stream(query, never)) {
          found.push(...some.map(parsed).map(numberOf))
          await ledger.commitAll(known.filter(({ n }) => n % 3 !== 0 && n % 7 === step).map(archiving))
          await ledger.commit({ nodes: [{ ...nodeOf(known[step]!), contract: `c${1000 + step}`, kind: 'create' }] })
          step += 1
        }
        const want = activeAt(346, () => true)
        assert.deepEqual(found, want)
      })
    }
  })
}
