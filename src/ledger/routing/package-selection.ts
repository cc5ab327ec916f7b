// Selects the package that a command means: the highest vetted version of a name, within the command's preferences.
// Mirrors Canton's TranscodePackageIdResolver and PackagePreferenceBackend.
import { invalidArgument, invalidField, LedgerError } from '../../base/errors.ts'
import { packageIdProblem, packageNameProblem, shortHash, uniqueIdentifierProblem } from '../../base/names.ts'
import type { Synchronizer, Synchronizers } from '../model/synchronizers.ts'
import type { HostVetting } from '../packages/host-vetting.ts'
import type { Contents, KnownPackages, PackageState, Vetting } from '../packages/known-packages.ts'
import { createCandidates, isVetted, needsContents } from '../packages/package-candidates.ts'
import {
  type Discarded,
  namesNotFound,
  noneFits,
  noneSatisfies,
  noneVetted,
  notConnected,
} from '../packages/selection-refusals.ts'
import type { Hosting } from '../topology/hosting.ts'
import { cannotResolve, informeesElsewhere, noneSelected, unknownInformees, withTrace } from './routing-refusals.ts'
import { createVettingChecks } from './vetting-checks.ts'

export type SelectionRequest = {
  /** Package ids that the command prefers, one per name. */
  readonly preference: readonly string[]
  /** The first acting party. */
  readonly party: string
  /** "" lets the node choose. */
  readonly synchronizerId: string
  /** Microseconds since 1970. */
  readonly now: bigint
}

/** The highest vetted version of each package name. */
export type Preferences = {
  /** Changes with the preferences, and whenever packages or their vetting change. */
  readonly version: number
  readonly byName: Readonly<Record<string, string>>
}

type Parts = {
  readonly state: PackageState
  readonly synchronizers: Synchronizers
  readonly participantId: string
  readonly hosting: Pick<Hosting, 'of'>
  readonly vettings: HostVetting
}

export type PackageSelection = ReturnType<typeof createPackageSelection>

export function createPackageSelection({ state, synchronizers, participantId, hosting, vettings }: Parts) {
  let remembered: (Preferences & { readonly from: bigint; readonly until: bigint }) | undefined
  let version = 0
  const forget = () => {
    remembered = undefined
  }
  state.onChange(forget)
  synchronizers.onChange(forget)

  return {
    ...createVettingChecks({ state, participantId, vettings }),

    /** Synchronizers that a submission may go to, the preferred first: the one it names, or any. */
    candidates: candidatesFor,

    /**
     * The package id for each reference: the one selected for a `#name`; a package id stands for itself. Makes the
     * checks of Canton's JSON layer, and none of packages named by id.
     */
    async resolve(references: readonly string[], request: SelectionRequest): Promise<Map<string, string>> {
      const { preference, party, synchronizerId, now } = request
      for (const id of preference) refuse(packageIdProblem(id), 'packageIdSelectionPreferences: ')
      for (const reference of references) {
        refuse(referenceProblem(reference), 'Value does not match the package-id or package-name formats: ')
      }
      const resolved = new Map(references.map((reference) => [reference, reference]))
      const names = [...resolved.keys()].filter(isName).map((reference) => reference.slice(1))
      if (names.length === 0) return resolved

      const known = state.present() ?? (await state.load())
      const preferred = preferredByName(preference, known)
      const syntaxProblem = synchronizerId === '' ? undefined : uniqueIdentifierProblem(synchronizerId)
      if (syntaxProblem !== undefined) throw invalidField('synchronizer_id', syntaxProblem)
      const hosted = await hosting.of(party)
      const isHosted = ({ number }: Synchronizer) => hosted.includes(number)
      const unknown = names.filter((name) => known.named(name).length === 0)
      if (unknown.length > 0) {
        const places = synchronizers.list().filter((place) => isHosted(place) && isMeant(place, synchronizerId))
        throw unknownNames(unknown, places, request)
      }
      const named = candidatesFor(synchronizerId)
      if (!synchronizers.list().some(isHosted)) throw withTrace(unknownInformees([party]))
      const candidates = named.filter(isHosted)
      if (candidates.length === 0) {
        throw withTrace(informeesElsewhere(named[0]!, synchronizers.list().filter(isHosted)))
      }
      const contentsOf = candidates.some((place) => needsContents(place, names.length))
        ? await state.contents()
        : noContents
      const choice = { known, preferred, party, names: new Set(names), contentsOf }
      const places = await Promise.all(
        candidates.map(async (synchronizer) => {
          return { synchronizer, isVetted: await vettings.byParty(party, synchronizer.number, now) }
        }),
      )
      for (const name of names) resolved.set(`#${name}`, select(name, places, choice, synchronizerId))
      return resolved
    },

    /**
     * Those of the preferred synchronizer: the same object until a package or its vetting changes or a validity period
     * begins or ends.
     */
    preferences(now: bigint): Preferences | Promise<Preferences> {
      const isKnown = remembered !== undefined && remembered.from <= now && now < remembered.until
      return isKnown ? remembered! : readPreferences(now)
    },

    /** Those of another synchronizer; undefined if they are the same. */
    preferencesOn(synchronizer: Synchronizer, now: bigint): Promise<Preferences['byName'] | undefined> | undefined {
      return synchronizer.number === synchronizers.list()[0]?.number
        ? undefined
        : preferencesElsewhere(synchronizer, now)
    },

    /**
     * What a command prefers, of that which may be used on the synchronizer; "" for a name whose preferred package may not,
     * because then no other may.
     */
    async preferenceOn(
      synchronizer: Synchronizer,
      preference: ReadonlyMap<string, string>,
      now: bigint,
    ): Promise<Readonly<Record<string, string>>> {
      const known = await state.load()
      const contentsOf = await contentsFor([synchronizer], 0)
      const isVetted = ownVetting(known, synchronizer, now)
      const candidates = createCandidates({ known, synchronizer, isVetted, names: new Set(), contentsOf })
      return Object.fromEntries(
        [...preference].map(([name, id]) => {
          const found = candidates(name)
          return [name, typeof found !== 'string' && found.some((one) => one.id === id) ? id : '']
        }),
      )
    },

    async namesOf(packageIds: readonly string[]): Promise<string[]> {
      const known = state.present() ?? (await state.load())
      return packageIds.flatMap((id) => known.get(id)?.name ?? [])
    },

    /** Refuses malformed preferences; returns the preferred package of each name. */
    async checkPreference(preference: readonly string[]): Promise<ReadonlyMap<string, string>> {
      for (const id of preference) {
        const problem = packageIdProblem(id)
        if (problem === undefined) continue
        const words = 'The package_id_selection_preference field must contain non-empty and valid package ids'
        throw invalidArgument(`package_id_selection_preference parsing failed with \`${problem}\`. ${words}`)
      }
      const byName = new Map<string, string>()
      if (preference.length === 0) return byName
      const known = await state.load()
      const named = preference.map((id) => {
        const name = known.get(id)?.name
        if (name === undefined) throw unknownPreference(id)
        return { id, name }
      })
      for (const { id, name } of named) {
        const other = byName.get(name)
        if (other !== undefined) {
          throw invalidArgument(`duplicate preference for package-name ${name}: ${other} vs ${id}`)
        }
        byName.set(name, id)
      }
      return byName
    },
  }

  /** Reads contents only where they matter. */
  async function contentsFor(places: readonly Synchronizer[], names: number) {
    return places.some((place) => needsContents(place, names)) ? state.contents() : noContents
  }

  async function readPreferences(now: bigint): Promise<Preferences> {
    const known = await state.load()
    if (remembered !== undefined && remembered.from <= now && now < remembered.until) return remembered
    const [preferred] = synchronizers.list()
    const vetting = preferred && known.vetting(preferred.number)
    const byName = preferred === undefined ? {} : await preferredOn(preferred, now)
    if (remembered === undefined || !isSame(byName, remembered.byName)) version += 1
    remembered = { version, byName, from: now, until: nextBound(now, vetting) }
    return remembered
  }

  async function preferencesElsewhere(synchronizer: Synchronizer, now: bigint) {
    const byName = await preferredOn(synchronizer, now)
    return remembered !== undefined && isSame(byName, remembered.byName) ? undefined : byName
  }

  async function preferredOn(synchronizer: Synchronizer, now: bigint): Promise<Record<string, string>> {
    const known = await state.load()
    const contentsOf = await contentsFor([synchronizer], 0)
    const isVetted = ownVetting(known, synchronizer, now)
    const candidates = createCandidates({ known, synchronizer, isVetted, names: new Set(), contentsOf })
    const preferred = [...known.names()].flatMap((name) => {
      const found = candidates(name)
      return typeof found === 'string' || found.length === 0 ? [] : [[name, found.at(-1)!.id]]
    })
    return Object.fromEntries(preferred)
  }

  function candidatesFor(synchronizerId: string): readonly Synchronizer[] {
    if (synchronizers.list().length === 0) throw notConnected()
    if (synchronizerId === '') return synchronizers.list()
    const named = synchronizers.byId(synchronizerId)
    if (named !== undefined) return [named]
    throw withTrace(cannotResolve(synchronizerId)) // Found before interpretation.
  }
}

/** Whether this participant has vetted a package. */
function ownVetting(known: KnownPackages, { number }: Synchronizer, now: bigint): (packageId: string) => boolean {
  const vetting = known.vetting(number)
  return (packageId) => isVetted(packageId, vetting, now)
}

type Choice = {
  readonly known: KnownPackages
  readonly preferred: ReadonlyMap<string, string>
  readonly party: string
  readonly names: ReadonlySet<string>
  readonly contentsOf: (packageId: string) => Contents | undefined
}

type Place = { readonly synchronizer: Synchronizer; readonly isVetted: (packageId: string) => boolean }

const noContents = () => undefined

/** From the first synchronizer that has one. */
function select(name: string, places: readonly Place[], choice: Choice, synchronizerId: string): string {
  const { preferred, party } = choice
  const wanted = preferred.get(name)
  const discarded: Discarded[] = []
  for (const { synchronizer, isVetted } of places) {
    const candidates = createCandidates({ ...choice, synchronizer, isVetted })(name)
    const vetted = typeof candidates === 'string' ? [] : candidates
    const fitting = wanted === undefined ? vetted : vetted.filter(({ id }) => id === wanted)
    if (fitting.length > 0) return fitting.at(-1)!.id
    const none = typeof candidates === 'string' ? candidates : noneVetted(name, party)
    const reason = (restriction: string) =>
      vetted.length === 0 ? none : noneFits(name, [wanted!], vetted, restriction)
    discarded.push({ synchronizer, reason })
  }
  throw selectionFailed(
    noneSatisfies(discarded, 'Commands.packageIdSelectionPreferences'),
    selectionFailedOverGrpc(name, discarded, synchronizerId),
  )
}

const isMeant = ({ id }: Synchronizer, synchronizerId: string) => synchronizerId === '' || id === synchronizerId

function unknownNames(
  names: readonly string[],
  places: readonly Synchronizer[],
  { party, synchronizerId }: SelectionRequest,
): LedgerError {
  const [name] = names as [string]
  const discarded = places.map((synchronizer) => ({ synchronizer, reason: () => noneVetted(name, party) }))
  return namesNotFound(
    names,
    places.length > 0 && { overGrpc: selectionFailedOverGrpc(name, discarded, synchronizerId) },
  )
}

function selectionFailedOverGrpc(name: string, discarded: readonly Discarded[], synchronizerId: string): LedgerError {
  const reasons = discarded.map(({ synchronizer, reason }) => {
    return { synchronizer, name, reason: reason('Commands.package_id_selection_preference') }
  })
  return noneSelected(reasons, synchronizerId)
}

function preferredByName(preference: readonly string[], known: KnownPackages): Map<string, string> {
  return new Map(
    preference.map((id) => {
      const name = known.get(id)?.name
      if (name === undefined) throw selectionFailed(`Package-id ${shortHash(id)} not known`, unknownPreference(id))
      return [name, id]
    }),
  )
}

function unknownPreference(id: string): LedgerError {
  return invalidArgument(`user-specified pkg id (${id}) could not be found`)
}

const endOfTime = 2n ** 63n - 1n

/** The next time at which a validity period begins or ends. */
function nextBound(now: bigint, vetting: Vetting | undefined): bigint {
  let next = endOfTime
  for (const { validFrom, validUntil } of vetting?.packages.values() ?? []) {
    for (const bound of [validFrom, validUntil]) if (bound !== undefined && bound > now && bound < next) next = bound
  }
  return next
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
}

const isName = (reference: string) => reference.startsWith('#')

function referenceProblem(reference: string): string | undefined {
  return isName(reference) ? packageNameProblem(reference.slice(1)) : packageIdProblem(reference)
}

function refuse(problem: string | undefined, words: string): void {
  if (problem !== undefined) throw invalidArgument(`${words}${problem}`)
}

function selectionFailed(reason: string, overGrpc: LedgerError): LedgerError {
  return new LedgerError('JSON_API_PACKAGE_SELECTION_FAILED', reason, { overGrpc })
}
