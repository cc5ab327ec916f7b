// Among usable packages, a name and a version identify one package. Mirrors a part of Canton's PackageUpgradeValidator.
import { LedgerError } from '../../base/errors.ts'
import type { PackageRecord } from '../../store/store.ts'

/** Refuses if one of `added` has the name and version of another package in `usable`. */
export function checkVersions(
  added: readonly PackageRecord[],
  usable: readonly PackageRecord[],
  context: Readonly<Record<string, string>>,
): void {
  const upgradable = [...added, ...usable].filter(({ isUpgradable }) => isUpgradable)
  const ids = new Map<string, Set<string>>()
  for (const { id, name, version } of upgradable) {
    const key = `${name} v${version}`
    ids.set(key, (ids.get(key) ?? new Set()).add(id))
  }
  for (const { name, version, isUpgradable } of added) {
    const [first, second] = [...(isUpgradable ? ids.get(`${name} v${version}`)! : [])].sort()
    if (second === undefined) continue
    const shown = (id: string | undefined) => `${id} (${name} v${version})`
    const pair = `${shown(first)} and ${shown(second)}`
    const text = `Tried to vet two packages with the same name and version: ${pair}.`
    throw new LedgerError('KNOWN_PACKAGE_VERSION', text, { context })
  }
}
