// Upgrades while the ledger runs: one package in several versions, and contracts, commands and filters across them.
import { shownId, shownPackage } from '../../../test/support/engine/versioned-package.ts'
import { exercise, filtersFor, updateFormat, type World } from '../world.ts'
import { type Contracts, createDeposits, type Deposits, darWith, of, shownByName } from './deposits.ts'
import { signedSession } from './upgrade-signing.ts'
import { changedMetadata, disclosed, preferences } from './upgrade-vetting.ts'

export async function upgradeSession(world: World): Promise<void> {
  const { both } = world
  const deposits = createDeposits(world)
  const { versions, byName, created } = deposits
  await both.post('/v2/dars', darWith(shownPackage))
  await both.post('/v2/dars', darWith(versions.v1))
  const old = await created('v1 by name', byName)
  await created('v1 by id', of(versions.v1))
  await both.post('/v2/dars', darWith(versions.v2))
  const contracts = await clients(deposits, old)
  await choices(deposits, contracts)
  await interfaces(deposits, contracts)
  await reading(world, deposits)
  await preferences(world, deposits, contracts)
  await disclosed(world, deposits, contracts)
  await signedSession(world, deposits)
  await changedMetadata(world, deposits, contracts)
  await reading(world, deposits)
}

/** Arguments of older and newer clients. */
async function clients(deposits: Deposits, old: string): Promise<Contracts> {
  const { run, create, created, preferring, byName } = deposits
  const { v1, v2 } = deposits.versions
  const round = (part: object) => ({ shape: { tag: 'Round', value: part } })
  const oval = { shape: { tag: 'Oval', value: 'x' } }
  const recent = await created('no extra', byName)
  const grown = await created('an extra', byName, { extra: 'more' })
  const nested = await created('nested extras', byName, { part: { n: '1', tag: 'x' }, ...round({ n: '2', tag: null }) })
  const rows: [note: string, fields: object][] = [
    ['extra null', { extra: null }],
    ['an unknown field', { unknown: 'x' }],
    ['an unknown field that is null', { unknown: null }],
    ['a field of v3', { extra: null, more: null }],
    ['a field of v3 with a value', { extra: 'x', more: 'x' }],
    ['a nested null', { part: { n: '1', tag: null } }],
    ['a nested unknown field', { part: { n: '1', unknown: 'x' } }],
    ['a nested field of v3', { part: { n: '1', tag: null, label: null } }],
    ['a constructor of v2', oval],
    ['a colour of v2', { colour: 'Blue' }],
    ['a constructor of v3', { shape: { tag: 'Flat', value: 'x' } }],
    ['a colour of v3', { colour: 'Black' }],
    ['a record as a list', { part: ['1'] }],
    ['a record as a longer list', { part: ['1', null] }],
    ['a wrong value', { extra: 5 }],
    ['a wrong nested value', { part: { n: 'x' } }],
    ['a missing field', { note: undefined }],
    ['a missing nested field', { part: {} }],
    ['a missing last field', { colour: undefined }],
  ]
  for (const [note, fields] of rows) {
    await run(`${note}, by name`, create(byName, fields))
    await run(`${note}, by the id of v1`, create(of(v1), fields))
    await run(`${note}, by name, preferring v1`, create(byName, fields), preferring(v1))
  }
  await run('by the id of v2', create(of(v2), { extra: 'x' }))
  await run('by the id of v2, preferring v1', create(of(v2), { extra: 'x' }), preferring(v1))
  return { old, recent, grown, nested }
}

/** Contracts of each version through the other, and what upgraded choices take and return. */
async function choices(deposits: Deposits, contracts: Contracts): Promise<void> {
  const { run, preferring, create, byName } = deposits
  const { v1, v2 } = deposits.versions
  const through = { 'by name': byName, 'by v1': of(v1), 'by v2': of(v2) }
  for (const [name, id] of Object.entries(contracts)) {
    for (const [way, templateId] of Object.entries(through)) {
      await run(`Keep of ${name} ${way}`, exercise(templateId, id, 'Keep'))
    }
    await run(`Keep of ${name} preferring v1`, exercise(byName, id, 'Keep'), preferring(v1))
    await run(`Keep of ${name} by v2, preferring v1`, exercise(of(v2), id, 'Keep'), preferring(v1))
    for (const other of [contracts.old, contracts.grown]) {
      await run(`Look of ${name}`, exercise(byName, id, 'Look', { id: other }))
      await run(`Look of ${name} by v1`, exercise(of(v1), id, 'Look', { id: other }))
    }
  }
  const { old, recent } = contracts
  const echo = (part: object, more: object = {}) => ({
    part,
    shape: { tag: 'Round', value: part },
    colour: 'Red',
    ...more,
  })
  const rows: [choice: string, argument: object][] = [
    ['Change', { by: '1' }],
    ['Change', { by: '1', why: null }],
    ['Change', { by: '1', why: 'so' }],
    ['Change', { by: '1', why: null, because: null }],
    ['Change', { by: '1', why: null, because: 'x' }],
    ['Change', {}],
    ['Change', ['1']],
    ['Change', ['1', 'so']],
    ['Echo', echo({ n: '1' })],
    ['Echo', echo({ n: '1', tag: null }, { a: null })],
    ['Echo', echo({ n: '1', tag: 'x' }, { a: 'x' })],
    ['Echo', echo({ n: '1', tag: 'x', label: null })],
    ['Echo', { ...echo({ n: '1' }), colour: 'Blue' }],
    ['Nothing', {}],
  ]
  for (const [choice, argument] of rows) {
    const note = `${choice} ${JSON.stringify(argument)}`
    await run(note, exercise(byName, old, choice, argument))
    await run(`${note} by v1`, exercise(of(v1), recent, choice, argument))
    await run(`${note} preferring v1`, exercise(byName, recent, choice, argument), preferring(v1))
    const { createArguments } = create(byName).CreateCommand
    await run(`${note} after a create`, {
      CreateAndExerciseCommand: { templateId: byName, createArguments, choice, choiceArgument: argument },
    })
  }
}

async function interfaces(deposits: Deposits, contracts: Contracts): Promise<void> {
  const { run, preferring, created, byName } = deposits
  const { v1 } = deposits.versions
  for (const [name, id] of Object.entries(contracts)) {
    for (const choice of ['Show', 'IsOwn', 'Cast', 'Force', 'Touch']) {
      await run(`${choice} of ${name}`, exercise(byName, contracts.old, choice, { id }))
      await run(`${choice} of ${name} by v1`, exercise(of(v1), contracts.recent, choice, { id }))
      await run(
        `${choice} of ${name} preferring v1`,
        exercise(byName, contracts.recent, choice, { id }),
        preferring(v1),
      )
    }
    for (const templateId of [shownByName, shownId]) {
      await run(`Touch of ${name}`, exercise(templateId, id, 'Touch'))
      await run(`Touch of ${name} preferring v1`, exercise(templateId, id, 'Touch'), preferring(v1))
    }
  }
  const renewed = await created('to be renewed', of(v1))
  await run('Renew', exercise(byName, renewed, 'Renew'))
  await run('Renew again', exercise(byName, renewed, 'Renew'))
}

/** What readers see of contracts of each version. */
async function reading(world: World, deposits: Deposits): Promise<void> {
  const { both, bank, bob } = world
  const { byName, packageName, created, run } = deposits
  const { v1, v2 } = deposits.versions
  const acting = { actAs: [bank] }
  const mine = { owner: bank, note: world.newId('note') }
  const contracts = [
    await created('to read, v1', of(v1), mine, acting),
    await created('to read, v2', of(v2), { ...mine, extra: 'x' }, acting),
    await created('to read, by name', byName, { ...mine, other: bank }, { actAs: [bank, bob] }),
  ]
  await run('to read: Change', exercise(byName, contracts[0]!, 'Change', { by: '1', why: 'x' }), acting)
  await run('to read: Renew', exercise(of(v2), contracts[0]!, 'Renew'), acting)
  const { offset } = await both.get('/v2/state/ledger-end')
  const filterOf = (kind: 'TemplateFilter' | 'InterfaceFilter', id: string): object => {
    const value = kind === 'TemplateFilter' ? { templateId: id } : { interfaceId: id, includeInterfaceView: true }
    return { cumulative: [{ identifierFilter: { [kind]: { value: { includeCreatedEventBlob: false, ...value } } } }] }
  }
  const filters: [string, object][] = [
    ['by name', filterOf('TemplateFilter', byName)],
    ['by v1', filterOf('TemplateFilter', of(v1))],
    ['by v2', filterOf('TemplateFilter', of(v2))],
    ['by interface name', filterOf('InterfaceFilter', shownByName)],
    ['by interface', filterOf('InterfaceFilter', shownId)],
    ['by an unknown name', filterOf('TemplateFilter', `#${packageName}:Main:Nothing`)],
    ['by an unknown package', filterOf('TemplateFilter', '#nothing:Main:Deposit')],
  ]
  for (const [note, filter] of filters) {
    const eventFormat = { filtersByParty: { [bank]: filter }, verbose: true }
    await both.post('/v2/state/active-contracts', { activeAtOffset: offset, eventFormat }, { note, as: 'app' })
    for (const shape of ['ACS_DELTA', 'LEDGER_EFFECTS'] as const) {
      const format = updateFormat(eventFormat as never, shape)
      const body = { beginExclusive: 0, endInclusive: offset, updateFormat: format }
      await both.post('/v2/updates', body, { note: `${note} ${shape}`, as: 'app' })
    }
  }
  for (const contractId of contracts) {
    const eventFormat = { ...filtersFor([bank]), verbose: true }
    await both.post('/v2/events/events-by-contract-id', { contractId, eventFormat }, { as: 'app' })
    const shown = { filtersByParty: { [bank]: filterOf('InterfaceFilter', shownByName) }, verbose: false }
    await both.post('/v2/events/events-by-contract-id', { contractId, eventFormat: shown }, { as: 'app' })
    await both.post('/v2/contracts/contract-by-id', { contractId, queryingParties: [bank] }, { as: 'app' })
  }
}
