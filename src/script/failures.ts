// How a script ends early, besides the failures of the engine: a question that the ledger refused, or one that is no
// question of the library.

/** A place in the source of a script, as the library's call stacks have it. Lines and columns count from one. */
export type Frame = {
  readonly definition: string
  readonly module: string
  readonly line: number
  readonly column: number
}

/** Why a question has no answer. `kind` is the name that `tryCommands` gives for it. */
export class Unanswered extends Error {
  readonly kind: string

  constructor(message: string, kind = 'RuntimeException') {
    super(message)
    this.kind = kind
  }
}

/** A question that failed, with its place. `tryCommands` catches it. */
export class FailedQuestion extends Error {
  readonly question: string
  readonly frames: readonly Frame[]
  override readonly cause: Unanswered

  constructor(question: string, frames: readonly Frame[], cause: Unanswered) {
    super(cause.message)
    this.question = question
    this.frames = frames
    this.cause = cause
  }
}

/** The script is not of the library that this runner knows: nothing catches it. */
export class UnknownShape extends Error {}
