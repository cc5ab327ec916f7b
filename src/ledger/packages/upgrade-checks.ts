// Checks that vetted packages upgrade one another, as Canton's PackageUpgradeValidator does, with its errors. Verdicts are
// made before the transaction that needs them, because they take long, and remembered: they depend on the two packages
// alone. Valid ones are stored with the newer package, so that a restarted node does not make them again.
import assert from 'node:assert/strict'
import { LedgerError } from '../../base/errors.ts'
import { createQueue } from '../../base/queue.ts'
import { type Affected, type LineageStep, lineageSteps } from '../../lf/upgrading/lineages.ts'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { Store } from '../../store/core/store.ts'
import type { Contents, KnownPackages, PackageState } from './known-packages.ts'
import type { ReadDar, ReadPackage, UpgradeQuestion } from './package-tasks.ts'

export type UpgradeRequest = {
  /** Ids of packages that are vetted now and were not before. */
  readonly added: Iterable<string>
  /** Ids of all packages that will be vetted. */
  readonly vetted: Iterable<string>
  /** Of the error. */
  readonly context?: Readonly<Record<string, string>>
}

/** Throws a LedgerError for what may not be vetted; what it does not know yet makes `checked` try again. */
export type CheckUpgrades = (request: UpgradeRequest) => void

export type UpgradeChecks = ReturnType<typeof createUpgradeChecks>

type Pair = readonly [past: string, present: string]

/** Packages that are read at a time. */
const batchBytesMax = 32 * 1024 * 1024
/** How often vetting may change while upgrades are checked. */
const attemptsMax = 50

/** Thrown inside an attempt that needs verdicts; never leaves this file. */
class Unknown extends Error {
  readonly pairs: readonly Pair[]
  readonly packages: readonly string[]

  constructor(pairs: readonly Pair[], packages: readonly string[]) {
    super('verdicts about upgrades are missing')
    this.pairs = pairs
    this.packages = packages
  }
}

export function createUpgradeChecks({ store, state }: { store: Store; state: PackageState }) {
  const oneAtATime = createQueue()
  const verdicts = createUpgradeVerdicts()
  const stored = new Map<string, Contents>()
  let loading: Promise<KnownPackages> | undefined

  state.onChange(({ added = [] }) => {
    for (const { record, contents } of added) remember(record.id, contents)
  })

  function remember(id: string, contents: Contents): void {
    stored.set(id, contents)
    for (const past of contents.upgrades ?? []) verdicts.add(past, id, undefined)
  }

  async function load(): Promise<KnownPackages> {
    const known = await state.load()
    for (const [id, contents] of await store.packages.contents()) {
      if (!stored.has(id)) remember(id, JSON.parse(contents))
    }
    return known
  }

  /** Finds out what an attempt was missing. */
  async function settle({ pairs, packages }: Unknown, uploaded: Uploaded, known: KnownPackages): Promise<void> {
    const { answerAside } = await import('./reading-aside.ts')
    const archivesOf = async (ids: readonly string[]) => {
      const archives = new Map<string, Uint8Array>()
      for (const id of ids) {
        const archive = uploaded.get(id)?.bytes ?? (await store.packages.dalf(id))
        assert(archive, 'a package that is known is stored')
        archives.set(id, archive)
      }
      return archives
    }
    const sizeOf = (id: string): number => (uploaded.get(id) ?? known.get(id))!.size
    for (const question of questionsAbout(pairs, packages, sizeOf, namesIn(known, uploaded))) {
      const { problems, dependencies } = await answerAside(question, archivesOf)
      for (const [i, [past, present]] of question.pairs.entries()) verdicts.add(past, present, problems[i])
      for (const [id, own] of dependencies) stored.set(id, { ...contentsOf(id), dependencies: own })
      await keep(question)
    }
  }

  const contentsOf = (id: string): Contents => stored.get(id) ?? { interfaces: [], templates: {} }

  /** Writes what was found out to packages that are stored; those of an upload are stored with it. */
  async function keep({ pairs, described }: UpgradeQuestion): Promise<void> {
    const changed = new Map<string, Contents>()
    for (const id of [...described, ...pairs.map(([, present]) => present)]) {
      const contents = stored.get(id)
      if (contents !== undefined) changed.set(id, withUpgrades(id, contents))
    }
    for (const [id, contents] of changed) stored.set(id, contents)
    const texts = [...changed].map(([id, contents]) => [id, JSON.stringify(contents)] as const)
    if (texts.length > 0) await store.transaction(({ packages }) => packages.putContents(new Map(texts)))
  }

  /** The contents of a package with the packages that it is known to upgrade. */
  function withUpgrades(id: string, contents: Contents): Contents {
    const upgrades = verdicts.upgradedBy(id)
    return upgrades.length === 0 ? contents : { ...contents, upgrades }
  }

  return {
    withUpgrades,

    /** Runs the attempt, again if it needs verdicts that are not known. `dar` has the packages that are not stored yet. */
    async checked<T>(dar: ReadDar, attempt: (check: CheckUpgrades) => Promise<T>): Promise<T> {
      loading ??= load().catch((error) => {
        loading = undefined
        throw error
      })
      const known = await loading
      const uploaded: Uploaded = new Map(dar.flatMap((one) => ('knownId' in one ? [] : [[one.id, one]])))
      const find = (id: string) => uploaded.get(id) ?? known.get(id)
      const dependenciesOf = (id: string) => (uploaded.get(id)?.contents ?? stored.get(id))?.dependencies
      const check: CheckUpgrades = ({ added, vetted, context = {} }) => {
        decide({ added, vetted, find }, dependenciesOf, verdicts, context)
      }
      for (let attempts = 0; attempts < attemptsMax; attempts++) {
        try {
          return await attempt(check)
        } catch (error) {
          if (!(error instanceof Unknown)) throw error
          await oneAtATime(() => settle(error, uploaded, known))
        }
      }
      assert.fail('vetting changes faster than upgrades are checked')
    },
  }
}

type Named = Pick<PackageRecord, 'id' | 'name' | 'version' | 'isUpgradable'>
type Uploaded = ReadonlyMap<string, ReadPackage>

function decide(
  { added, vetted, find }: Omit<Affected<Named>, 'dependenciesOf'>,
  dependenciesOf: (id: string) => readonly string[] | undefined,
  verdicts: UpgradeVerdicts,
  context: Readonly<Record<string, string>>,
): void {
  const undescribed = new Set<string>()
  const steps = lineageSteps<Named>({
    added,
    vetted,
    find,
    dependenciesOf(id) {
      const known = dependenciesOf(id)
      if (known === undefined && find(id) !== undefined) undescribed.add(id)
      return known ?? []
    },
  })
  const unknown: Pair[] = []
  for (const step of steps) {
    if (undescribed.size > 0) break
    const verdict = step.kind === 'upgrade' ? verdicts.get(step.past.id, step.present.id) : undefined
    if (verdict?.isValid) continue
    if (step.kind === 'upgrade' && verdict === undefined) unknown.push([step.past.id, step.present.id])
    else if (unknown.length > 0) break
    else throw refusalOf(step, verdict?.problem, context)
  }
  if (unknown.length > 0 || undescribed.size > 0) throw new Unknown(unknown, [...undescribed])
}

function refusalOf(
  step: LineageStep<Named>,
  problem: string | undefined,
  context: Readonly<Record<string, string>>,
): LedgerError {
  switch (step.kind) {
    case 'library': {
      const rule = 'All packages named `daml-prim` or `daml-std-lib` must be a utility package.'
      const text = `Tried to vet a package ${shown(step.package)}, but this package is not a utility package. ${rule}`
      const packageToBeVetted = shown(step.package)
      return new LedgerError('DAML_PRIM_NOT_UTILITY_PACKAGE', text, { context: { ...context, packageToBeVetted } })
    }
    case 'same-version': {
      const [firstPackage, secondPackage] = [shown(step.past), shown(step.present)]
      const text = `Tried to vet two packages with the same name and version: ${firstPackage} and ${secondPackage}.`
      return new LedgerError('KNOWN_PACKAGE_VERSION', text, { context: { ...context, firstPackage, secondPackage } })
    }
    case 'upgrade': {
      const [newPackage, oldPackage, upgradeError] = [shown(step.present), shown(step.past), problem ?? '']
      const pair = `${newPackage} cannot be an upgrade of ${oldPackage}`
      const text = `Upgrade checks indicate that ${pair}. Reason: ${upgradeError}`
      const named = { newPackage, oldPackage, upgradeError }
      return new LedgerError('NOT_VALID_UPGRADE_PACKAGE', text, { context: { ...context, ...named } })
    }
  }
}

/** Questions about a few packages at a time. */
function* questionsAbout(
  pairs: readonly Pair[],
  packages: readonly string[],
  sizeOf: (id: string) => number,
  names: UpgradeQuestion['names'],
): Generator<UpgradeQuestion> {
  const tasks = [...packages.map((id) => [id] as const), ...pairs]
  let sizes = new Map<string, number>()
  let [taken, bytes]: [(readonly string[])[], number] = [[], 0]
  const question = (): UpgradeQuestion => ({
    sizes,
    names,
    pairs: taken.filter((ids): ids is [string, string] => ids.length === 2),
    described: taken.filter((ids) => ids.length === 1).map(([id]) => id!),
  })
  for (const ids of tasks) {
    if (bytes > batchBytesMax) {
      yield question()
      sizes = new Map()
      ;[taken, bytes] = [[], 0]
    }
    for (const id of ids) {
      if (sizes.has(id)) continue
      sizes.set(id, sizeOf(id))
      bytes += sizes.get(id)!
    }
    taken.push(ids)
  }
  if (taken.length > 0) yield question()
}

function namesIn(known: KnownPackages, uploaded: Uploaded): UpgradeQuestion['names'] {
  const names = new Map<string, { name: string; version: string }>()
  for (const name of known.names()) for (const { id, version } of known.named(name)) names.set(id, { name, version })
  for (const { id, name, version } of uploaded.values()) names.set(id, { name, version })
  return names
}

const shown = ({ id, name, version }: Named): string => `${id} (${name} v${version})`

type Verdict = { readonly isValid: true } | { readonly isValid: false; readonly problem: string }

/** Which package upgrades which, as far as it is known. A verdict depends on the two packages alone, so it stays. */
type UpgradeVerdicts = ReturnType<typeof createUpgradeVerdicts>

/** Newer packages whose verdicts are remembered; the oldest are forgotten first. */
const newerPackagesMax = 20_000

function createUpgradeVerdicts() {
  const byPresent = new Map<string, Map<string, Verdict>>()

  return {
    get: (past: string, present: string): Verdict | undefined => byPresent.get(present)?.get(past),

    add(past: string, present: string, problem: string | undefined): void {
      const verdicts = byPresent.get(present) ?? new Map<string, Verdict>()
      verdicts.set(past, problem === undefined ? { isValid: true } : { isValid: false, problem })
      byPresent.set(present, verdicts)
      if (byPresent.size > newerPackagesMax) byPresent.delete(byPresent.keys().next().value!)
    },

    /** Ids of the packages that this one upgrades. */
    upgradedBy(present: string): string[] {
      const verdicts = [...(byPresent.get(present) ?? [])]
      return verdicts.filter(([, { isValid }]) => isValid).map(([past]) => past)
    },
  }
}
