// One question at a time, before something is lost.
import { signal } from '@preact/signals'

export type Question = {
  readonly title: string
  readonly text: string
  /** The words on the button that does it. */
  readonly action: string
  readonly isDangerous?: boolean
}

export const question = signal<(Question & { readonly answer: (isYes: boolean) => void }) | undefined>(undefined)

/** Settles with whether the reader agreed. */
export function confirm(asked: Question): Promise<boolean> {
  question.peek()?.answer(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const answer = (isYes: boolean) => {
    question.value = undefined
    resolve(isYes)
  }
  question.value = { ...asked, answer }
  return promise
}
