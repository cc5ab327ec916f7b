// Versions of a package whose contracts are deposits of alice, and words for commands on them.
import { depositPackage } from '../../../test/support/engine/deposit-package.ts'
import { shownPackage, type VersionedPackage } from '../../../test/support/engine/versioned-package.ts'
import { darOf } from '../../../test/support/lf/package-writer.ts'
import type { World } from '../world.ts'

export type Deposits = ReturnType<typeof createDeposits>
export type Contracts = {
  readonly old: string
  readonly recent: string
  readonly grown: string
  readonly nested: string
}

export const shownByName = '#shown:Main:Shown'
export const of = ({ id }: VersionedPackage) => `${id}:Main:Deposit`
export const darWith = (one: VersionedPackage) =>
  darOf({ [`${one.id}.dalf`]: one.bytes, ...(one === shownPackage ? {} : { 'shown.dalf': shownPackage.bytes }) })

/** The third version and those after it change more than optional fields. */
function versionsOf(packageName: string) {
  return {
    v1: depositPackage({ packageName, version: '1.0.0', added: 0 }),
    v2: depositPackage({ packageName, version: '2.0.0', added: 1 }),
    v3: depositPackage({ packageName, version: '3.0.0', added: 2 }),
    moreSignatories: depositPackage({ packageName, version: '4.0.0', added: 2, signatories: ['owner', 'other'] }),
    moreObservers: depositPackage({ packageName, version: '5.0.0', added: 2, observers: ['other'] }),
    refusing: depositPackage({ packageName, version: '6.0.0', added: 2, isRefusing: true }),
    viewless: depositPackage({ packageName, version: '7.0.0', added: 2, view: 'fails' }),
  }
}

export function createDeposits(world: World) {
  const { both, alice, bob, submit } = world
  const packageName = `deposit${world.run}`
  const versions = versionsOf(packageName)
  for (const { id } of [shownPackage, ...Object.values(versions)]) both.ids.fix(id)
  const create = (templateId: string, fields: object = {}) => ({
    CreateCommand: {
      templateId,
      createArguments: {
        owner: alice,
        other: bob,
        note: 'hello',
        part: { n: '1' },
        colour: 'Red',
        shape: { tag: 'Square', value: '4' },
        ...fields,
      },
    },
  })
  const run = (note: string, command: object, fields: object = {}) =>
    submit([command], { actAs: [alice], ...fields }, { note })
  return {
    packageName,
    versions,
    create,
    run,
    byName: `#${packageName}:Main:Deposit`,
    created: async (note: string, templateId: string, fields: object = {}, more: object = {}): Promise<string> => {
      const transaction = await run(note, create(templateId, fields), more)
      return transaction?.events?.[0]?.CreatedEvent?.contractId ?? '00'
    },
    preferring: (...ids: VersionedPackage[]) => ({ packageIdSelectionPreference: ids.map(({ id }) => id) }),
    vet: (note: string, kind: 'Vet' | 'Unvet', value: object, more: object = {}) =>
      both.post('/v2/package-vetting/update', { changes: [{ operation: { [kind]: { value } } }], ...more }, { note }),
  }
}
