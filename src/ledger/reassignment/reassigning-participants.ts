// Which participants take part in moving contracts: those that host stakeholders on both synchronizers. Mirrors Canton's
// ReassigningParticipantsComputation and the check that every participant of a stakeholder has vetted the packages.
import type { HostRecord } from '../../store/core/administration-records.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { Network } from '../network/network.ts'
import { isValidAt, type PackageState } from '../packages/known-packages.ts'
import type { Hosting } from '../topology/hosting.ts'
import * as refusals from './reassignment-refusals.ts'

type Parts = {
  readonly hosting: Hosting
  readonly packageState: PackageState
  readonly participantId: string
  readonly time: LedgerTime
  readonly place?: { readonly network: Network } | undefined
}

type Host = Pick<HostRecord, 'participant' | 'permission' | 'threshold'>

/** Without a network, this participant hosts every party it knows. */
export async function hostsOn(
  party: string,
  number: bigint,
  { hosting, participantId }: Pick<Parts, 'hosting' | 'participantId'>,
): Promise<readonly Host[]> {
  if (!(await hosting.of(party)).includes(number)) return []
  const hosts = (await hosting.hosts(party)).filter(({ synchronizer }) => synchronizer === number)
  return hosts.length > 0 ? hosts : [{ participant: participantId, permission: 'submission', threshold: 1 }]
}

export function createReassigningParticipants(parts: Parts) {
  const { packageState, participantId, time, place } = parts

  async function hostsOfAll(parties: readonly string[], synchronizer: Synchronizer) {
    const hosts = new Map<string, readonly Host[]>()
    for (const party of parties) hosts.set(party, await hostsOn(party, synchronizer.number, parts))
    return hosts
  }

  async function isVetted(participant: string, packageId: string, { number }: Synchronizer): Promise<boolean> {
    const state = participant === participantId ? packageState : place?.network.memberOf(participant)?.packageState
    if (state === undefined) return true // Only the participant itself could say.
    const entry = (await state.load()).vetting(number)?.packages.get(packageId)
    return entry !== undefined && isValidAt(entry, time.now())
  }

  return {
    async isHostedHere(party: string, { number }: Synchronizer): Promise<boolean> {
      return (await hostsOn(party, number, parts)).some(({ participant }) => participant === participantId)
    },

    /** Whether this participant sees only the unassignment of contracts of these parties. */
    async isHalf(stakeholders: readonly string[], { source, target }: Move): Promise<boolean> {
      for (const party of stakeholders) {
        const sides = [await hostsOn(party, source.number, parts), await hostsOn(party, target.number, parts)]
        if (sides.every((hosts) => hosts.some(({ participant }) => participant === participantId))) return false
      }
      return true
    },

    /** Throws unless some participant can move the contracts for each stakeholder. */
    async check(stakeholders: readonly string[], signatories: readonly string[], moves: Move): Promise<void> {
      const parties = stakeholders.toSorted()
      const sides = { source: await hostsOfAll(parties, moves.source), target: await hostsOfAll(parties, moves.target) }
      for (const where of ['source', 'target'] as const) {
        const absent = parties.filter((party) => sides[where].get(party)!.length === 0)
        if (absent.length > 0) throw refusals.notActive(absent, where)
      }
      const reassigning = (party: string) => {
        const there = new Set(sides.target.get(party)!.map(({ participant }) => participant))
        return sides.source.get(party)!.filter(({ participant }) => there.has(participant))
      }
      const stuck = parties.filter((party) => reassigning(party).length === 0)
      if (stuck.length > 0) throw refusals.noReassigningParticipant(stuck)
      for (const where of ['source', 'target'] as const) {
        for (const signatory of signatories.toSorted()) {
          const both = new Set(reassigning(signatory).map(({ participant }) => participant))
          const hosts = sides[where].get(signatory)!
          const threshold = hosts[0]!.threshold
          const { length } = hosts.filter(
            ({ participant, permission }) => permission !== 'observation' && both.has(participant),
          )
          if (length < threshold) throw refusals.tooFewConfirm(signatory, where, threshold, length)
        }
      }
    },

    /** Throws if a participant of a stakeholder has not vetted a package on the synchronizer. */
    async checkVetted(
      contractIds: readonly string[],
      packageIds: ReadonlySet<string>,
      stakeholders: readonly string[],
      synchronizer: Synchronizer,
    ): Promise<void> {
      const hosts = [...(await hostsOfAll(stakeholders.toSorted(), synchronizer)).values()].flat()
      const missing: refusals.Unvetted[] = []
      for (const participant of new Set(hosts.map((host) => host.participant))) {
        for (const packageId of packageIds) {
          if (!(await isVetted(participant, packageId, synchronizer))) missing.push({ participant, packageId })
        }
      }
      if (missing.length > 0) throw refusals.notVetted(contractIds, synchronizer, missing)
    },
  }
}

type Move = { readonly source: Synchronizer; readonly target: Synchronizer }
