// Writes the text of an error up to a limit: a type may refer to one of its parts many times, so its text may be far
// larger than the package.
import { checkLimits } from './limits.ts'

export type TextWriter = { write(part: string): void }

class TextIsFull extends Error {}

/** The text, cut with `…` where it would be longer than allowed. */
export function textOf(write: (to: TextWriter) => void): string {
  const parts: string[] = []
  let length = 0
  const to = {
    write(part: string) {
      parts.push(part)
      length += part.length
      if (length > checkLimits.textMax) throw new TextIsFull()
    },
  }
  try {
    write(to)
  } catch (error) {
    if (!(error instanceof TextIsFull)) throw error
    return `${parts.join('').slice(0, checkLimits.textMax)}…`
  }
  return parts.join('')
}

/** Writes the items with a separator between them. */
export function separated<T>(to: TextWriter, items: Iterable<T>, separator: string, write: (item: T) => void): void {
  let isFirst = true
  for (const item of items) {
    if (!isFirst) to.write(separator)
    isFirst = false
    write(item)
  }
}
