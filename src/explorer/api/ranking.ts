// How well a name fits what somebody types: every search and every picker of names orders by this. A name that is the text
// comes first, then names that begin with it, whose words begin with its letters (`DsR` finds DsoRules), that contain it, and
// last those whose module or package contains it.

/** A template, an interface, a choice or a package. */
export type NamedThing = {
  readonly name: string
  /** "" for a package. */
  readonly module: string
  readonly packageName: string
  /** The template or interface of a choice. */
  readonly owner?: string
  /** Comes after others that fit as well: a package that others only build on. */
  readonly isLibrary?: boolean
}

type Part = 'name' | 'module' | 'packageName' | 'owner'

/** A part of a text, from one index to before another. */
export type Range = readonly [from: number, to: number]

export type Fit = {
  /** Smaller is better. */
  readonly distance: number
  /** What matched in each part of the name, in order. */
  readonly marks: Readonly<Partial<Record<Part, readonly Range[]>>>
}

export type Ranked<T> = Fit & { readonly thing: T }

/** Longer texts are ids or nonsense. */
const textMax = 200
const wordsMax = 8
const distances = { exact: 0, prefix: 1, humps: 2, inside: 3, owner: 4, module: 5, packageName: 6 } as const

/** Those that fit, the best first; alike ones by the length of their names, then by their letters. */
export function rank<T extends NamedThing>(text: string, things: readonly T[]): Ranked<T>[] {
  const words = wordsOf(text)
  const ranked = things.flatMap((thing) => {
    const fit = fitOf(words, thing)
    return fit === undefined ? [] : [{ ...fit, thing }]
  })
  return ranked.sort((one, other) => one.distance - other.distance || compareNames(one.thing, other.thing))
}

/** `#package:Module:Name` and words apart mean the same: each must fit some part. */
function wordsOf(text: string): readonly string[] {
  const words = text.slice(0, textMax).split(/[\s:#]+/)
  return words.filter((word) => word !== '').slice(0, wordsMax)
}

function fitOf(words: readonly string[], thing: NamedThing): Fit | undefined {
  const marks: Partial<Record<Part, readonly Range[]>> = {}
  let distance = thing.isLibrary ? 0.5 : 0
  for (const word of words) {
    const found = bestPart(word, thing)
    if (found === undefined) return undefined
    distance += found.distance
    marks[found.part] = joined([...(marks[found.part] ?? []), ...found.ranges])
  }
  return { distance, marks }
}

type PartFit = { readonly part: Part; readonly distance: number; readonly ranges: readonly Range[] }

function bestPart(word: string, { name, module, packageName, owner }: NamedThing): PartFit | undefined {
  const own = fitOfName(word, name)
  if (own !== undefined) return { part: 'name', ...own }
  for (const [part, text] of Object.entries({ owner, module, packageName })) {
    const range = rangeIn(text ?? '', word)
    if (range === undefined) continue
    return { part: part as Part, distance: distances[part as 'owner'], ranges: [range] }
  }
  return undefined
}

function fitOfName(word: string, name: string): Omit<PartFit, 'part'> | undefined {
  const inside = rangeIn(name, word)
  if (inside?.[0] === 0) {
    return { distance: word.length === name.length ? distances.exact : distances.prefix, ranges: [inside] }
  }
  const humps = humpsIn(name, word)
  if (humps !== undefined) return { distance: distances.humps, ranges: humps }
  return inside === undefined ? undefined : { distance: distances.inside, ranges: [inside] }
}

/** Of a name that is found by other means, such as a party: as far as one that does not contain the text. */
export function distanceOf(text: string, name: string): number {
  return fitOfName(text, name)?.distance ?? distances.owner
}

/** Where a text contains a word, in upper or lower case. */
export function rangeIn(text: string, word: string): Range | undefined {
  const at = text.toLowerCase().indexOf(word.toLowerCase())
  return at < 0 ? undefined : [at, at + word.length]
}

/** Where a word of a camel-case name begins. */
const humpStart = /(?<![A-Za-z\d])[A-Za-z\d]|(?<![A-Z])[A-Z]|[A-Z](?=[a-z])|(?<!\d)\d/g

/** A word as beginnings of the words of a name, in their order; some may be left out, the first of the name included. */
function humpsIn(name: string, word: string): readonly Range[] | undefined {
  const starts = [...name.matchAll(humpStart)].map(({ index }) => index)
  const [wanted, text] = [word.toLowerCase(), name.toLowerCase()]
  // Pairs of places that led nowhere, so that no name takes longer than the product of the lengths.
  const inVain = new Set<number>()
  const from = (hump: number, at: number): readonly Range[] | undefined => {
    if (at === wanted.length) return []
    if (hump === starts.length || inVain.has(hump * textMax + at)) return undefined
    const start = starts[hump]!
    const end = starts[hump + 1] ?? name.length
    let length = 0
    while (start + length < end && at + length < wanted.length && text[start + length] === wanted[at + length])
      length += 1
    for (; length > 0; length -= 1) {
      const rest = from(hump + 1, at + length)
      if (rest !== undefined) return [[start, start + length], ...rest]
    }
    const skipped = from(hump + 1, at)
    if (skipped === undefined) inVain.add(hump * textMax + at)
    return skipped
  }
  return from(0, 0)
}

function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = []
  for (const range of ranges.toSorted(([one], [other]) => one - other)) {
    const last = result.at(-1)
    if (last !== undefined && range[0] <= last[1]) result[result.length - 1] = [last[0], Math.max(last[1], range[1])]
    else result.push(range)
  }
  return result
}

function compareNames(one: NamedThing, other: NamedThing): number {
  const key = ({ packageName, module, owner = '' }: NamedThing) => `${packageName}:${module}:${owner}`
  return one.name.length - other.name.length || compareTexts(one.name, other.name) || compareTexts(key(one), key(other))
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
