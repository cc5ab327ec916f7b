// Selects a package for each of several names so that all parties involved can use it: the highest version that their
// participants have vetted, on one synchronizer for all names. Mirrors Canton's GetPreferredPackagesRequestValidator
// and PackagePreferenceBackend.
import { invalidArgument, invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { packageNameProblem, partyProblem, shorten, uniqueIdentifierProblem } from '../../base/names.ts'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { comparePreference, type Synchronizer, type Synchronizers } from '../model/synchronizers.ts'
import { commonCandidates, type Requirements } from '../packages/common-candidates.ts'
import type { HostVetting } from '../packages/host-vetting.ts'
import type { Contents, KnownPackages, PackageState } from '../packages/known-packages.ts'
import { type Discarded, namesNotFound, noneSatisfies, notConnected } from '../packages/selection-refusals.ts'
import { cannotResolve, informeesElsewhere, unknownInformees, withTrace } from '../routing/routing-refusals.ts'
import type { Hosting } from '../topology/hosting.ts'

export type PreferredRequest = {
  readonly requirements: readonly { readonly packageName: string; readonly parties: readonly string[] }[]
  /** "" lets the node choose. */
  readonly synchronizerId: string
  /** Microseconds since 1970; now when undefined. */
  readonly vettingValidAt: bigint | undefined
}

export type PreferredPackages =
  | { readonly packages: readonly PackageRecord[]; readonly synchronizerId: string }
  /** Nothing satisfies the whole request. */
  | { readonly refused: string }

type Parts = {
  readonly packageState: PackageState
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly vettings: HostVetting
  readonly time: LedgerTime
}

export function createPreferredPackages({ packageState, synchronizers, hosting, vettings, time }: Parts) {
  return async function preferredPackages(request: PreferredRequest): Promise<PreferredPackages> {
    const { synchronizerId, vettingValidAt } = request
    const requirements = validate(request)
    const known = await packageState.load()
    const unknown = [...requirements.keys()].filter((name) => known.named(name).length === 0)
    if (unknown.length > 0) throw namesNotFound(unknown)
    const now = vettingValidAt ?? time.now()
    const candidates = await candidatesFor(synchronizerId, new Set([...requirements.values()].flat()))
    const contentsOf = await packageState.contents()
    const discarded: Discarded[] = []
    for (const synchronizer of candidates) {
      const found = await select({ requirements, synchronizer, known, now, contentsOf }, vettings)
      if (typeof found !== 'string') return { packages: found, synchronizerId: synchronizer.id }
      discarded.push({ synchronizer, reason: () => found })
    }
    return { refused: noneSatisfies(discarded, '') }
  }

  /** Synchronizers that host all of the parties. */
  async function candidatesFor(synchronizerId: string, parties: ReadonlySet<string>): Promise<readonly Synchronizer[]> {
    const connected = synchronizers.list()
    if (connected.length === 0) throw notConnected()
    const named = synchronizerId === '' ? connected : connected.filter(({ id }) => id === synchronizerId)
    if (named.length === 0) {
      const { code, message } = cannotResolve(synchronizerId)
      throw new LedgerError(code, message)
    }
    let candidates = connected.toSorted(comparePreference)
    const strangers: string[] = []
    for (const party of parties) {
      const numbers = await hosting.of(party)
      if (!connected.some(({ number }) => numbers.includes(number))) strangers.push(party)
      candidates = candidates.filter(({ number }) => numbers.includes(number))
    }
    if (strangers.length > 0) throw withTrace(unknownInformees(strangers))
    const meant = candidates.filter((one) => named.includes(one))
    if (meant.length > 0) return meant
    if (candidates.length > 0) throw withTrace(informeesElsewhere(named[0]!, candidates))
    const text = 'There is no common synchronizer where all informees are active'
    throw new LedgerError('INFORMEES_NOT_ACTIVE', text)
  }
}

/** Returns the parties for each package name. */
function validate({ requirements, synchronizerId }: PreferredRequest): Map<string, readonly string[]> {
  if (requirements.length === 0) throw missingField('package_vetting_requirements/packageVettingRequirements')
  const byName = new Map<string, readonly string[]>()
  for (const { packageName, parties } of requirements) {
    if (packageName === '') throw missingField('package_name/packageName')
    const problem = packageNameProblem(packageName)
    if (problem !== undefined) throw invalidField('package_name/packageName', shorten(problem, 600))
    if (parties.length === 0) throw missingField('parties')
    for (const party of parties) {
      const malformed = partyProblem(party)
      if (malformed !== undefined) throw invalidArgument(shorten(malformed, 600))
    }
    byName.set(packageName, [...new Set(parties)]) // The last requirement for a name counts.
  }
  const problem = synchronizerId === '' ? undefined : uniqueIdentifierProblem(synchronizerId)
  if (problem !== undefined) throw invalidField('synchronizer_id/synchronizerId', shorten(problem, 600))
  return byName
}

type Selection = {
  readonly requirements: ReadonlyMap<string, readonly string[]>
  readonly synchronizer: Synchronizer
  readonly known: KnownPackages
  readonly now: bigint
  readonly contentsOf: (packageId: string) => Contents | undefined
}

/** The packages, or why there are none. */
async function select(
  { requirements, ...request }: Selection,
  vettings: HostVetting,
): Promise<readonly PackageRecord[] | string> {
  const candidates = await commonCandidates({ ...request, requirements: byParty(requirements) }, vettings)
  const packages: PackageRecord[] = []
  for (const name of requirements.keys()) {
    const found = candidates(name)
    if (typeof found === 'string') return found
    packages.push(found.at(-1)!)
  }
  return packages
}

function byParty(requirements: Selection['requirements']): Requirements {
  const needed = new Map<string, Set<string>>()
  for (const [name, parties] of requirements) {
    for (const party of parties) needed.set(party, (needed.get(party) ?? new Set<string>()).add(name))
  }
  return needed
}
