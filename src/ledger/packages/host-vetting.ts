// What the participants that host parties have vetted. Outside a network this participant hosts every party it knows.
import type { PartyRole } from '../../engine/requests/party-roles.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PackageState, Vetting } from './known-packages.ts'
import { isVetted } from './package-candidates.ts'

/** Packages that one participant needs for a transaction. */
export type PackageNeed = { readonly participantId: string; readonly packages: readonly string[] }

export type HostVetting = ReturnType<typeof createHostVetting>

type Parts = {
  readonly state: PackageState
  readonly participantId: string
  readonly hosting: Pick<Hosting, 'hosts'>
  /** The packages of another participant; undefined for a participant alone. */
  readonly packagesOf?: ((participantId: string) => PackageState | undefined) | undefined
}

export function createHostVetting({ state, participantId, hosting, packagesOf }: Parts) {
  async function participantsOf(party: string, synchronizer: bigint): Promise<readonly string[]> {
    const hosts = packagesOf === undefined ? [] : await hosting.hosts(party)
    const there = hosts.filter((host) => host.synchronizer === synchronizer).map((host) => host.participant)
    return there.length === 0 ? [participantId] : there
  }

  async function vettingOf(id: string, synchronizer: bigint): Promise<Vetting | undefined> {
    if (id === participantId) return (state.present() ?? (await state.load())).vetting(synchronizer)
    return (await packagesOf?.(id)?.load())?.vetting(synchronizer)
  }

  /** What all participants of a party have vetted. */
  async function byParty(party: string, synchronizer: bigint, now: bigint): Promise<(packageId: string) => boolean> {
    const vettings: (Vetting | undefined)[] = []
    for (const id of await participantsOf(party, synchronizer)) vettings.push(await vettingOf(id, synchronizer))
    return (packageId) => vettings.every((vetting) => isVetted(packageId, vetting, now))
  }

  /** What the participants of the parties need on the synchronizer, in the order of the parties. */
  async function needsOf(roles: readonly PartyRole[], synchronizer: bigint): Promise<readonly PackageNeed[]> {
    const needs = new Map<string, Set<string>>()
    for (const { party, packages } of roles) {
      for (const id of await participantsOf(party, synchronizer)) {
        const needed = needs.get(id)
        if (needed === undefined) needs.set(id, new Set(packages))
        else for (const packageId of packages) needed.add(packageId)
      }
    }
    return [...needs].map(([id, packages]) => ({ participantId: id, packages: [...packages] }))
  }

  return {
    byParty,
    needsOf,
    vettingOf,
    /** What is known of a participant's vetting without waiting. */
    vettingNow: (id: string, synchronizer: bigint): Vetting | undefined =>
      (id === participantId ? state : packagesOf?.(id))?.present()?.vetting(synchronizer),
  }
}
