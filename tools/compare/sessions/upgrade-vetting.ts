// Which version a command means while vetting changes, contracts that a command brings along, and versions that say
// something else about a contract.
import { shownPackage } from '../../../test/support/engine/versioned-package.ts'
import type { Json } from '../both.ts'
import { exercise, filtersFor, transactionFormat, type World } from '../world.ts'
import { type Contracts, type Deposits, darWith, of, shownByName } from './deposits.ts'

export async function preferences(world: World, deposits: Deposits, { old, grown }: Contracts): Promise<void> {
  const { both, alice, bob, synchronizers, submit } = world
  const { run, create, vet, preferring, byName } = deposits
  const { v1, v2, v3 } = deposits.versions
  const name = deposits.packageName
  const party = encodeURIComponent(alice)
  const preferred = async (note: string, packageName = name) => {
    const query = `parties=${party}&package-name=${packageName}`
    await both.get(`/v2/interactive-submission/preferred-package-version?${query}`, { note })
    const at = '&vetting_valid_at=2031-01-01T00:00:00Z'
    await both.get(`/v2/interactive-submission/preferred-package-version?${query}${at}`, { note: `${note} later` })
    const requirements = [
      { parties: [alice, bob], packageName },
      { parties: [alice], packageName: 'shown' },
    ]
    for (const packageVettingRequirements of [requirements, requirements.slice(0, 1), requirements.slice(1)]) {
      const body = { packageVettingRequirements, synchronizerId: synchronizers[0] }
      await both.post('/v2/interactive-submission/preferred-packages', body, { note })
    }
  }
  const useAll = async (note: string) => {
    await preferred(note)
    await run(`${note}: create by name`, create(byName))
    await run(`${note}: create by v1`, create(of(v1)))
    await run(`${note}: create by v2`, create(of(v2)))
    await run(`${note}: create preferring v2`, create(byName), preferring(v2))
    await run(`${note}: create preferring v1`, create(byName), preferring(v1))
    await run(`${note}: Keep by name`, exercise(byName, old, 'Keep'))
    await run(`${note}: Keep by v1`, exercise(of(v1), old, 'Keep'))
    await run(`${note}: Keep by v2`, exercise(of(v2), old, 'Keep'))
    await submit(
      [create(byName), exercise(shownByName, old, 'Touch')],
      { actAs: [alice] },
      { note: `${note}: two names` },
    )
    await run(`${note}: Keep of a grown one by name`, exercise(byName, grown, 'Keep'))
    await run(`${note}: Touch`, exercise(shownByName, old, 'Touch'))
    await run(`${note}: Touch of a grown one`, exercise(shownByName, grown, 'Touch'))
    await run(`${note}: Touch preferring v2`, exercise(shownByName, old, 'Touch'), preferring(v2))
  }
  await run('preferring both', create(byName), preferring(v1, v2))
  await run('preferring an unknown package', create(byName), { packageIdSelectionPreference: ['00'.repeat(32)] })
  await run('preferring v3, which is unknown', create(byName), preferring(v3))
  await run('preferring the interface', create(byName), preferring(shownPackage))
  await run('by the id of v3, which is unknown', create(of(v3)))
  await run('an unknown name', create('#nothing:Main:Deposit'))
  await run('an unknown template', create(`#${name}:Main:Nothing`))
  await run('an unknown module', create(`#${name}:Nothing:Deposit`))
  await vet('v2 by id', 'Unvet', { packages: [{ packageId: v2.id }] })
  await useAll('v2 is not vetted')
  const later = '2030-01-01T00:00:00Z'
  await vet('v2 later', 'Vet', { packages: [{ packageId: v2.id }], newValidFromInclusive: later })
  await preferred('v2 is vetted from 2030')
  await run('v2 is vetted from 2030: create by name', create(byName))
  await vet('v2 no longer', 'Vet', { packages: [{ packageId: v2.id }], newValidUntilExclusive: '2020-01-01T00:00:00Z' })
  await preferred('v2 was vetted')
  const bounds = { newValidFromInclusive: later, newValidUntilExclusive: '2020-01-01T00:00:00Z' }
  await vet('v2 never', 'Vet', { packages: [{ packageId: v2.id }], ...bounds })
  await vet('v2 until later', 'Vet', {
    packages: [{ packageName: name, packageVersion: '2.0.0' }],
    newValidUntilExclusive: later,
  })
  await preferred('v2 is vetted until 2030')
  await vet('the interface', 'Unvet', { packages: [{ packageName: 'shown' }] })
  await both.post('/v2/package-vetting/list', { packageMetadataFilter: { packageNamePrefixes: [name, 'shown'] } })
  await useAll('the interface is not vetted')
  await vet('all', 'Vet', { packages: [{ packageId: v2.id }, { packageId: v1.id }, { packageId: shownPackage.id }] })
  await vet('v1', 'Unvet', { packages: [{ packageName: name, packageVersion: '1.0.0' }] })
  await useAll('v1 is not vetted')
  await vet('every version', 'Unvet', { packages: [{ packageName: name }] })
  await useAll('no version is vetted')
  await vet('every version', 'Vet', { packages: [{ packageName: name }] })
  await vet('both versions', 'Vet', { packages: [{ packageId: v1.id }, { packageId: v2.id }] })
  await useAll('all are vetted')
  await vet('an unknown version', 'Vet', { packages: [{ packageName: name, packageVersion: '9.0.0' }] })
  await vet('nothing of the name', 'Unvet', { packages: [{ packageName: 'nothing' }] })
  await preferred('an unknown name', 'nothing')
}

/** Contracts of one version that a command brings along, used through another. */
export async function disclosed(world: World, deposits: Deposits, contracts: Contracts): Promise<void> {
  const { run, preferring, created, byName } = deposits
  const { v1, v2 } = deposits.versions
  const { both, alice, bob, synchronizers } = world
  const mine = await created('to disclose, v1', of(v1), { other: alice })
  const later = await created('to disclose, v2', byName, { other: alice, extra: 'x' })
  for (const [name, contractId] of Object.entries({ ...contracts, mine, later })) {
    const wildcard = { WildcardFilter: { value: { includeCreatedEventBlob: true } } }
    const filters = { cumulative: [{ identifierFilter: wildcard }] }
    const eventFormat = { filtersByParty: { [alice]: filters }, verbose: false }
    const found = await both.call('POST', '/v2/events/events-by-contract-id', {
      body: { contractId, eventFormat },
      as: 'app',
    })
    const blobOf = (side: 'ours' | 'canton') => (found[side].json as Json)?.created?.createdEvent?.createdEventBlob
    for (const [way, templateId, more] of [
      ['by name', byName, {}],
      ['by v1', of(v1), {}],
      ['by v1, said to be of v2', of(v1), { said: of(v2) }],
      ['by name, preferring v1', byName, preferring(v1)],
    ] as const) {
      const commandId = world.newId('disclosed')
      const bodyOf = (side: 'ours' | 'canton') => {
        const contract = {
          contractId,
          createdEventBlob: '',
          synchronizerId: synchronizers[0],
          ...('said' in more && { templateId: more.said }),
        }
        const { said: _, ...fields } = more as { said?: string }
        const commands = world.commandsOf([exercise(templateId, contractId, 'Keep')], {
          actAs: [alice],
          readAs: [bob],
          commandId,
          disclosedContracts: [contract],
          ...fields,
        })
        const body = { commands, transactionFormat: transactionFormat(filtersFor([alice]), 'LEDGER_EFFECTS') }
        const sent = (side === 'ours' ? body : both.ids.jsonToCanton(body)) as Json
        sent.commands.disclosedContracts[0].createdEventBlob = blobOf(side) ?? ''
        return sent
      }
      const note = `disclosed ${name} ${way}`
      await both.call('POST', '/v2/commands/submit-and-wait-for-transaction', { bodyOf, as: 'app', note })
    }
  }
  await run('not disclosed', exercise(byName, mine, 'Keep'))
}

/** Versions that compute other signatories or observers, or refuse the contract. */
export async function changedMetadata(world: World, deposits: Deposits, contracts: Contracts): Promise<void> {
  const { both, alice, bob } = world
  const { run, create, preferring, byName } = deposits
  const { v1: _, v2, ...versions } = deposits.versions
  for (const [version, one] of Object.entries(versions)) {
    await both.post('/v2/dars', darWith(one), { note: version })
    for (const [name, id] of Object.entries({ old: contracts.old, grown: contracts.grown })) {
      const note = `${name} through ${version}`
      await run(note, exercise(byName, id, 'Keep'))
      await run(`${note}: Look`, exercise(of(v2), contracts.recent, 'Look', { id }))
      await run(`${note}: Show`, exercise(of(v2), contracts.recent, 'Show', { id }))
      await run(`${note}: IsOwn`, exercise(of(v2), contracts.recent, 'IsOwn', { id }))
      await run(`${note}: Force`, exercise(of(v2), contracts.recent, 'Force', { id }))
      await run(`${note}: Touch`, exercise(shownByName, id, 'Touch'))
      await run(`${note}: Touch preferring v2`, exercise(shownByName, id, 'Touch'), preferring(v2))
    }
    await run(`create with ${version}`, create(byName), { actAs: [alice, bob] })
    await run(`create with ${version} alone`, create(byName, { extra: 'x' }))
  }
}
