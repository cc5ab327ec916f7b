// Finds the name that a misspelled one probably stands for.

/** Longer names take too long to compare. */
const lengthMax = 200

/** The name with the fewest typing mistakes, if those are few for its length. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  if (written.length < 3 || written.length > lengthMax) return undefined
  const mistakesMax = Math.floor(written.length / 3)
  let best: string | undefined
  let fewest = mistakesMax + 1
  for (const name of names) {
    if (Math.abs(name.length - written.length) >= fewest) continue
    const mistakes = mistakesBetween(written.toLowerCase(), name.toLowerCase())
    if (mistakes >= fewest) continue
    best = name
    fewest = mistakes
  }
  return best
}

/** Counts letters that are missing, added, wrong, or swapped with their neighbour. */
function mistakesBetween(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      if (isSwapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = last
    last = row
  }
  return last[other.length]!
}
