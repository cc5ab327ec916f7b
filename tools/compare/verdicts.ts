// Counts what was compared, and says which differences are declared.
import type { Difference } from './difference.ts'
import type { Answer } from './side.ts'

/** A difference that COMPAT.md declares. Patterns are regular expressions; those that are absent match everything. */
export type Declared = {
  /** How its row in COMPAT.md begins. */
  readonly row: string
  readonly operation?: string
  readonly where?: string
  readonly ours?: string
  readonly canton?: string
  readonly body?: string
  /** Of the headers, as JSON. */
  readonly headers?: string
}

export type Compared = {
  readonly label: string
  /** Which participant of a network was asked. */
  readonly at: string | undefined
  readonly note: string | undefined
  readonly as: string | undefined
  readonly headers: string
  readonly body: string
  readonly differences: readonly Difference[]
  readonly ours: Answer
  readonly canton: Answer
}

export type Verdicts = {
  add(compared: Compared): void
  readonly counts: { compared: number; equal: number; declared: number; undeclared: number }
  /** By row, how often it was met. */
  readonly rows: ReadonlyMap<string, number>
}

export function createVerdicts(
  declared: readonly Declared[],
  tell: (undeclared: Compared) => void,
  note: (compared: Compared) => void = () => undefined,
): Verdicts {
  const counts = { compared: 0, equal: 0, declared: 0, undeclared: 0 }
  const rows = new Map<string, number>()
  const patterns = declared.map(({ row, ...rest }) => ({
    row,
    tests: Object.entries(rest).map(
      ([field, pattern]) => [field as keyof typeof rest, new RegExp(pattern, 's')] as const,
    ),
  }))

  function rowOf({ label, headers, body }: Compared, { where, ours, canton }: Difference): string | undefined {
    const facts = { operation: label, where, ours, canton, body, headers }
    return patterns.find(({ tests }) => tests.every(([field, pattern]) => pattern.test(facts[field])))?.row
  }

  return {
    counts,
    rows,
    add(compared) {
      counts.compared += 1
      note(compared)
      if (compared.differences.length === 0) {
        counts.equal += 1
        return
      }
      const undeclared = compared.differences.filter((difference) => {
        const row = rowOf(compared, difference)
        if (row !== undefined) rows.set(row, (rows.get(row) ?? 0) + 1)
        return row === undefined
      })
      if (undeclared.length === 0) {
        counts.declared += 1
        return
      }
      counts.undeclared += 1
      tell({ ...compared, differences: undeclared })
    },
  }
}
