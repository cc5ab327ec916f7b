// JavaScript text under construction. Statements go to the current block in the order in which they run. Names are
// numbers, so no text of a package ever becomes code. Each line records the part of Daml it came from.
//
// A package of a few hundred bytes can stand for millions of expressions, because it may refer to one of them many
// times. So the writer limits the text of a script, the text of each definition and the depth of blocks, and regularly
// asks its caller whether to go on.
import type { Location } from '../../lf/syntax/ast.ts'
import { Failure } from '../failures/failures.ts'

export type Writer = {
  /** Adds a statement. */
  line(statement: string): void
  /** Adds an inner block of statements between `{` and `}`. */
  block(head: string, body: () => void): void
  /** Adds a function of this name; `body` writes its body. */
  closure(name: string, parameters: string, body: () => void): void
  /** A unique name. */
  fresh(prefix: string): string
  /** What `body` writes is part of the named definition. */
  within(packageId: string, definition: string, body: () => void): void
  /** What `body` writes comes from this place, unless it says otherwise. */
  at<Result>(location: Location | undefined, body: () => Result): Result
  /** The definition, and the nearest place in the source, that the next line comes from. */
  here(): Origin
  /** Undoes what `body` wrote when it throws. */
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

export type WriterLimits = {
  /** Maximum number of characters in a script. */
  readonly scriptLengthMax: number
  /** Called every few hundred expressions; throws to end the writing. */
  readonly check: () => void
}

/** V8 compiles a function in one go, a mebibyte in 70 ms, and cannot be interrupted. */
export const definitionLengthMax = 2 ** 21
/** V8 searches all surrounding blocks for each name: 20,000 nested blocks take ten seconds. */
export const nestedBlocksMax = 2_000
const expressionsBetweenChecks = 512

export function createWriter({ scriptLengthMax, check }: WriterLimits): Writer {
  const lines: string[] = []
  const origins: Origin[] = []
  let origin: Origin = { packageId: '', definition: '', location: undefined }
  let names = 0
  let expressions = 0
  let length = 0
  let definitionStart = 0
  let blocks = 0

  function line(statement: string): void {
    lines.push(statement)
    origins.push(origin)
    length += statement.length + 1
    if (length - definitionStart > definitionLengthMax) {
      throw tooLarge(`${origin.definition} has more than ${definitionLengthMax} characters as JavaScript`)
    }
    if (length > scriptLengthMax) {
      throw tooLarge(`with all it calls, it has more than ${scriptLengthMax} characters as JavaScript`)
    }
  }

  function nested(head: string, body: () => void, end: string): void {
    line(head)
    blocks += 1
    if (blocks > nestedBlocksMax) {
      throw tooLarge(`${origin.definition} has more than ${nestedBlocksMax} blocks inside of one another`)
    }
    try {
      body()
    } finally {
      blocks -= 1
    }
    line(end)
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
    block: (head, body) => nested(`${head} {`, body, '}'),
    // The parentheses make V8 compile it with the function around it. Otherwise V8 would parse it again at its first call,
    // with all functions inside: a chain of `bind`, each inside the one before, took time with the square of its length.
    closure: (name, parameters, body) => nested(`const ${name} = ((${parameters}) => {`, body, '});'),
    fresh(prefix) {
      names += 1
      return `${prefix}${names}`
    },
    within(packageId, definition, body) {
      definitionStart = length
      during({ packageId, definition, location: undefined }, body)
    },
    at(location, body) {
      expressions += 1
      if (expressions % expressionsBetweenChecks === 0) check()
      return location === undefined ? body() : during({ ...origin, location }, body)
    },
    here: () => origin,
    orNothing(body) {
      const before = { lines: lines.length, length, blocks }
      try {
        body()
      } catch (error) {
        lines.length = before.lines
        origins.length = before.lines
        length = before.length
        blocks = before.blocks
        throw error
      }
    },
    text: () => lines.join('\n'),
    origins,
  }
}

/** Code that this node refuses to compile. */
export class CodeTooLarge extends Failure {}

export function tooLarge(reason: string): CodeTooLarge {
  return new CodeTooLarge(
    'INTERPRETATION_TIME_EXCEEDED',
    `The command needs more code than this node allows: ${reason}`,
  )
}
