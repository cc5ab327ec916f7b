// A mistake made on purpose: one text in one file replaced by another. At least one of its tests must then fail.
export type Mutation = {
  readonly file: string
  /** Occurs once in the file. */
  readonly from: string
  readonly to: string
  /** Run until one fails. */
  readonly tests: readonly string[]
}

/** A table of mutations that share a folder and, unless they name others, their tests. */
export function mutationsOf(
  folder: string,
  tests: readonly string[],
  rows: readonly (readonly [file: string, from: string, to: string, ...tests: string[]])[],
): Mutation[] {
  return rows.map(([file, from, to, ...own]) => ({
    file: `${folder}/${file}`,
    from,
    to,
    tests: own.length > 0 ? own : tests,
  }))
}
