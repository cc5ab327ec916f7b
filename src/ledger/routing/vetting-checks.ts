// Checks that everything a transaction needs is vetted by the participants of all who see it. Mirrors Canton's
// UsableSynchronizers.
import type { LedgerError } from '../../base/errors.ts'
import { shortHash, shortIdentifier } from '../../base/names.ts'
import type { PartyRole } from '../../engine/requests/party-roles.ts'
import type { InterpretedCommand } from '../commit/commit-item.ts'
import { physicalId, type Synchronizer } from '../model/synchronizers.ts'
import type { HostVetting, PackageNeed } from '../packages/host-vetting.ts'
import type { PackageState } from '../packages/known-packages.ts'
import { isVetted, withDependencies } from '../packages/package-candidates.ts'
import { noSynchronizer, withoutContext } from './routing-refusals.ts'

/** The packages that a transaction needs; in a network, by whom. */
type Needing = { readonly packages: readonly string[]; readonly roles?: readonly PartyRole[] | undefined }

export type Vetted = {
  /** Undefined outside a network. */
  readonly needs: readonly PackageNeed[] | undefined
  readonly problem: string | undefined
}

type Parts = { readonly state: PackageState; readonly participantId: string; readonly vettings: HostVetting }

export function createVettingChecks({ state, participantId, vettings }: Parts) {
  return {
    /**
     * What a transaction needs on each synchronizer, and why it cannot go to some: packages that it needs are not vetted
     * there, by a participant of every informee; with protocol version 34, or what these depend on.
     */
    async vettingProblems(
      { packages, roles }: Needing,
      candidates: readonly Synchronizer[],
      now: bigint,
    ): Promise<ReadonlyMap<Synchronizer, Vetted>> {
      const found = new Map<Synchronizer, Vetted>()
      for (const synchronizer of candidates) {
        const needs = roles && (await vettings.needsOf(roles, synchronizer.number))
        const lacking: PackageNeed[] = []
        for (const { participantId: id, packages: needed } of needs ?? [{ participantId, packages }]) {
          const vetting = await vettings.vettingOf(id, synchronizer.number)
          const isDeep = synchronizer.protocolVersion === 34 && needed.every((one) => isVetted(one, vetting, now))
          const all = isDeep ? [...withDependencies(needed, await state.contents())] : needed
          const unvetted = all.filter((one) => !isVetted(one, vetting, now))
          if (unvetted.length > 0) lacking.push({ participantId: id, packages: unvetted })
        }
        found.set(synchronizer, { needs, problem: lacking.length === 0 ? undefined : notVetted(synchronizer, lacking) })
      }
      return found
    },

    /**
     * Whether the packages of an interpreted transaction are still vetted. Called inside the transaction that commits it:
     * what is known of packages is then up to date, whichever node has changed them.
     */
    problemAtCommit({ effects, needs, synchronizer, ledgerTime }: InterpretedCommand): LedgerError | undefined {
      const lacking: PackageNeed[] = []
      for (const { participantId: id, packages } of needs ?? [{ participantId, packages: effects.packages }]) {
        const vetting = vettings.vettingNow(id, synchronizer.number)
        const unvetted = vetting === undefined ? [] : packages.filter((one) => !isVetted(one, vetting, ledgerTime))
        if (unvetted.length > 0) lacking.push({ participantId: id, packages: unvetted })
      }
      if (lacking.length === 0) return undefined
      return withoutContext(noSynchronizer([[synchronizer, notVetted(synchronizer, lacking)]]))
    },
  }
}

function notVetted(synchronizer: Synchronizer, lacking: readonly PackageNeed[]): string {
  return [
    `Some packages are not known to all informees on synchronizer ${physicalId(synchronizer)}`,
    ...lacking.flatMap(({ participantId, packages }) => {
      const participant = `PAR::${shortIdentifier(participantId)}`
      return packages.map((id) => `Participant ${participant} has not vetted ${shortHash(id)}`)
    }),
  ].join('\n')
}
