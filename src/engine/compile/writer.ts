// JavaScript text under construction. Statements go to the current block in the order in which they run; names are
// numbers, so nothing of a package's own text ever becomes code.

export type Writer = {
  /** Adds a statement. */
  line(statement: string): void
  /** Adds statements of an inner block between `{` and `}`. */
  block(head: string, body: () => void): void
  /** Adds a function whose head is given and whose body is written by `body`. */
  closure(head: string, body: () => void): void
  /** A name nothing else has. */
  fresh(prefix: string): string
  /** The text so far. */
  text(): string
}

export function createWriter(): Writer {
  const lines: string[] = []
  let names = 0
  return {
    line: (statement) => lines.push(statement),
    block(head, body) {
      lines.push(`${head} {`)
      body()
      lines.push('}')
    },
    closure(head, body) {
      lines.push(`${head} => {`)
      body()
      lines.push('};')
    },
    fresh(prefix) {
      names += 1
      return `${prefix}${names}`
    },
    text: () => lines.join('\n'),
  }
}
