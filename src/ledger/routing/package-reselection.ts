// Selects packages once more, for all parties of a transaction that could not be routed with the packages of its
// submitter. Mirrors the later passes of Canton's TopologyAwareCommandExecutor.

import type { Synchronizer } from '../model/synchronizers.ts'
import { commonCandidates, type Requirements } from '../packages/common-candidates.ts'
import type { HostVetting } from '../packages/host-vetting.ts'
import type { PackageState } from '../packages/known-packages.ts'
import { noneFits } from '../packages/selection-refusals.ts'
import { noneSelected } from './routing-refusals.ts'

export type ReselectionRequest = {
  readonly requirements: Requirements
  /** The names in the commands themselves: each must have a package. */
  readonly rootNames: readonly string[]
  /** Package ids that the client prefers, by package name. */
  readonly preference: ReadonlyMap<string, string>
  /** The one that the client names, or "". */
  readonly synchronizerId: string
  /** Microseconds since 1970. */
  readonly now: bigint
}

/** The package of each name; "" for one that has none. */
export type Selected = Readonly<Record<string, string>>

export type Reselection = ReturnType<typeof createReselection>

type Parts = { readonly packageState: PackageState; readonly vettings: HostVetting }

export function createReselection({ packageState, vettings }: Parts) {
  /** By synchronizer that has packages for all names in the commands; at least one. */
  return async function reselect(
    request: ReselectionRequest,
    synchronizers: readonly Synchronizer[],
  ): Promise<ReadonlyMap<Synchronizer, Selected>> {
    const found = new Map<Synchronizer, Selected>()
    const discarded: { synchronizer: Synchronizer; name: string; reason: string }[] = []
    for (const synchronizer of synchronizers) {
      const selected = await selectOn(synchronizer, request)
      if ('reason' in selected) discarded.push({ synchronizer, ...selected })
      else found.set(synchronizer, selected.packages)
    }
    if (found.size === 0) throw noneSelected(discarded, request.synchronizerId)
    return found
  }

  async function selectOn(
    synchronizer: Synchronizer,
    { requirements, rootNames, preference, now }: ReselectionRequest,
  ): Promise<{ name: string; reason: string } | { packages: Selected }> {
    const known = await packageState.load()
    const contentsOf = await packageState.contents()
    const candidates = await commonCandidates({ known, synchronizer, contentsOf, requirements, now }, vettings)
    const selected: [name: string, packageId: string][] = []
    for (const name of known.names()) {
      const found = candidates(name)
      const wanted = preference.get(name)
      const vetted = typeof found === 'string' ? [] : found
      const fitting = wanted === undefined ? vetted : vetted.filter(({ id }) => id === wanted)
      if (fitting.length > 0 || !rootNames.includes(name)) selected.push([name, fitting.at(-1)?.id ?? ''])
      else {
        const restriction = 'Commands.package_id_selection_preference'
        return { name, reason: typeof found === 'string' ? found : noneFits(name, [wanted!], vetted, restriction) }
      }
    }
    return { packages: Object.fromEntries(selected) }
  }
}
