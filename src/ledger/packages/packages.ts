// Packages: upload, validation, lookup. Mirrors Canton's ApiPackageService, ApiPackageManagementService and
// PackageUploader.
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { packageIdProblem, shorten } from '../../base/names.ts'
import type { Package } from '../../lf/syntax/ast.ts'
import type { PackageRecord, VettingChange } from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Synchronizer, Synchronizers } from '../model/synchronizers.ts'
import { darNames } from './dar-refusals.ts'
import type { Contents, KnownPackages, PackageState, Vetting } from './known-packages.ts'
import { createNameIndex } from './name-index.ts'
import { readOwnDar } from './own-dar.ts'
import type { KnownPackage, ReadDar } from './package-tasks.ts'
import type { CheckUpgrades, UpgradeChecks } from './upgrade-checks.ts'
import { connectedSynchronizers, vettingAll, vettingOn } from './vetting.ts'
import { checkIdentifier } from './vetting-request.ts'

export type DarRequest = {
  readonly bytes: Uint8Array
  /** Empty if the request names none; undefined means everywhere. */
  readonly synchronizerId: string | undefined
}

export type UploadRequest = DarRequest & {
  /** Whether to vet the packages at once. */
  readonly vetAllPackages: boolean
  /** Refuses a DAR with another main package. */
  readonly expectedMainId?: string | undefined
}

/** What `takeOver` uploaded, and the packages that it unvetted in exchange. */
export type TakeOver = { readonly main: PackageRecord; readonly replaced: readonly PackageRecord[] }

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

type How = 'usual' | 'own' | 'taking over'

/** Checking that takes longer says how far it is. */
const progressEveryMs = 2_000

export function createPackages({ store, state, synchronizers, clock, time, upgrades, log, isChecking = true }: Parts) {
  /** Imported on demand, so that it does not delay the start of a node. */
  async function readOrRefuse(bytes: Uint8Array, fileName: string): Promise<ReadDar> {
    const { readDarAside } = await import('./reading-aside.ts')
    let toldAt = clock.nowMs()
    return readDarAside(bytes, {
      knownAmong,
      isChecking,
      fileName,
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

  /** A known file changes nothing and is not read again. Nor is our own read by a ledger that has no packages. */
  async function add(
    { bytes, synchronizerId, vetAllPackages, expectedMainId }: UploadRequest,
    how: How,
  ): Promise<TakeOver> {
    checkSynchronizerId(synchronizerId)
    const places = vetAllPackages ? connectedSynchronizers(synchronizerId, synchronizers) : []
    const hash = createHash('sha256').update(bytes).digest('hex')
    const past = await store.dars.get(hash)
    if (past !== undefined && (past.isVetted || !vetAllPackages)) {
      checkMain(past.mainPackageId, expectedMainId)
      return { main: (await store.packages.get(past.mainPackageId))!, replaced: [] }
    }
    const dar = (how === 'own' ? readOwnDar(bytes) : undefined) ?? (await readOrRefuse(bytes, darNames.upload))
    const candidates = await recordsOf(dar, Number(time.now() / 1000n))
    checkMain(candidates[0]!.id, expectedMainId)
    const known = await state.load()
    const { refusal, ...result } = await upgrades.checked(dar, (check) => {
      return state.change(async (records) => {
        let vettings: VettingChange[] = []
        let refusal: LedgerError | undefined
        try {
          for (const place of places) {
            vettings.push(...(await vet(candidates, place, records, check, how === 'taking over' ? known : undefined)))
          }
        } catch (error) {
          if (!(error instanceof LedgerError) || how !== 'usual') throw error
          refusal = error // As in Canton, the packages are kept, unvetted.
          vettings = []
        }
        const added = await keep(dar, candidates, records, upgrades)
        for (const vetting of vettings) await records.vetting.change(vetting)
        const replaced = new Set(vettings.flatMap(({ unvetted }) => unvetted))
        if (replaced.size > 0) await records.dars.doubtVetting()
        const isVetted = refusal === undefined && places.length === synchronizers.all().length
        await records.dars.put({ hash, mainPackageId: candidates[0]!.id, isVetted })
        const result = { main: candidates[0]!, replaced: [...replaced].map((id) => known.get(id)!), refusal }
        return { result, change: { added, vettings } }
      })
    })
    if (refusal !== undefined) throw refusal
    return result
  }

  /** The uploaded package with the highest version of a name; of several, the one that is vetted. */
  async function newest(name: string): Promise<PackageRecord | undefined> {
    const known = await state.load()
    const highest = known.named(name).at(-1)
    const isVetted = ({ id }: PackageRecord) =>
      synchronizers.all().some(({ number }) => known.vetting(number)?.packages.has(id))
    return known.named(name).findLast((one) => one.version === highest?.version && isVetted(one)) ?? highest
  }

  async function decoded(id: string): Promise<Package | undefined> {
    const dalf = await store.packages.dalf(id)
    if (dalf === undefined) return undefined
    const { decodeArchive } = await import('../../lf/archive/archive.ts')
    return decodeArchive(dalf).package
  }

  /** Vetted packages that refer to one of these. */
  async function dependentsOn(packages: readonly PackageRecord[]): Promise<PackageRecord[]> {
    const ids = new Set(packages.map(({ id }) => id))
    const [known, contentsOf] = [await state.load(), await state.contents()]
    const vetted = new Set(
      synchronizers.all().flatMap(({ number }) => [...(known.vetting(number)?.packages.keys() ?? [])]),
    )
    const isStale = (id: string) => contentsOf(id)?.dependencies?.some((other) => ids.has(other))
    return [...vetted].filter(isStale).flatMap((id) => known.get(id) ?? [])
  }

  return {
    /** Stores the packages of a DAR; returns the main one. A file of our own is known to be well typed: tests check it. */
    async upload(request: UploadRequest, isOwn = false): Promise<PackageRecord> {
      return (await add(request, isOwn ? 'own' : 'usual')).main
    },

    /**
     * The same, and vetted packages with the name and version of one in the DAR, but another id, are unvetted. So a
     * rebuilt package takes the place of the one before, for development nodes. `outdated` are packages that need the
     * old one and cannot be used until they are built again.
     */
    async takeOver(request: DarRequest): Promise<TakeOver & { readonly outdated: readonly PackageRecord[] }> {
      const { main, replaced } = await add({ ...request, vetAllPackages: true }, 'taking over')
      if (replaced.length === 0) return { main, replaced, outdated: [] }
      const outdated = await dependentsOn(replaced)
      const stale = outdated.length === 0 ? '' : `. Build again what depends on it: ${namesOf(outdated)}`
      log?.info(
        { packageId: main.id, replaced: replaced.map(({ id }) => id) },
        `rebuilt: ${namesOf(replaced)}. The new package is vetted, the old one no longer; its contracts stay readable${stale}`,
      )
      return { main, replaced, outdated }
    },

    /** Refuses what an upload would refuse. */
    async validate({ bytes, synchronizerId }: DarRequest): Promise<PackageRecord> {
      checkSynchronizerId(synchronizerId)
      const places = connectedSynchronizers(synchronizerId, synchronizers)
      const dar = await readOrRefuse(bytes, darNames.validation)
      const candidates = await recordsOf(dar, Number(time.now() / 1000n))
      await upgrades.checked(dar, async (check) => {
        for (const place of places) checkAll(candidates, await vettingOn(place, store), check)
      })
      return candidates[0]!
    },

    /** The package and all that it needs, as a DAR contains them; undefined if there is no such package. */
    async withDependencies(id: string): Promise<PackageRecord[] | undefined> {
      const [known, contentsOf] = [await state.load(), await state.contents()]
      if (known.get(id) === undefined) return undefined
      const ids = new Set([id])
      for (const one of ids) for (const other of contentsOf(one)?.dependencies ?? []) ids.add(other) // Sees what it adds.
      return [...ids].flatMap((one) => known.get(one) ?? [])
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

    newest,

    /** The archive as it was uploaded. */
    dalf: (id: string): Promise<Uint8Array | undefined> => store.packages.dalf(id),

    /** For the engine; decoded on every call. */
    package: decoded,

    /** The names of what packages define, for searches. */
    names: createNameIndex({ store, state, newest, decode: decoded }),
  }
}

/** The change that vets an upload; empty when all of it is vetted. With `known`, the upload replaces older builds. */
async function vet(
  candidates: readonly PackageRecord[],
  synchronizer: Synchronizer,
  records: Records,
  check: CheckUpgrades,
  known: KnownPackages | undefined,
): Promise<VettingChange[]> {
  const past = await vettingOn(synchronizer, records)
  const replaced = known === undefined ? [] : olderBuilds(candidates, past, known)
  checkAll(candidates, past, check, replaced, { action: 'package-vetting' })
  const ids = candidates.map(({ id }) => id)
  const change = vettingAll(ids, synchronizer, past, replaced)
  return change === undefined ? [] : [change]
}

/** Ids of vetted packages with the name and version of a candidate. Libraries without ledger types may coexist. */
function olderBuilds(
  candidates: readonly PackageRecord[],
  past: Vetting | undefined,
  known: KnownPackages,
): readonly string[] {
  const ids = new Set(candidates.map(({ id }) => id))
  const names = new Set(candidates.map(({ name, version }) => `${name} ${version}`))
  return [...(past?.packages.keys() ?? [])].filter((id) => {
    const one = known.get(id)
    return one?.isUpgradable && !ids.has(id) && names.has(`${one.name} ${one.version}`)
  })
}

/** Whether all of an upload may be vetted beside what is, without those that it replaces. */
function checkAll(
  candidates: readonly { readonly id: string }[],
  past: Vetting | undefined,
  check: CheckUpgrades,
  replaced: readonly string[] = [],
  context?: Readonly<Record<string, string>>,
): void {
  const ids = candidates.map(({ id }) => id)
  const vetted = new Set([...(past?.packages.keys() ?? []), ...ids]).difference(new Set(replaced))
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

function namesOf(packages: readonly PackageRecord[]): string {
  return packages.map(({ name, version }) => `${name} ${version}`).join(', ')
}

function checkPackageId(id: string): void {
  const problem = packageIdProblem(id)
  if (problem !== undefined) throw invalidArgument(`Invalid package id: ${shorten(problem)}`)
}

function checkMain(found: string, expected: string | undefined): void {
  if (expected === undefined || found === expected) return
  const text = `The main package of the uploaded DAR is '${found}' while the provided expected value is '${expected}'`
  throw new LedgerError('MAIN_PACKAGE_IN_DAR_DOES_NOT_MATCH_EXPECTED', text)
}

function checkSynchronizerId(id: string | undefined): void {
  if (id) checkIdentifier('synchronizer_id', id)
}
