// Vetting: which packages may be used on which synchronizer, and when. Rules, their order and error texts mirror
// Canton's PackageService, PackageOps and ParticipantTopologyValidation.

import { LedgerError } from '../../base/errors.ts'
import { vettedPackagesPageMax } from '../../base/limits.ts'
import { shortHash, shortIdentifier } from '../../base/names.ts'
import { timestampToText } from '../../lf/codec/time-text.ts'
import { comparePackageVersions } from '../../lf/syntax/names.ts'
import type { PackageRecord, VettedPackage, VettingChange } from '../../store/core/administration-records.ts'
import type { Records } from '../../store/core/store.ts'
import { namingAdvice, type Synchronizer, type Synchronizers } from '../model/synchronizers.ts'
import { checkVettedDependencies, needsDependencies } from './dependency-vetting.ts'
import type { Contents, KnownPackages, PackageState, Vetting } from './known-packages.ts'
import type { CheckUpgrades, UpgradeChecks } from './upgrade-checks.ts'
import {
  checkListRequest,
  checkUpdateRequest,
  type ListRequest,
  type PackageReference,
  type Place,
  placeToken,
  type UpdateRequest,
  type VettingOperation,
} from './vetting-request.ts'

/** What a participant has vetted on a synchronizer. */
export type VettedPackages = Place & {
  readonly serial: number
  readonly packages: readonly NamedPackage[]
}

/** Name and version are "" if the package was not uploaded here. */
export type NamedPackage = VettedPackage & { readonly name: string; readonly version: string }

export type VettingPage = { readonly vettedPackages: readonly VettedPackages[]; readonly nextPageToken: string }

export type VettingUpdate = { readonly past: VettedPackages | undefined; readonly next: VettedPackages | undefined }

type Parts = {
  readonly state: PackageState
  readonly synchronizers: Synchronizers
  readonly participantId: string
  readonly upgrades: UpgradeChecks
  /** The participants of the network, with this one; undefined for a participant alone. */
  readonly members?: (() => readonly VettingMember[]) | undefined
}

/** A participant, as others see its vetting. */
type VettingMember = { readonly participantId: string; readonly packageState: Pick<PackageState, 'load'> }

export type VettingService = ReturnType<typeof createVetting>

export function createVetting({ state, synchronizers, participantId, upgrades, members }: Parts) {
  /** Those whose vetting this participant sees on a synchronizer: others only where it is connected. */
  function membersOn({ id }: Synchronizer): readonly VettingMember[] {
    const alone = [{ participantId, packageState: state }]
    const all = members === undefined || synchronizers.byId(id) === undefined ? alone : members()
    return all.toSorted((a, b) => compareTexts(a.participantId, b.participantId))
  }

  return {
    /** Pages are cut before packages are filtered, so a page may be empty although others follow. */
    async list(request: ListRequest): Promise<VettingPage> {
      const after = checkListRequest(request, vettedPackagesPageMax)
      const known = await state.load()
      const ids =
        request.synchronizerIds.length === 0 ? synchronizers.all().map(({ id }) => id) : request.synchronizerIds
      const pageMax = request.pageSize || vettedPackagesPageMax
      const entries: VettedPackages[] = []
      for (const synchronizerId of [...new Set(ids)].sort(compareTexts)) {
        if (entries.length >= pageMax) break
        if (after !== undefined && synchronizerId < after.synchronizerId) continue
        const synchronizer = synchronizers.all().find(({ id }) => id === synchronizerId)
        if (synchronizer === undefined) throw unknownStore(synchronizerId)
        for (const member of membersOn(synchronizer)) {
          if (entries.length >= pageMax) break
          if (after !== undefined && comparePlaces({ ...member, synchronizerId }, after) <= 0) continue
          if (!isAmong(member.participantId, request.participantIds)) continue
          const vetted = (await member.packageState.load()).vetting(synchronizer.number)
          const entry = shown({ ...member, synchronizerId }, vetted, known)
          if (entry !== undefined) entries.push(entry)
        }
      }
      const page = entries
        .map((entry) => ({ ...entry, packages: entry.packages.filter((candidate) => matches(candidate, request)) }))
        .filter(({ packages }) => packages.length > 0)
      return { vettedPackages: page, nextPageToken: page.length === 0 ? '' : placeToken(page.at(-1)!) }
    },

    /**
     * Returns the vetting before and after; with `dryRun`, what it would be. With several synchronizers the result is
     * that of the preferred one.
     */
    async update(request: UpdateRequest): Promise<VettingUpdate> {
      checkUpdateRequest(request)
      const places = connectedSynchronizers(request.synchronizerId, synchronizers)
      const known = await state.load()
      const targets = resolveTargets(request.changes as readonly VettingOperation[], known)
      const contentsOf = places.some(needsDependencies) ? await state.contents() : undefined
      return upgrades.checked([], (check) => {
        return state.change(async (records) => {
          const updates = []
          for (const place of places)
            updates.push(await updateOn(place, request, targets, { known, records, check, contentsOf }))
          const vettings = updates.flatMap(({ change }) => (change === undefined || request.dryRun ? [] : [change]))
          for (const vetting of vettings) await records.vetting.change(vetting)
          const isLess = vettings.some(({ vetted, unvetted }) => unvetted.length > 0 || vetted.some(isBounded))
          if (isLess) await records.dars.doubtVetting()
          return { result: updates[0]!.result, change: { vettings } }
        })
      })
    },
  }

  async function updateOn(
    synchronizer: Synchronizer,
    request: UpdateRequest,
    targets: Targets,
    { known, records, check, contentsOf }: UpdateParts,
  ) {
    const past = await vettingOn(synchronizer, records)
    checkSerial(request.expectedSerial, past.serial)
    const next = changed(past, targets)
    const change = differenceOf(synchronizer, past, next)
    if (contentsOf !== undefined && needsDependencies(synchronizer) && !request.allowsUnvettedDependencies) {
      checkVettedDependencies(past, next, contentsOf)
    }
    if (!request.allowsIncompatibleUpgrades) {
      check({ added: [...next.keys()].filter((id) => !past.packages.has(id)), vetted: next.keys() })
    }
    if (change !== undefined && !request.dryRun) checkPeriods(next)
    const place = { synchronizerId: synchronizer.id, participantId }
    const result: VettingUpdate = {
      past: shown(place, past, known),
      next: shown(place, change === undefined ? past : { serial: change.serial, packages: next }, known),
    }
    return { result, change }
  }
}

/** Names are those that this participant knows. */
function shown({ synchronizerId, participantId }: Place, vetting: Vetting | undefined, known: KnownPackages) {
  if (vetting === undefined) return undefined
  const packages = [...vetting.packages.values()].map((entry) => {
    const { name = '', version = '' } = known.get(entry.packageId) ?? {}
    return { ...entry, name, version }
  })
  const { serial } = vetting
  return { synchronizerId, participantId, serial, packages: packages.sort(compareNames) }
}

type UpdateParts = {
  readonly known: KnownPackages
  readonly records: Records
  readonly check: CheckUpgrades
  readonly contentsOf: ((packageId: string) => Contents | undefined) | undefined
}

/**
 * The synchronizer that a request names; with an empty id, those that it means without a name; with none, all that the node
 * is connected to. The preferred one is first.
 */
export function connectedSynchronizers(id: string | undefined, synchronizers: Synchronizers): readonly Synchronizer[] {
  if (!id) {
    const meant = id === undefined ? synchronizers.list() : synchronizers.unnamed()
    if (meant === undefined) throw notDetected(synchronizers)
    if (meant.length > 0) return meant
    throw new LedgerError(
      'PACKAGE_SERVICE_CANNOT_AUTODETECT_SYNCHRONIZER',
      'Cannot autodetect synchronizer: no synchronizers currently connected',
      { context: { synchronizers: 'List()' } },
    )
  }
  const named = synchronizers.byId(id)
  if (named !== undefined) return [named]
  throw new LedgerError(
    'PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER',
    `Cannot upload a dar because the participant is not connected to synchronizer '${id}'.`,
    { context: { synchronizerId: id } },
  )
}

function notDetected(synchronizers: Synchronizers): LedgerError {
  const shown = synchronizers.list().map(({ id }) => shortIdentifier(id))
  return new LedgerError(
    'PACKAGE_SERVICE_CANNOT_AUTODETECT_SYNCHRONIZER',
    `Cannot autodetect synchronizer: currently connected synchronizers ${shown.join(', ')}`,
    { about: namingAdvice(synchronizers), context: { synchronizers: `List(${shown.join(', ')})` } },
  )
}

/** Canton's participant vets its own packages when it connects. It has none here, but clients see the same serials. */
const unchanged: Vetting = { serial: 1, packages: new Map() }

export async function vettingOn({ number }: Synchronizer, records: Records): Promise<Vetting> {
  const found = (await records.vetting.list()).find(({ synchronizer }) => synchronizer === number)
  return found === undefined ? unchanged : { serial: found.serial, packages: byPackageId(found.packages) }
}

/** The change that vets all of these packages without bounds, and unvets others; undefined if it is so already. */
export function vettingAll(
  packageIds: readonly string[],
  synchronizer: Synchronizer,
  past: Vetting,
  unvetted: readonly string[] = [],
): VettingChange | undefined {
  const targets = new Map<string, VettedPackage | undefined>()
  for (const packageId of packageIds) targets.set(packageId, { packageId, ...unbounded })
  for (const packageId of unvetted) targets.set(packageId, undefined)
  return differenceOf(synchronizer, past, changed(past, targets))
}

const unbounded = { validFrom: undefined, validUntil: undefined } as const

/** The new state of each package; undefined means unvetted. The last change of a package counts. */
type Targets = ReadonlyMap<string, VettedPackage | undefined>

function resolveTargets(changes: readonly VettingOperation[], known: KnownPackages): Targets {
  const targets = new Map<string, VettedPackage | undefined>()
  for (const change of changes) {
    for (const reference of change.packages) {
      const found = find(reference, known)
      if (change.kind === 'unvet') {
        for (const { id } of typeof found === 'string' ? [] : found) targets.set(id, undefined)
        continue
      }
      const { validFrom, validUntil } = change
      const packageId = onlyOne(reference, found)
      targets.set(packageId, { packageId, validFrom, validUntil })
    }
  }
  return targets
}

/** The packages that a reference matches, or why there is none. */
function find(reference: PackageReference, known: KnownPackages): readonly PackageRecord[] | string {
  const { packageId, packageName, packageVersion } = reference
  if (packageId !== '') {
    const record = known.get(packageId)
    if (record === undefined) return `No packages with package ID ${packageId}`
    const isMeant = packageName === '' || (record.name === packageName && record.version === packageVersion)
    if (isMeant) return [record]
    const actual = `Package with package ID ${packageId} has name ${record.name} and version ${record.version}`
    return `${actual}, but filter specifies name ${packageName} and version ${packageVersion}`
  }
  const versions = known.named(packageName)
  if (packageVersion === '') return versions.length > 0 ? versions : `No packages with name ${packageName}`
  if (versions.length === 0) return `Name ${packageName} did not match any packages.`
  const fitting = versions.filter(({ version }) => version === packageVersion)
  return fitting.length > 0 ? fitting : `No packages with name ${packageName} have version ${packageVersion}.`
}

function onlyOne(reference: PackageReference, found: readonly PackageRecord[] | string): string {
  if (typeof found === 'string') {
    const shown = showReference(reference)
    const text = `The vetted package reference ${shown} does not match any package in the package store`
    throw new LedgerError('UNRESOLVED_VETTING_REFERENCE', `${text}. Reason: ${found}`, {
      context: { reason: found, reference: shown },
    })
  }
  if (found.length === 1) return found[0]!.id
  const ids = found.map(({ id }) => shortHash(id)).join(', ')
  throw new LedgerError(
    'AMBIGUOUS_VETTING_REFERENCE',
    `The package reference ${showReference(reference)} matches multiple packages: Seq(${ids})`,
    {
      context: {
        reference: showReference(reference),
        matchingPackages: `Set(${found.map(({ id }) => id).join(', ')})`,
      },
    },
  )
}

export function unknownStore(synchronizerId: string): LedgerError {
  const shownId = shortIdentifier(synchronizerId)
  return new LedgerError('TOPOLOGY_STORE_NOT_FOUND', `No active synchronizer found for ${shownId}.`, {
    context: { synchronizerId: shownId },
  })
}

function showReference({ packageId, packageName, packageVersion }: PackageReference): string {
  if (packageVersion === '') {
    return packageId === '' ? `package-name: '${packageName}'` : `package-id: '${packageId}'`
  }
  return packageId === ''
    ? `NameAndVersion(name = ${packageName}, version = ${packageVersion})`
    : `All(id = ${shortHash(packageId)}, name = ${packageName}, version = ${packageVersion})`
}

function checkSerial(expected: UpdateRequest['expectedSerial'], actual: number): void {
  if (expected === undefined) return
  const wanted = expected === 'none' ? undefined : expected
  if (wanted === actual) return
  const show = (serial: number | undefined) => (serial === undefined ? 'None' : `Some(${serial})`)
  throw new LedgerError(
    'TOPOLOGY_SERIAL_MISMATCH',
    `The provided serial ${show(actual)} did not match the expected serial ${show(wanted)}.`,
    { context: { actual: show(actual), expected: show(wanted) } },
  )
}

function changed(past: Vetting, targets: Targets): ReadonlyMap<string, VettedPackage> {
  const next = new Map(past.packages)
  for (const [id, target] of targets) {
    if (target === undefined) next.delete(id)
    else next.set(id, target)
  }
  return next
}

/** Undefined if nothing changes. */
function differenceOf(
  { number }: Synchronizer,
  past: Vetting,
  next: ReadonlyMap<string, VettedPackage>,
): VettingChange | undefined {
  const vetted = [...next.values()].filter((entry) => !isSame(entry, past.packages.get(entry.packageId)))
  const unvetted = [...past.packages.keys()].filter((id) => !next.has(id))
  if (vetted.length === 0 && unvetted.length === 0) return undefined
  return { synchronizer: number, serial: past.serial + 1, vetted, unvetted }
}

function checkPeriods(packages: ReadonlyMap<string, VettedPackage>): void {
  const empty = [...packages.values()].filter(
    ({ validFrom, validUntil }) => validFrom !== undefined && validUntil !== undefined && validFrom >= validUntil,
  )
  if (empty.length === 0) return
  const shown = empty.map(({ packageId, validFrom, validUntil }) => {
    const bounds = `validFromInclusive = ${timestampToText(validFrom!)}, validUntilExclusive = ${timestampToText(validUntil!)}`
    return `VettedPackage(packageId = ${shortHash(packageId)}, ${bounds})`
  })
  const text = `packages with empty validity period: ${shown.join(', ')}`
  throw new LedgerError(
    'TOPOLOGY_INVALID_MAPPING',
    `The topology transaction was rejected due to an invalid mapping: ${text}`,
    { context: { description: text } },
  )
}

function isSame(a: VettedPackage, b: VettedPackage | undefined): boolean {
  return b !== undefined && a.validFrom === b.validFrom && a.validUntil === b.validUntil
}

function isBounded({ validFrom, validUntil }: VettedPackage): boolean {
  return validFrom !== undefined || validUntil !== undefined
}

function byPackageId(packages: readonly VettedPackage[]): ReadonlyMap<string, VettedPackage> {
  return new Map(packages.map((entry) => [entry.packageId, entry]))
}

/** An empty filter lets everything pass. */
function isAmong(id: string, filter: readonly string[]): boolean {
  return filter.length === 0 || filter.includes(id)
}

function matches({ packageId, name }: NamedPackage, { packageIds, packageNamePrefixes }: ListRequest): boolean {
  if (packageIds.length === 0 && packageNamePrefixes.length === 0) return true
  return (
    packageIds.includes(packageId) || (name !== '' && packageNamePrefixes.some((prefix) => name.startsWith(prefix)))
  )
}

/** By synchronizer, then by participant; identifiers before namespaces. */
function comparePlaces(a: Place, b: Place): number {
  return compareTexts(a.synchronizerId, b.synchronizerId) || compareTexts(a.participantId, b.participantId)
}

function compareNames(a: NamedPackage, b: NamedPackage): number {
  const byName = compareTexts(a.name, b.name)
  return byName || comparePackageVersions(a.version, b.version) || compareTexts(a.packageId, b.packageId)
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
