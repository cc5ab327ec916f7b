// Which package upgrades which, as far as it is known. A verdict depends on the two packages alone, so it stays.

export type Verdict = { readonly isValid: true } | { readonly isValid: false; readonly problem: string }

export type UpgradeVerdicts = ReturnType<typeof createUpgradeVerdicts>

/** Newer packages whose verdicts are remembered; the ones that were judged first are forgotten first. */
const packagesMax = 20_000

export function createUpgradeVerdicts() {
  const byPresent = new Map<string, Map<string, Verdict>>()

  return {
    get: (past: string, present: string): Verdict | undefined => byPresent.get(present)?.get(past),

    add(past: string, present: string, problem: string | undefined): void {
      const verdicts = byPresent.get(present) ?? new Map<string, Verdict>()
      verdicts.set(past, problem === undefined ? { isValid: true } : { isValid: false, problem })
      byPresent.set(present, verdicts)
      if (byPresent.size > packagesMax) byPresent.delete(byPresent.keys().next().value!)
    },

    /** Ids of the packages that this one upgrades. */
    upgradedBy(present: string): string[] {
      const verdicts = [...(byPresent.get(present) ?? [])]
      return verdicts.filter(([, { isValid }]) => isValid).map(([past]) => past)
    },
  }
}
