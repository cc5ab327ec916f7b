// Tables for people: aligned columns, cut to the width of the terminal. Elsewhere nothing is cut.

/** Text from the ledger must not control the terminal. */
const controls = /[\p{Cc}\p{Cf}]+/gu
export const cleanText = (text: string): string => text.replaceAll(controls, ' ')
const gap = '  '
/** A column is not cut below this. */
const narrowest = 8

export function renderTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): string {
  const clean = rows.map((row) => row.map((cell) => cleanText(cell)))
  return linesOf([titles, ...clean], widthsFor([titles, ...clean], width), width !== undefined).join('\n')
}

export type TableWriter = { add(row: readonly string[]): void; end(): void }

/** Rows before the widths of the columns are fixed, so that a long list needs little memory. */
const sampleRows = 100

/**
 * A table whose rows come one by one. With `live`, each is printed at once, in columns of these widths. With `isRuled`,
 * the titles are underlined.
 */
export function createTableWriter(
  titles: readonly string[],
  { print, width }: { print(text: string): void; readonly width: number | undefined },
  { live, isRuled = false }: { readonly live?: readonly number[] | undefined; readonly isRuled?: boolean } = {},
): TableWriter {
  const sample: string[][] = []
  let widths: readonly number[] | undefined
  const isCut = width !== undefined
  const begin = () => {
    if (widths !== undefined) return
    const probe = live?.map((length, index) => 'x'.repeat(Math.max(length, titles[index]!.length)))
    widths = widthsFor([titles, ...sample, ...(probe ? [probe] : [])], width)
    const rule = isRuled ? [widths.map((length) => '-'.repeat(length))] : []
    print(linesOf([titles, ...rule, ...sample], widths, isCut).join('\n'))
  }
  if (live !== undefined) begin()
  return {
    add(row) {
      const clean = row.map((cell) => cleanText(cell))
      if (widths !== undefined) return print(linesOf([clean], widths, isCut)[0]!)
      sample.push(clean)
      if (sample.length === sampleRows) begin()
    },
    end: begin,
  }
}

function widthsFor(rows: readonly (readonly string[])[], width: number | undefined): number[] {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)))
  if (width === undefined) return widths
  const total = () => widths.reduce((sum, one) => sum + one, 0) + gap.length * (widths.length - 1)
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest]! <= narrowest) break
    widths[widest] = Math.max(narrowest, widths[widest]! - (total() - width))
  }
  // Room that is left belongs to the last column: rows that come later may be longer.
  if (total() < width) widths[widths.length - 1]! += width - total()
  return widths
}

function linesOf(rows: readonly (readonly string[])[], widths: readonly number[], isCut: boolean): string[] {
  return rows.map((row) => {
    const cells = row.map((cell, index) => {
      const isLast = index === row.length - 1
      const fitting = isCut && cell.length > widths[index]! && widths[index]! >= 1 ? cut(cell, widths[index]!) : cell
      return isLast ? fitting : fitting.padEnd(widths[index]!)
    })
    return cells.join(gap).trimEnd()
  })
}

function cut(text: string, length: number): string {
  return `${text.slice(0, length - 1)}…`
}
