// An account of the upgrades among DAR files: for each name in them the versions in order, and from each to the next what
// breaks it and what was added. The same steps as when a node vets them, but to the end instead of to the first problem.
import type { Dar, DarPackage } from '../dar/dar.ts'
import type { Package } from '../syntax/ast.ts'
import { type Addition, additionsOf } from './additions.ts'
import { upgradeProblems } from './check-upgrade.ts'
import { lineageSteps } from './lineages.ts'
import type { UpgradeProblem } from './problems.ts'
import { isUpgradable } from './utility-packages.ts'

export type PackageVersion = { readonly packageId: string; readonly name: string; readonly version: string }

export type UpgradeAccount = {
  readonly past: PackageVersion
  readonly present: PackageVersion
  /** Empty for a valid upgrade. */
  readonly breaks: readonly UpgradeProblem[]
  readonly additions: readonly Addition[]
}

export type DarAccount = PackageVersion & {
  /** What is wrong with the file itself, whatever it upgrades. */
  readonly problems: readonly string[]
  readonly upgrades: readonly UpgradeAccount[]
}

/** `others` are the versions before and after. */
export function accountOf(dar: Dar, others: readonly Dar[]): DarAccount {
  const entries = new Map<string, DarPackage>()
  for (const entry of [...others, dar].flatMap(({ packages }) => packages)) entries.set(entry.package.id, entry)
  const find = (id: string) => {
    const found = entries.get(id)?.package
    return found && { id, name: found.name, version: found.version, isUpgradable: isUpgradable(found), package: found }
  }
  const problems: string[] = []
  const upgrades: UpgradeAccount[] = []
  const steps = lineageSteps({
    added: dar.packages.map((entry) => entry.package.id),
    vetted: entries.keys(),
    find,
    dependenciesOf: (id) => [...(entries.get(id)?.dependencies ?? [])],
  })
  for (const step of steps) {
    if (step.kind === 'library') problems.push(`${nameOf(step.package)} has ledger types, and nobody may vet it`)
    else if (step.kind === 'same-version') {
      problems.push(`${nameOf(step.past)} stands for two packages: ${step.past.id} and ${step.present.id}`)
    } else upgrades.push(accountOfPair(step.past.package, step.present.package, find))
  }
  return { ...versionOf(dar.main.package), problems, upgrades }
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
