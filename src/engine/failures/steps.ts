// How much evaluation may still do. Compiled code counts its calls. Native operations whose time grows with their
// operands count their work too, so that no use of time goes uncounted. Steps are handed out in slices, and between
// slices the caller can end the evaluation: that is how timeouts work.
//
// There is one per thread, like the stack: a thread evaluates one thing at a time, and the order of values, which sorts
// maps deep inside their trees, must be able to reach it.
import { Failure } from './failures.ts'

export type Budget = {
  readonly stepsMax: number
  /** Called every few milliseconds of evaluation; throws to end it. */
  readonly check?: (() => void) | undefined
}

const sliceSteps = 50_000

/**
 * A thread that runs out of memory ends alone only while it allocates little at a time: V8 aborts the whole process
 * when one allocation exceeds the 16 MB that Node keeps in reserve. So no single piece of memory may become large: a
 * text has a maximum length, and collections are lists or trees, never arrays.
 */
export const textLengthMax = 2 ** 22
export const piecesMax = 2 ** 20

class Steps {
  /** Steps left in the current slice. Compiled code counts it down itself and calls `exhausted` below zero. */
  left = 0
  #reserve = Infinity
  /** Of all slices so far, with the present one. */
  #handedOut = 0
  #check: Budget['check']

  /** All steps that were ever taken. */
  get taken(): number {
    return this.#handedOut - this.left
  }

  start({ stepsMax, check }: Budget): void {
    this.#handedOut -= this.left
    this.left = 0
    this.#reserve = stepsMax
    this.#check = check
  }

  /** Nothing runs: work on values until the next start is not counted. */
  stop(): void {
    this.start({ stepsMax: Infinity })
  }

  charge(count: number): void {
    this.left -= count
    if (this.left < 0) this.exhausted()
  }

  /** For text that is read or written as a whole: a character is much cheaper than a call. */
  chargeText(length: number): void {
    if (length >= 64) this.charge(length >> 6)
  }

  /** For work with bounds of its own, such as compilation: takes no steps, but can be ended as well. */
  look(): void {
    this.#check?.()
  }

  exhausted(): void {
    this.#check?.()
    const reserve = this.#reserve + this.left // Steps used beyond the slice are owed.
    if (reserve < 0) throw tooMuch('needs more steps')
    const slice = Math.min(reserve, sliceSteps)
    this.#handedOut += slice - this.left
    this.left = slice
    this.#reserve = reserve - this.left
  }
}

export const steps = new Steps()

export type { Steps }

/** Why a command was stopped: it `needs more time`, `makes larger values` and so on. */
export function tooMuch(reason: string): Failure {
  return new Failure('INTERPRETATION_TIME_EXCEEDED', `The command ${reason} than this node allows`)
}
