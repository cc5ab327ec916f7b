// Reports whether a node would accept DAR files, and why not: first the problems of the packages themselves, then, for
// each package name, what every version breaks and adds. It takes the same steps as an upload, but does not stop at the
// first problem.
import { ArchiveError } from '../archive/archive-error.ts'
import { type CheckedPackage, checkDar, unmetDependencies } from '../checking/check-dar.ts'
import { createPackageChecker } from '../checking/check-package.ts'
import type { OpenDar } from '../dar/dar.ts'
import type { Package } from '../syntax/ast.ts'
import { type Addition, additionsOf } from './additions.ts'
import { upgradeProblems } from './check-upgrade.ts'
import { isUpgradable, lineageSteps } from './lineages.ts'
import type { UpgradeProblem } from './problems.ts'

type PackageVersion = { readonly packageId: string; readonly name: string; readonly version: string }

export type UpgradeAccount = {
  readonly past: PackageVersion
  readonly present: PackageVersion
  /** Empty for a valid upgrade. */
  readonly breaks: readonly UpgradeProblem[]
  readonly additions: readonly Addition[]
}

/** `code` is the error that an upload answers. */
export type DarProblem = { readonly code: ProblemCode; readonly message: string }

type ProblemCode =
  | 'DAR_VALIDATION_ERROR'
  | 'DAR_DEPENDENCIES_NOT_VALID'
  | 'DAML_PRIM_NOT_UTILITY_PACKAGE'
  | 'KNOWN_PACKAGE_VERSION'

export type DarAccount = PackageVersion & {
  /** Problems of the packages themselves, regardless of upgrades. */
  readonly problems: readonly DarProblem[]
  readonly upgrades: readonly UpgradeAccount[]
}

export type DarFile = { readonly file: string; readonly dar: OpenDar }

/** `others` are the versions before and after: a node would have them already. Throws an ArchiveError, with the file. */
export function accountOf({ file, dar }: DarFile, others: readonly DarFile[]): DarAccount {
  const entries = new Map<string, CheckedPackage>()
  const problems: DarProblem[] = []
  for (const one of [...others, { file, dar }]) problems.push(...checkFile(one, entries))
  const find = (id: string) => {
    const found = entries.get(id)?.package
    return found && { id, name: found.name, version: found.version, isUpgradable: isUpgradable(found), package: found }
  }
  const upgrades: UpgradeAccount[] = []
  const steps = lineageSteps({
    added: dar.packages.map(({ id }) => id),
    vetted: entries.keys(),
    find,
    dependenciesOf: (id) => entries.get(id)?.dependencies ?? [],
  })
  for (const step of steps) {
    if (step.kind === 'library') {
      const message = `${nameOf(step.package)} has ledger types, and nobody may vet it`
      problems.push({ code: 'DAML_PRIM_NOT_UTILITY_PACKAGE', message })
    } else if (step.kind === 'same-version') {
      const message = `${nameOf(step.past)} stands for two packages: ${step.past.id} and ${step.present.id}`
      problems.push({ code: 'KNOWN_PACKAGE_VERSION', message })
    } else upgrades.push(accountOfPair(step.past.package, step.present.package, find))
  }
  return { ...versionOf(entries.get(dar.packages[0]!.id)!.package), problems, upgrades }
}

/** Checks the packages of the file that are not known yet, and adds them to the known ones. */
function* checkFile({ file, dar }: DarFile, known: Map<string, CheckedPackage>): Generator<DarProblem> {
  const checked = readingFile(file, () =>
    checkDar(dar, { isTrusted: (id) => known.has(id), createChecker: createPackageChecker, isThorough: true }),
  )
  for (const one of checked.packages) known.set(one.package.id, one)
  const { package: main } = known.get(dar.packages[0]!.id)!
  const unmet = unmetDependencies({
    mainId: main.id,
    mainLanguageVersion: main.languageVersion,
    packages: new Map(dar.packages.map(({ id }) => [id, known.get(id)!.dependencies])),
  })
  const shown = (id: string) => (known.has(id) ? `${nameOf(known.get(id)!.package)} (${id})` : id)
  const code = 'DAR_DEPENDENCIES_NOT_VALID'
  for (const id of unmet?.missing ?? [])
    yield { code, message: `the DAR of ${nameOf(main)} lacks package ${shown(id)}` }
  for (const id of unmet?.extra ?? []) {
    yield { code, message: `the DAR of ${nameOf(main)} has a package that it does not need: ${shown(id)}` }
  }
  for (const {
    package: { name, version },
    error,
  } of checked.problems) {
    yield { code: 'DAR_VALIDATION_ERROR', message: `${name} ${version}: ${error.name}: ${error.message}` }
  }
}

/** An ArchiveError names the file. */
export function readingFile<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw new ArchiveError(`${file} is not a DAR that runs here: ${error.message}`, error.problem)
  }
}

function accountOfPair(
  past: Package,
  present: Package,
  names: (id: string) => { readonly name: string; readonly version: string } | undefined,
): UpgradeAccount {
  return {
    past: versionOf(past),
    present: versionOf(present),
    breaks: [...upgradeProblems(past, present, names)],
    additions: additionsOf(past, present),
  }
}

const versionOf = ({ id, name, version }: Package): PackageVersion => ({ packageId: id, name, version })
const nameOf = ({ name, version }: { name: string; version: string }): string => `${name} ${version}`
