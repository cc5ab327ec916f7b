// Prepared transactions and keyed contracts over versions: what is signed with one version is executed after another came.
import { openArchive, payloadOf } from '../../../src/lf/archive/archive.ts'
import { openDar } from '../../../src/lf/dar/dar.ts'
import { createSigner } from '../../../test/fixtures/signer.ts'
import { archiveOf, darOf } from '../../../test/support/lf/package-writer.ts'
import type { Json } from '../both.ts'
import { darFile, exercise, filtersFor, right, transactionFormat, type World } from '../world.ts'
import { type Deposits, of } from './deposits.ts'
import { onboard } from './interactive.ts'

const preparePath = '/v2/interactive-submission/prepare'

export async function signedSession(world: World, deposits: Deposits): Promise<void> {
  await keyed(world)
  const signer = createSigner()
  const party = await onboard(world, signer, `holder${world.run}`)
  if (party === undefined) return
  const { both, synchronizers, newId, alice } = world
  const { v1, v2 } = deposits.versions
  const { byName, create, vet, preferring } = deposits
  const rights = [right('CanExecuteAs', party), right('CanReadAs', party)]
  await both.post('/v2/users/app/rights', { userId: 'app', rights })

  const prepare = (note: string, command: object, fields: object = {}) => {
    const request = { userId: 'app', commandId: newId('signed'), commands: [command], actAs: [party] }
    const body = { ...request, synchronizerId: synchronizers[0], packageIdSelectionPreference: [], ...fields }
    return both.call('POST', preparePath, { as: 'app', body, note })
  }
  const execute = async (note: string, prepared: Awaited<ReturnType<typeof prepare>>): Promise<Json> => {
    if (prepared.ours.status !== 200 || prepared.canton.status !== 200) return undefined
    const submissionId = newId('submission')
    const bodyOf = (side: 'ours' | 'canton') => {
      const { preparedTransaction, preparedTransactionHash, hashingSchemeVersion } = prepared[side].json as Json
      const signatures = [signer.sign(Buffer.from(preparedTransactionHash, 'base64'))]
      const translated = (value: unknown) => (side === 'ours' ? value : both.ids.jsonToCanton(value))
      return {
        preparedTransaction,
        hashingSchemeVersion,
        userId: 'app',
        submissionId,
        deduplicationPeriod: { Empty: {} },
        partySignatures: { signatures: [{ party: translated(party), signatures }] },
        transactionFormat: translated(transactionFormat({ ...filtersFor([party]), verbose: true }, 'LEDGER_EFFECTS')),
      }
    }
    const path = '/v2/interactive-submission/executeAndWaitForTransaction'
    return (await both.call('POST', path, { as: 'app', note, bodyOf })).json?.transaction
  }
  const contractIn = (transaction: Json): string => transaction?.events?.[0]?.CreatedEvent?.contractId ?? '00'
  const mine = { owner: party, other: alice }

  const old = contractIn(await execute('v1, signed', await prepare('v1', create(of(v1), mine))))
  const recent = contractIn(await execute('by name, signed', await prepare('by name', create(byName, mine))))
  const grown = contractIn(await execute('grown, signed', await prepare('v2', create(byName, { ...mine, extra: 'x' }))))
  for (const [name, id] of Object.entries({ old, recent, grown })) {
    await execute(`${name} through v2`, await prepare(`${name} through v2`, exercise(byName, id, 'Keep')))
    const down = await prepare(`${name} through v1`, exercise(byName, id, 'Keep'), preferring(v1))
    await execute(`${name} through v1`, down)
  }
  const before = await prepare('before v2 is unvetted', exercise(byName, old, 'Keep'))
  const lower = await prepare('before v1 is unvetted', exercise(of(v1), old, 'Keep'))
  await vet('v2', 'Unvet', { packages: [{ packageId: v2.id }] })
  await execute('after v2 is unvetted', before)
  await prepare('v2 is not vetted', exercise(of(v2), old, 'Keep'))
  const only = await prepare('with v1 alone', create(byName, mine))
  await vet('v2', 'Vet', { packages: [{ packageId: v2.id }] })
  await execute('with v1, after v2 came', only)
  await vet('v1', 'Unvet', { packages: [{ packageId: v1.id }] })
  await execute('after v1 is unvetted', lower)
  await vet('v1', 'Vet', { packages: [{ packageId: v1.id }] })
}

/** The same package once more, as its version 2.0.0. */
function laterVersion(dar: Buffer): { readonly id: string; readonly dar: Buffer } {
  const [main, ...others] = openDar(dar).packages
  const payload = Buffer.from(payloadOf(main!.bytes))
  payload.write('2.0.0', payload.indexOf('1.0.0'))
  const archive = archiveOf(payload)
  const entries = [{ id: openArchive(archive).id, bytes: archive as Uint8Array }, ...others]
  return { id: entries[0]!.id, dar: darOf(Object.fromEntries(entries.map(({ id, bytes }) => [`${id}.dalf`, bytes]))) }
}

/** Contracts of one version by their key, through the other. */
async function keyed(world: World): Promise<void> {
  const { both, alice, submit } = world
  const later = laterVersion(darFile('test/lf/keys-lf23.dar'))
  both.ids.fix(later.id)
  const first = openDar(darFile('test/lf/keys-lf23.dar')).packages[0]!.id
  const key = (name: string) => ({ maintainers: [alice], name, maintainersFault: 'Fine' })
  const create = (packageRef: string, name: string, note: string) => ({
    CreateCommand: {
      templateId: `${packageRef}:Keys:Keyed`,
      createArguments: { signatories: [alice], observers: [], key: key(name), keyFault: 'Fine', note },
    },
  })
  const send = (note: string, command: object, fields: object = {}) =>
    submit([command], { actAs: [alice], ...fields }, { note })
  const noProgram = { controllers: [alice], program: [] }
  const byKey = (packageRef: string, name: string, choice = 'Keep') => ({
    ExerciseByKeyCommand: {
      templateId: `${packageRef}:Keys:Keyed`,
      contractKey: key(name),
      choice,
      choiceArgument: noProgram,
    },
  })
  const running = (packageRef: string, ...program: object[]) => ({
    CreateAndExerciseCommand: {
      templateId: `${packageRef}:Keys:Actor`,
      createArguments: { parties: [alice] },
      choice: 'Actor_Run',
      choiceArgument: { program },
    },
  })
  const name = world.newId('key')
  await send('a key, v1', create(first, name, 'first'))
  await both.post('/v2/dars', later.dar)
  await send('the same key, v2', create(later.id, `${name}-2`, 'second'))
  for (const packageRef of [first, later.id, '#keys-lf23']) {
    for (const one of [name, `${name}-2`, 'nobody']) {
      await send(`Keep by key ${one} through ${packageRef}`, byKey(packageRef, one))
      await send(`fetch ${one} through ${packageRef}`, running(packageRef, { tag: 'FetchByKey', value: key(one) }))
      const query = { tag: 'Query', value: { count: '2', key: key(one) } }
      await send(`query ${one} through ${packageRef}`, running(packageRef, query))
      const keep = { tag: 'KeepByKey', value: { key: key(one), argument: noProgram } }
      await send(`exercise ${one} through ${packageRef}`, running(packageRef, keep))
    }
  }
  await send('both versions', create(later.id, name, 'another'))
  await send('query both', running(later.id, { tag: 'Query', value: { count: '5', key: key(name) } }))
  await send('Consume through v2', byKey(later.id, name, 'Consume'))
  await send('Consume through v1', byKey(first, name, 'Consume'))
  await send('Consume again', byKey(first, name, 'Consume'))
}
