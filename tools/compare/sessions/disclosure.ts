// With two synchronizers: where a transaction goes that uses disclosed contracts, by what the request says of them.
import { doing, target as targetArguments } from '../../../test/fixtures/ledger.ts'
import type { Json } from '../both.ts'
import { exercise, filtersFor, target, type World } from '../world.ts'

export async function disclosureSession(world: World): Promise<void> {
  const { both, bank, alice, carol, synchronizers, create, commandsOf } = world
  const [first, second] = synchronizers as [string, string?]
  if (second === undefined) return
  const createOf = (signatories: readonly string[]) => ({
    CreateCommand: { templateId: target, createArguments: targetArguments(signatories) },
  })
  const createdOn = (signatories: readonly string[], synchronizerId: string) =>
    create(createOf(signatories), { actAs: signatories, synchronizerId })
  const here = await createdOn([bank], first)
  const there = await createdOn([bank], second)
  const own = await createdOn([carol], second)
  const blobs = await blobsOf(world, [bank, carol])
  const disclosed = (contractId: string, synchronizerId = '') => ({ ...blobs.get(contractId), synchronizerId })
  const fetch = (contractId: string) => ({ tag: 'Fetch', value: { tag: 'Given', value: contractId } })
  const keep = (contractId: string, ...others: readonly string[]) =>
    exercise(target, contractId, 'Keep', doing([carol], ...others.map(fetch)))
  const cases: readonly [commands: readonly object[], disclosedContracts: readonly object[], fields?: object][] = [
    [[keep(here)], [disclosed(here)]],
    [[keep(here)], [disclosed(here, first)]],
    [[keep(here)], [disclosed(here, second)]],
    [[keep(there)], [disclosed(there, second)]],
    [[keep(there)], [disclosed(there, first)]],
    [[keep(here, there)], [disclosed(here), disclosed(there)]],
    [[keep(here, there)], [disclosed(here, first), disclosed(there)]],
    [[keep(here, there)], [disclosed(here), disclosed(there, second)]],
    [[keep(here, there)], [disclosed(here, first), disclosed(there, second)]],
    [[keep(here, there)], [disclosed(here, first), disclosed(there, first)]],
    [[keep(here)], [disclosed(here, first), disclosed(there, second)]],
    [[keep(here), keep(own)], [disclosed(here)]],
    [[keep(here), keep(own)], [disclosed(here, first)]],
    [[keep(here), keep(own)], [disclosed(here, second)]],
    [[keep(there), keep(own)], [disclosed(there, second)]],
    [[keep(here), keep(own)], [disclosed(here, first)], { readAs: [bank] }],
    [[keep(here), keep(own)], [disclosed(here)], { readAs: [bank] }],
    [[createOf([carol])], [disclosed(here, first), disclosed(there, second)]],
  ]
  for (const [commands, disclosedContracts, fields] of cases) {
    for (const synchronizerId of ['', first, second]) {
      for (const tapsMaxPasses of [undefined, 1]) {
        const more = { actAs: [carol], synchronizerId, tapsMaxPasses, disclosedContracts, ...fields }
        const note = JSON.stringify([commands.length, disclosedContracts.map(placeOf), synchronizerId, tapsMaxPasses])
        await both.post('/v2/commands/submit-and-wait', commandsOf(commands, more), { as: 'app', note })
      }
    }
  }
  await both.post(
    '/v2/commands/submit-and-wait',
    commandsOf([keep(own)], { actAs: [carol, alice], synchronizerId: '' }),
    {
      as: 'app',
    },
  )
}

const placeOf = (disclosed: object) => (disclosed as { synchronizerId: string }).synchronizerId.split(':')[0]

async function blobsOf({ both }: World, parties: readonly string[]): Promise<ReadonlyMap<string, object>> {
  const filter = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
  const { offset: activeAtOffset } = await both.get('/v2/state/ledger-end')
  const eventFormat = { ...filtersFor(parties, filter), verbose: false }
  const found = await both.post('/v2/state/active-contracts', { activeAtOffset, eventFormat }, { as: 'app' })
  return new Map(
    found.flatMap(({ contractEntry }: Json) => {
      const event = contractEntry.JsActiveContract?.createdEvent
      if (event === undefined) return []
      const { contractId, createdEventBlob, templateId } = event
      return [[contractId, { contractId, createdEventBlob, templateId }]]
    }),
  )
}
