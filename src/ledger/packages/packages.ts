// Packages: upload, validation, lookup. Mirrors Canton's ApiPackageService, ApiPackageManagementService and
// PackageUploader. Unlike Canton, nothing is stored of an upload whose vetting is refused.
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { packageIdProblem, shorten } from '../../base/names.ts'
import type { Package } from '../../lf/syntax/ast.ts'
import type { PackageRecord, Records, Store, VettingChange } from '../../store/store.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { Synchronizer, Synchronizers } from '../synchronizers.ts'
import type { Contents, PackageState, Vetting } from './known-packages.ts'
import type { KnownPackage, ReadDar } from './package-tasks.ts'
import type { CheckUpgrades, UpgradeChecks } from './upgrade-checks.ts'
import { connectedSynchronizers, vettingAll, vettingOn } from './vetting.ts'
import { checkIdentifier } from './vetting-request.ts'

export type DarRequest = {
  readonly bytes: Uint8Array
  /** "" lets the node choose. */
  readonly synchronizerId: string
}

export type UploadRequest = DarRequest & {
  /** Whether to vet the packages at once. */
  readonly vetAllPackages: boolean
}

export type Packages = ReturnType<typeof createPackages>

type Parts = {
  readonly store: Store
  readonly state: PackageState
  readonly synchronizers: Synchronizers
  readonly clock: Clock
  /** The ledger time, which packages are stamped with. */
  readonly time: Pick<LedgerTime, 'now'>
  readonly upgrades: UpgradeChecks
  readonly log?: Log
  /** False keeps packages as they come: tests plant ill-typed ones, as ledgers of older nodes may have them. */
  readonly isChecking?: boolean
}

/** Checking that takes longer says how far it is. */
const progressEveryMs = 2_000

export function createPackages({ store, state, synchronizers, clock, time, upgrades, log, isChecking = true }: Parts) {
  /** Imported on demand, so that it does not delay the start of a node. */
  async function readOrRefuse(bytes: Uint8Array, isOwn = false): Promise<ReadDar> {
    const { readDarAside } = await import('./dar-reading.ts')
    let toldAt = clock.nowMs()
    return readDarAside(bytes, {
      knownAmong,
      isChecking: isChecking && !isOwn,
      onProgress: (checked, of) => {
        if (clock.nowMs() - toldAt < progressEveryMs) return
        toldAt = clock.nowMs()
        log?.info({ bytes: bytes.length, checked, of }, 'checking the packages of a DAR')
      },
    })
  }

  async function knownAmong(ids: readonly string[]): Promise<readonly KnownPackage[]> {
    const known = await state.load()
    const found = ids.flatMap((id) => known.get(id) ?? [])
    if (found.length === 0) return []
    const contents = await store.packages.contents()
    return found.map(({ id, languageVersion }) => {
      const stored = contents.get(id)
      const dependencies = stored === undefined ? undefined : (JSON.parse(stored) as Contents).dependencies
      return { id, languageVersion, dependencies }
    })
  }

  /** Records of the packages of a DAR, the main one first. */
  async function recordsOf(dar: ReadDar, uploadedAtMs: number): Promise<PackageRecord[]> {
    const known = await state.load()
    return dar.map((one) => {
      if ('knownId' in one) return known.get(one.knownId)!
      const { contents: _contents, bytes: _bytes, ...described } = one
      return { ...described, uploadedAtMs }
    })
  }

  return {
    /**
     * Stores the packages of a DAR; returns the main one. A known file changes nothing and is not read again. A file of
     * our own is known to be well typed: tests check it.
     */
    async upload({ bytes, synchronizerId, vetAllPackages }: UploadRequest, isOwn = false): Promise<PackageRecord> {
      checkSynchronizerId(synchronizerId)
      const places = vetAllPackages ? connectedSynchronizers(synchronizerId, synchronizers) : []
      const hash = createHash('sha256').update(bytes).digest('hex')
      const known = await store.dars.get(hash)
      if (known !== undefined && (known.isVetted || !vetAllPackages)) {
        return (await store.packages.get(known.mainPackageId))!
      }
      const dar = await readOrRefuse(bytes, isOwn)
      const candidates = await recordsOf(dar, Number(time.now() / 1000n))
      return upgrades.checked(dar, (check) => {
        return state.change(async (records) => {
          const vettings: VettingChange[] = []
          for (const place of places) vettings.push(...(await vet(candidates, place, records, check)))
          const added = await keep(dar, candidates, records, upgrades)
          for (const vetting of vettings) await records.vetting.change(vetting)
          const isVetted = places.length === synchronizers.all().length
          await records.dars.put({ hash, mainPackageId: candidates[0]!.id, isVetted })
          return { result: candidates[0]!, change: { added, vettings } }
        })
      })
    },

    /** Refuses what an upload would refuse. */
    async validate({ bytes, synchronizerId }: DarRequest): Promise<void> {
      checkSynchronizerId(synchronizerId)
      const places = connectedSynchronizers(synchronizerId, synchronizers)
      const dar = await readOrRefuse(bytes)
      const candidates = await recordsOf(dar, Number(time.now() / 1000n))
      await upgrades.checked(dar, async (check) => {
        for (const place of places) checkAll(candidates, await vettingOn(place, store), check)
      })
    },

    list: () => store.packages.ids(),

    /** All packages with what is known about them. */
    known: (): Promise<PackageRecord[]> => store.packages.list(),

    /** The main packages of the DARs that were uploaded, by name and version. */
    uploaded: (): Promise<PackageRecord[]> => store.packages.mains(),

    async isRegistered(id: string): Promise<boolean> {
      checkPackageId(id)
      return (await store.packages.get(id)) !== undefined
    },

    /** The archive's payload; the package id is its hash. */
    async payload(id: string): Promise<Uint8Array> {
      checkPackageId(id)
      const dalf = await store.packages.dalf(id)
      if (dalf === undefined) {
        throw new LedgerError('PACKAGE_NOT_FOUND', 'Could not find package.', { resources: [['PACKAGE', id]] })
      }
      const { payloadOf } = await import('../../lf/archive/archive.ts')
      return payloadOf(dalf)
    },

    /** The uploaded package with the highest version of a name. */
    newest: async (name: string): Promise<PackageRecord | undefined> => (await state.load()).named(name).at(-1),

    /** The archive as it was uploaded. */
    dalf: (id: string): Promise<Uint8Array | undefined> => store.packages.dalf(id),

    /** For the engine; decoded on every call. */
    async package(id: string): Promise<Package | undefined> {
      const dalf = await store.packages.dalf(id)
      if (dalf === undefined) return undefined
      const { decodeArchive } = await import('../../lf/archive/archive.ts')
      return decodeArchive(dalf).package
    },
  }
}

/** The change that vets an upload; empty when all of it is vetted. */
async function vet(
  candidates: readonly PackageRecord[],
  synchronizer: Synchronizer,
  records: Records,
  check: CheckUpgrades,
): Promise<VettingChange[]> {
  const past = await vettingOn(synchronizer, records)
  checkAll(candidates, past, check, { action: 'package-vetting' })
  const ids = candidates.map(({ id }) => id)
  const change = vettingAll(ids, synchronizer, past)
  return change === undefined ? [] : [change]
}

/** Whether all of an upload may be vetted beside what is. */
function checkAll(
  candidates: readonly { readonly id: string }[],
  past: Vetting | undefined,
  check: CheckUpgrades,
  context?: Readonly<Record<string, string>>,
): void {
  const ids = candidates.map(({ id }) => id)
  const vetted = new Set([...(past?.packages.keys() ?? []), ...ids])
  check({ added: ids.filter((id) => past?.packages.has(id) !== true), vetted, ...(context && { context }) })
}

/** Returns the packages that were new. */
async function keep(
  dar: ReadDar,
  candidates: readonly PackageRecord[],
  records: Records,
  { withUpgrades }: UpgradeChecks,
) {
  const added: { record: PackageRecord; contents: Contents }[] = []
  for (const [index, record] of candidates.entries()) {
    const one = dar[index]!
    if ('knownId' in one || (await records.packages.get(record.id)) !== undefined) continue
    const { bytes, contents } = one
    await records.packages.insert(record, bytes)
    added.push({ record, contents: withUpgrades(record.id, contents) })
  }
  await records.packages.putContents(
    new Map(added.map(({ record, contents }) => [record.id, JSON.stringify(contents)])),
  )
  return added
}

function checkPackageId(id: string): void {
  const problem = packageIdProblem(id)
  if (problem !== undefined) throw invalidArgument(`Invalid package id: ${shorten(problem)}`)
}

function checkSynchronizerId(id: string): void {
  if (id !== '') checkIdentifier('synchronizer_id', id)
}
