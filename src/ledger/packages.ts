// Packages: upload, validation, look-up. Mirrors Canton's ApiPackageService, ApiPackageManagementService and
// PackageUploader; where Canton keeps the packages of an upload whose vetting it refuses, nothing is kept here.
import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { invalidArgument, LedgerError } from '../base/errors.ts'
import { packageIdProblem, shorten, uniqueIdentifierProblem } from '../base/names.ts'
import type { Limits } from '../base/settings.ts'
import type { Package } from '../lf/ast.ts'
import type { Dar } from '../lf/dar.ts'
import type { PackageRecord, PackageRecords, Records, Store } from '../store/store.ts'
import { checkDependencies } from './dar-dependencies.ts'
import { refusalOfArchive } from './dar-refusals.ts'
import { createDecodedPackages } from './decoded-packages.ts'

export type DarRequest = {
  readonly bytes: Uint8Array
  /** "" leaves it to the node. */
  readonly synchronizerId: string
}

export type UploadRequest = DarRequest & {
  /** Whether the packages may be used at once. */
  readonly vetAllPackages: boolean
}

export type Packages = ReturnType<typeof createPackages>

type Parts = { readonly store: Store; readonly limits: Limits; readonly clock: Clock }

export function createPackages({ store, limits, clock }: Parts) {
  const decoded = createDecodedPackages(limits.decodedPackageBytesMax, (id) => store.packages.dalf(id))

  return {
    /** Keeps the packages of a DAR; answers its main one. The same file again changes nothing and is not read. */
    async upload({ bytes, synchronizerId, vetAllPackages }: UploadRequest): Promise<PackageRecord> {
      checkSynchronizerId(synchronizerId)
      if (vetAllPackages) checkConnected(synchronizerId)
      const hash = createHash('sha256').update(bytes).digest('hex')
      const known = await store.dars.get(hash)
      if (known !== undefined && (known.isVetted || !vetAllPackages)) {
        return (await store.packages.get(known.mainPackageId))!
      }
      const dar = await decodeOrRefuse(bytes)
      const candidates = recordsOf(dar, vetAllPackages, clock.nowMs())
      await store.transaction(async (records) => {
        if (vetAllPackages) await checkVersions(candidates, records.packages, { action: 'package-vetting' })
        await keep(dar, candidates, records)
        await records.dars.put({ hash, mainPackageId: dar.main.package.id, isVetted: vetAllPackages })
      })
      return candidates[0]!
    },

    /** Refuses what an upload would refuse. */
    async validate({ bytes, synchronizerId }: DarRequest): Promise<void> {
      checkSynchronizerId(synchronizerId)
      checkConnected(synchronizerId)
      const dar = await decodeOrRefuse(bytes)
      await checkVersions(recordsOf(dar, true, clock.nowMs()), store.packages, {})
    },

    list: () => store.packages.ids(),

    async isRegistered(id: string): Promise<boolean> {
      checkPackageId(id)
      return (await store.packages.get(id)) !== undefined
    },

    /** The payload of its archive, which its id is the hash of. */
    async payload(id: string): Promise<Uint8Array> {
      checkPackageId(id)
      const dalf = await store.packages.dalf(id)
      if (dalf === undefined) {
        throw new LedgerError('PACKAGE_NOT_FOUND', 'Could not find package.', { resources: [['PACKAGE', id]] })
      }
      const { payloadOf } = await import('../lf/archive.ts')
      return payloadOf(dalf)
    },

    /** As the engine reads it. */
    package: (id: string): Promise<Package | undefined> => decoded.get(id),
  }
}

/** Loaded here, so that starting a node does not wait for it. */
async function decodeOrRefuse(bytes: Uint8Array): Promise<Dar> {
  const { decodeDar } = await import('../lf/dar.ts')
  const { ArchiveError } = await import('../lf/archive-error.ts')
  try {
    const dar = decodeDar(bytes)
    checkDependencies(dar)
    return dar
  } catch (error) {
    throw error instanceof ArchiveError ? refusalOfArchive(error) : error
  }
}

/** The main package first. */
function recordsOf(dar: Dar, isVetted: boolean, uploadedAtMs: number): PackageRecord[] {
  return dar.packages.map(({ package: described, bytes }) => ({
    id: described.id,
    name: described.name,
    version: described.version,
    languageVersion: described.languageVersion,
    isUpgradable: isUpgradable(described),
    isVetted,
    size: bytes.length,
    uploadedAtMs,
  }))
}

/** A package without anything that could be on a ledger is a library: versions of it do not matter. */
function isUpgradable({ name, modules }: Package): boolean {
  if (name === 'daml-prim' || name === 'daml-stdlib') return false
  return [...modules.values()].some(
    ({ templates, interfaces, dataTypes }) =>
      templates.size > 0 || interfaces.size > 0 || [...dataTypes.values()].some((type) => type.isSerializable),
  )
}

async function keep({ packages }: Dar, candidates: readonly PackageRecord[], records: Records): Promise<void> {
  for (const [index, record] of candidates.entries()) {
    const existing = await records.packages.get(record.id)
    if (existing === undefined) await records.packages.insert(record, packages[index]!.bytes)
    else if (record.isVetted && !existing.isVetted) await records.packages.vet(record.id)
  }
}

/** Among the packages that may be used, a name and a version stand for one package. */
async function checkVersions(
  candidates: readonly PackageRecord[],
  stored: PackageRecords,
  context: Readonly<Record<string, string>>,
): Promise<void> {
  for (const { name, version } of candidates.filter((candidate) => candidate.isUpgradable)) {
    const others = [...candidates, ...(await stored.named(name, version))]
    const same = others.filter((other) => isUsable(other) && other.name === name && other.version === version)
    const [first, second] = [...new Set(same.map(({ id }) => id))].sort()
    if (second === undefined) continue
    const shown = (id: string | undefined) => `${id} (${name} v${version})`
    const pair = `${shown(first)} and ${shown(second)}`
    const text = `Tried to vet two packages with the same name and version: ${pair}.`
    throw new LedgerError('KNOWN_PACKAGE_VERSION', text, { context })
  }
}

function isUsable({ isUpgradable, isVetted }: PackageRecord): boolean {
  return isUpgradable && isVetted
}

function checkPackageId(id: string): void {
  const problem = packageIdProblem(id)
  if (problem !== undefined) throw invalidArgument(`Invalid package id: ${shorten(problem)}`)
}

function checkSynchronizerId(id: string): void {
  const reason = id === '' ? undefined : uniqueIdentifierProblem(id)
  if (reason === undefined) return
  const text = 'Deserialization of protobuf message failed'
  throw new LedgerError('PROTO_DESERIALIZATION_FAILURE', text, { context: { reason: shorten(reason) } })
}

function checkConnected(synchronizerId: string): void {
  if (synchronizerId === '') return
  throw new LedgerError(
    'PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER',
    `Cannot upload a dar because the participant is not connected to synchronizer '${synchronizerId}'.`,
  )
}
