// What a decoder promises: a value, or a refusal of the kind it declares, in bounded time; and what it read, written
// again, reads the same.
import { type Dice, pick } from '../../test/fixtures/dice.ts'
import { mutateBytes, mutateJson, mutateText } from './mutation.ts'

export type Input = string | Buffer

/** `true` for what is accepted and cannot be written again. */
export type Read = Input | true | undefined

export type Decoder<I extends Input = Input> = {
  readonly name: string
  /** Valid inputs to start from; the seed is the same in every run. */
  corpus(): readonly I[]
  readonly mutate: (input: I, dice: Dice, others: readonly I[]) => I
  /** What was read, written again where that is possible; undefined for a refusal that is a value. */
  read(input: I): Read | Promise<Read>
  isRefusal(error: unknown): boolean
}

type Spec<I extends Input> = Omit<Decoder<I>, 'mutate'>

/** The types of inputs are forgotten so that different decoders fit into a list. */
const listed = <I extends Input>(decoder: Decoder<I>): Decoder => decoder as unknown as Decoder

export const bytesDecoder = (spec: Spec<Buffer>): Decoder => listed({ ...spec, mutate: mutateBytes })
export const textDecoder = (spec: Spec<string>): Decoder => listed({ ...spec, mutate: mutateText })
export const jsonDecoder = (spec: Spec<string>): Decoder => listed({ ...spec, mutate: mutateJson })

/** What each JSON text is to be read as stands before it: a number and a bar. */
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
