// Contracts that a participant does not know, disclosed in the command: on the right synchronizer, on the wrong one, archived.
import { doing, exercise, filtersFor, target } from '../../../../test/fixtures/ledger.ts'
import type { Json } from '../../both.ts'
import { createdIn, effects, type Network, shapes, updateFormat } from '../../network.ts'

export async function disclosureSession(network: Network): Promise<void> {
  const { sandbox, pebblebox, sidebox, dave, bob, carol, first, second } = network
  const create = { CreateCommand: { templateId: effects, createArguments: target([dave]) } }
  const createdOn = async (synchronizerId: string) =>
    createdIn(await sandbox.submit('a contract to disclose', [create], [dave], { synchronizerId }))
  const [there, here] = [await createdOn(first), await createdOn(second)]
  const blobs = await blobsOf(network)
  const disclosed = (contractId: string, synchronizerId: string) => ({ ...blobs.get(contractId), synchronizerId })
  const look = (contractId: string, party: string) => [exercise(effects, contractId, 'Keep', doing([party]))]
  await sidebox.submit('not disclosed', look(here, carol), [carol])
  const used = await sidebox.submit('disclosed', look(here, carol), [carol], {
    disclosedContracts: [disclosed(here, second)],
  })
  for (const one of [sandbox, sidebox]) {
    for (const shape of shapes) {
      const body = { updateId: used?.updateId ?? '', updateFormat: updateFormat(undefined, shape) }
      await one.post(`the use of a disclosed contract: ${shape}`, '/v2/updates/update-by-id', body)
    }
  }
  for (const synchronizerId of [first, second, '']) {
    const disclosedContracts = [disclosed(there, synchronizerId)]
    await sidebox.submit('of the other synchronizer', look(there, carol), [carol], { disclosedContracts })
    await pebblebox.submit('of either synchronizer', look(there, bob), [bob], { disclosedContracts })
  }
  await sandbox.submit('it is archived', [exercise(effects, here, 'Archive')], [dave], { synchronizerId: second })
  const disclosedContracts = [disclosed(here, second)]
  await sidebox.submit('disclosed, but archived', look(here, carol), [carol], { disclosedContracts })
}

async function blobsOf({ sandbox, dave }: Network): Promise<ReadonlyMap<string, object>> {
  const filter = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
  const eventFormat = { ...filtersFor([dave], filter), verbose: false }
  const body = { activeAtOffset: await sandbox.end(), eventFormat }
  const found = await sandbox.post('blobs', '/v2/state/active-contracts', body)
  return new Map(
    found.flatMap(({ contractEntry }: Json) => {
      const event = contractEntry.JsActiveContract?.createdEvent
      if (event === undefined) return []
      const { contractId, createdEventBlob, templateId } = event
      return [[contractId, { contractId, createdEventBlob, templateId }]]
    }),
  )
}
