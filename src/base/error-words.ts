// An error answer of the Ledger API in words for people: code, cause, hint, and the place in the request or in Daml. The
// command line and the test kit show the same.
import type { ErrorAnswer } from './error-answer.ts'

/** The code of errors whose code is kept from clients. */
const redactedCode = 'NA'

type Said = Pick<ErrorAnswer, 'code' | 'cause' | 'hint' | 'context'>

/** Code and cause in one line; the hint and the place in lines of their own. */
export function errorWords({ code, cause, hint, context }: Said, advice = ''): string {
  // Canton itself puts the code before causes with line breaks.
  const isBare = code === undefined || code === redactedCode || cause.startsWith(code)
  const head = isBare ? cause : `${code}: ${cause}`
  const lines = [
    `${oneLine(head)}${advice}`,
    ...(hint === undefined ? [] : [`hint: ${oneLine(hint)}`]),
    ...placesIn(context)
      .filter(([, place]) => hint?.startsWith(`${place}: `) !== true)
      .map(([words, place]) => `${words}: ${oneLine(place)}`),
  ]
  return lines.join('\n  ')
}

const places: readonly [name: string, words: string][] = [
  ['path', 'field'],
  ['expected', 'expected'],
  ['choice', 'choice'],
  ['definition', 'in'],
  ['location', 'at'],
  ['exercises', 'exercises'],
]

function placesIn(context: ErrorAnswer['context']): [words: string, place: string][] {
  return places.flatMap(([name, words]) => (Object.hasOwn(context, name) ? [[words, context[name]!]] : []))
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim()
}
