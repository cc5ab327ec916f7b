// An error answer of the Ledger API in words for people: code, cause, hint, and the place in the request or in Daml. The
// command line and the test kit show the same.

export type ErrorAnswer = {
  /** Undefined for plain text. */
  readonly code: string | undefined
  readonly cause: string
  /** What a development node suggests. */
  readonly hint: string | undefined
  readonly context: Readonly<Record<string, string>>
}

/** The header of hints; answers in plain text have no other place for one. */
export const hintHeader = 'tallystick-hint'

/** Reads Canton's JSON, or the plain text of a request that could not be read. */
export function errorAnswerOf(text: string, hintInHeader?: string | null): ErrorAnswer {
  const { code, cause, context } = objectIn(text)
  const known = textsIn(context)
  const hint = known.hint ?? hintInHeader ?? undefined
  if (typeof code !== 'string' || typeof cause !== 'string') return { code: undefined, cause: text, hint, context: {} }
  return { code, cause, hint, context: known }
}

/** The code of errors whose code is kept from clients. */
const redactedCode = 'NA'

/** Code and cause in one line; the hint and the place in lines of their own. */
export function errorWords({ code, cause, hint, context }: ErrorAnswer, advice = ''): string {
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

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textsIn(context: unknown): Record<string, string> {
  if (typeof context !== 'object' || context === null) return {}
  return Object.fromEntries(Object.entries(context).filter(([, value]) => typeof value === 'string'))
}
