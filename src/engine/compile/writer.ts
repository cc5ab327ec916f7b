// JavaScript text under construction. Statements go to the current block in the order in which they run; names are
// numbers, so nothing of a package's own text ever becomes code. Each line remembers what of Daml it came from.
import type { Location } from '../../lf/ast.ts'

export type Writer = {
  /** Adds a statement. */
  line(statement: string): void
  /** Adds statements of an inner block between `{` and `}`. */
  block(head: string, body: () => void): void
  /** Adds a function whose head is given and whose body is written by `body`. */
  closure(head: string, body: () => void): void
  /** A name nothing else has. */
  fresh(prefix: string): string
  /** What is written by `body` is part of the definition named. */
  within(definition: string, body: () => void, packageId?: string): void
  /** What is written by `body` comes from this place, unless it says otherwise. */
  at<Result>(location: Location | undefined, body: () => Result): Result
  /** Takes back all that `body` wrote when it throws. */
  orNothing(body: () => void): void
  /** The text so far. */
  text(): string
  /** Where each line of the text came from. */
  readonly origins: readonly Origin[]
}

export type Origin = {
  readonly packageId: string
  readonly definition: string
  readonly location: Location | undefined
}

export function createWriter(): Writer {
  const lines: string[] = []
  const origins: Origin[] = []
  let origin: Origin = { packageId: '', definition: '', location: undefined }
  let names = 0

  function line(statement: string): void {
    lines.push(statement)
    origins.push(origin)
  }

  function during<Result>(next: Origin, body: () => Result): Result {
    const before = origin
    origin = next
    try {
      return body()
    } finally {
      origin = before
    }
  }

  return {
    line,
    block(head, body) {
      line(`${head} {`)
      body()
      line('}')
    },
    closure(head, body) {
      line(`${head} => {`)
      body()
      line('};')
    },
    fresh(prefix) {
      names += 1
      return `${prefix}${names}`
    },
    within: (definition, body, packageId = '') => during({ packageId, definition, location: undefined }, body),
    at: (location, body) => (location === undefined ? body() : during({ ...origin, location }, body)),
    orNothing(body) {
      const written = lines.length
      try {
        body()
      } catch (error) {
        lines.length = written
        origins.length = written
        throw error
      }
    },
    text: () => lines.join('\n'),
    origins,
  }
}
