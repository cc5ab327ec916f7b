// How much evaluation may still do. Compiled code counts its calls; what runs natively for as long as its operands are
// large counts its work too, so that no way of burning time goes uncounted. Steps are handed out in slices, and between
// slices whoever started the evaluation can end it: that is how a clock gets its say.
//
// One for each thread, like the stack: a thread evaluates one thing at a time, and the order of values, which sorts maps
// deep inside their trees, must be able to reach it.
import { Failure } from './failures.ts'

export type Budget = {
  readonly stepsMax: number
  /** Called every few milliseconds of evaluation; throws to end it. */
  readonly check?: (() => void) | undefined
}

const sliceSteps = 50_000

/**
 * A thread that runs out of memory ends alone only while it asks for little at a time: V8 aborts the whole process when
 * one allocation is larger than the 16 MB that Node keeps back. So nothing that is one piece of memory may become large:
 * a text has a longest length, and what holds many values is a list or a tree, never an array.
 */
export const textLengthMax = 2 ** 22
export const piecesMax = 2 ** 20

class Steps {
  /** Of the present slice. Compiled code counts it down itself and calls `exhausted` below zero. */
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

  /** Nothing runs: what is done with values until the next start is not counted against anything. */
  stop(): void {
    this.start({ stepsMax: Infinity })
  }

  charge(count: number): void {
    this.left -= count
    if (this.left < 0) this.exhausted()
  }

  /** For text that is read or written as a whole: much cheaper, for each character, than a call. */
  chargeText(length: number): void {
    if (length >= 64) this.charge(length >> 6)
  }

  /** For what has bounds of its own, such as compilation: takes no steps, but can be ended as well. */
  look(): void {
    this.#check?.()
  }

  exhausted(): void {
    this.#check?.()
    const reserve = this.#reserve + this.left // What was used beyond the slice is owed.
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
