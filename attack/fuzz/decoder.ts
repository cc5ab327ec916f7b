// The contract of a decoder: a value, or a refusal of the declared kind, in bounded time; a value that is written and
// read again is the same.
import { type Dice, pick } from '../../test/fixtures/dice.ts'
import { mutateBytes, mutateJson, mutateText } from './mutation.ts'

export type Input = string | Buffer

/** `true` for accepted inputs that cannot be written again. */
export type Read = Input | true | undefined

export type Decoder<I extends Input = Input> = {
  readonly name: string
  /** Valid inputs to start from, the same in every run. */
  corpus(): readonly I[]
  readonly mutate: (input: I, dice: Dice, others: readonly I[]) => I
  /** The value, written again if possible; undefined for a refusal that is returned rather than thrown. */
  read(input: I): Read | Promise<Read>
  isRefusal(error: unknown): boolean
}

type Spec<I extends Input> = Omit<Decoder<I>, 'mutate'>

/** Erases the input type, so that different decoders fit into one list. */
const listed = <I extends Input>(decoder: Decoder<I>): Decoder => decoder as unknown as Decoder

export const bytesDecoder = (spec: Spec<Buffer>): Decoder => listed({ ...spec, mutate: mutateBytes })
export const textDecoder = (spec: Spec<string>): Decoder => listed({ ...spec, mutate: mutateText })
export const jsonDecoder = (spec: Spec<string>): Decoder => listed({ ...spec, mutate: mutateJson })

/** Each JSON text starts with a number and a bar; the number chooses the target type. */
export const numberedJsonDecoder = (spec: Spec<string>): Decoder =>
  listed({
    ...spec,
    mutate(input, dice, others) {
      const { number, text } = numbered(input)
      return `${number}|${mutateJson(text, dice, [numbered(pick(dice, others)).text])}`
    },
  })

export function numbered(input: string): { readonly number: number; readonly text: string } {
  const bar = input.indexOf('|')
  return { number: Number(input.slice(0, bar)), text: input.slice(bar + 1) }
}
