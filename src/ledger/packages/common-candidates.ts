// Which versions of package names all who need them have vetted on a synchronizer. Mirrors
// computePerSynchronizerPackageCandidates of PackagePreferenceBackend.scala.
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { HostVetting } from './host-vetting.ts'
import { type CandidateRequest, type Candidates, createCandidates } from './package-candidates.ts'
import { noneTogether, noneVetted } from './selection-refusals.ts'

/** The package names that each party needs. */
export type Requirements = ReadonlyMap<string, ReadonlySet<string>>

type Request = Omit<CandidateRequest, 'isVetted' | 'names'> & {
  readonly requirements: Requirements
  /** Microseconds since 1970. */
  readonly now: bigint
}

/** Whoever does not need a name does not restrict it; a name that nobody needs may be what any party has vetted. */
export async function commonCandidates(
  { requirements, now, ...request }: Request,
  vettings: Pick<HostVetting, 'byParty'>,
): Promise<(name: string) => Candidates> {
  const { known, synchronizer } = request
  const vettedBy = new Map<string, (packageId: string) => boolean>()
  for (const party of requirements.keys()) {
    vettedBy.set(party, await vettings.byParty(party, synchronizer.number, now))
  }
  const requiring = (name: string) => [...requirements.keys()].filter((party) => requirements.get(party)!.has(name))
  const names = new Set([...requirements.values()].flatMap((needed) => [...needed]))
  const partiesOf = new Map([...names].map((name) => [name, requiring(name)]))

  function isVetted(packageId: string): boolean {
    const parties = partiesOf.get(known.get(packageId)?.name ?? '')
    if (parties === undefined) return [...vettedBy.values()].some((has) => has(packageId))
    return parties.every((party) => vettedBy.get(party)!(packageId))
  }

  /** Why nothing is vetted by all who need the name, as the first of them tells it. */
  function whyNone(name: string): string | undefined {
    let common: readonly PackageRecord[] | undefined
    for (const party of partiesOf.get(name) ?? []) {
      const vetted = known.named(name).filter(({ id }) => vettedBy.get(party)!(id))
      if (vetted.length === 0) return noneVetted(name, party)
      const before = common ?? vetted
      common = before.filter((one) => vetted.includes(one))
      if (common.length === 0) return noneTogether(name, party, before, vetted)
    }
    return undefined
  }

  const candidates = createCandidates({ ...request, names, isVetted })
  return (name) => whyNone(name) ?? candidates(name)
}
