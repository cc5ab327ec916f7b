// Which value of our node stands for which value of Canton's. Ids are random and times pass, so two answers are the same
// when one becomes the other by a consistent exchange of ids: a pair that was seen once has to fit ever after.

/** What two nodes may tell differently: UUIDs, times, and ids and hashes in hexadecimal or base64. */
export const tokens =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[A-Za-z0-9+/]{40,}={0,2}|[0-9a-f]{8,}(?:\.\.\.)?/g
/** In paths, where other characters are percent-encoded. */
const longIds = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:1220|00)[0-9a-f]{60,}/g

const times = /^\d{4}-\d\d-\d\dT/
const hexadecimal = /^[0-9a-f]+$/
const numbers = /-?\d+/g

/** Fields whose numbers are offsets. */
export const offsetFields: ReadonlySet<string> = new Set([
  'offset',
  'beginExclusive',
  'endInclusive',
  'beginOffsetExclusive',
  'endOffsetInclusive',
  'activeAtOffset',
  'completionOffset',
  'completion_offset',
  'lastPrunedOffset',
  'participantPrunedUpToInclusive',
  'allDivulgedContractsPrunedUpToInclusive',
  'pruneUpTo',
  'lowestPageOffsetExclusive',
  'highestPageOffsetInclusive',
  'DeduplicationOffset',
  'deduplicationOffset',
  'beginOffsetExclusive',
  'endOffsetInclusive',
])

type Range = readonly [from: number, to: number]
export type Gap = { readonly ours: Range; readonly canton: Range }

export class Correspondence {
  readonly #toCanton: Map<string, string>
  readonly #toOurs: Map<string, string>
  /** Of updates and completions. */
  readonly #offsetsToCanton = new Map<number, number>()
  /** Where Canton's ledger ended when ours did there; Canton takes offsets in between that nobody sees. */
  readonly #ends = new Map<number, number>([[0, 0]])
  #lastEnds: readonly [ours: number, canton: number] = [0, 0]

  /** The participants of a network have their own offsets, but their ids are the same. */
  constructor(ofSameNetwork?: Correspondence) {
    this.#toCanton = ofSameNetwork === undefined ? new Map() : ofSameNetwork.#toCanton
    this.#toOurs = ofSameNetwork === undefined ? new Map() : ofSameNetwork.#toOurs
  }

  /** A value that is the same on both sides, such as the id of a package. */
  fix(value: string): void {
    this.#learn(value, value)
  }

  isFixed(value: string): boolean {
    return this.#toCanton.get(value) === value
  }

  /** Both ledgers were told to have ended here at the same moment. */
  pairEnds(ours: number, canton: number): void {
    this.#lastEnds = [ours, canton]
    this.#ends.set(ours, canton)
  }

  /** Whether the texts are the same but for ids that correspond. Learns from those that it has not seen. */
  texts(ours: string, canton: string): boolean {
    if (ours === canton) return true
    const [mine, theirs] = [splitAt(ours, tokens), splitAt(canton, tokens)]
    if (mine.found.length !== theirs.found.length) return false
    const isSameText = mine.between.every((text, index) => this.#sameWords(text, theirs.between[index]!))
    return isSameText && mine.found.every((token, index) => this.#sameToken(token, theirs.found[index]!))
  }

  offsets(ours: number, canton: number): boolean {
    if (ours === canton || this.#ends.get(ours) === canton || this.#isBeyond(ours, canton)) return true
    const known = this.#offsetsToCanton.get(ours)
    if (known !== undefined) return known === canton
    const isInOrder = canton > this.#endBefore(ours) && canton <= (this.#ends.get(ours) ?? Number.POSITIVE_INFINITY)
    if (isInOrder) this.#offsetsToCanton.set(ours, canton)
    return isInOrder
  }

  /** The end of a page or a period may lie anywhere before the next update, and Canton takes offsets in between. */
  ends(ours: number, canton: number): boolean {
    if (ours === canton || this.#isBeyond(ours, canton)) return true
    const next = this.#offsetsToCanton.get(ours + 1)
    return canton >= this.#exact(ours) && (next === undefined || canton < next)
  }

  /** The settled ends around an offset of ours, and Canton's; undefined if the offset is known or not on the ledger. */
  gapAround(ours: number, isUpdate: boolean): Gap | undefined {
    const isKnown = this.#offsetsToCanton.has(ours) || (!isUpdate && this.#ends.has(ours))
    if (isKnown || ours <= 0 || ours > this.#lastEnds[0]) return undefined
    const ends = [...this.#ends.keys()]
    const from = Math.max(0, ...ends.filter((end) => end < ours))
    const to = Math.min(...ends.filter((end) => end >= ours))
    return { ours: [from, to], canton: [from === 0 ? 0 : this.#ends.get(from)!, this.#ends.get(to)!] }
  }

  /** The text that says to Canton what this one says to us. */
  toCanton(text: string): string {
    return text.replaceAll(tokens, (token) => this.#tokenToCanton(token))
  }

  pathToCanton(path: string): string {
    const [address, query = ''] = path.split('?', 2) as [string, string?]
    const translated = address
      .replace(/(-by-offset\/)(\d+)/, (_, before: string, offset: string) => `${before}${this.#exact(Number(offset))}`)
      .replaceAll(longIds, (id) => this.#tokenToCanton(id))
    return path.includes('?')
      ? `${translated}?${query.replaceAll(longIds, (id) => this.#tokenToCanton(id))}`
      : translated
  }

  /** JSON as it is sent to Canton: ids and offsets exchanged. */
  jsonToCanton(value: unknown, field = ''): unknown {
    if (typeof value === 'string' && offsetFields.has(field) && /^\d{1,15}$/.test(value)) {
      return String(this.#numberToCanton(Number(value), field))
    }
    if (typeof value === 'string') return this.toCanton(value)
    if (typeof value === 'number') return this.#numberToCanton(value, field)
    if (Array.isArray(value)) return value.map((item) => this.jsonToCanton(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        return [this.toCanton(key), this.jsonToCanton(item, key === 'value' ? field : key)]
      }),
    )
  }

  #tokenToCanton(token: string): string {
    const known = this.#toCanton.get(token)
    if (known !== undefined || !token.endsWith('...')) return known ?? token
    return this.#ofShort(token)?.canton ?? token
  }

  #numberToCanton(value: number, field: string): number {
    if (!offsetFields.has(field) || !Number.isSafeInteger(value)) return value
    return field === 'offset' ? this.#exact(value) : this.#end(value)
  }

  /** Of one update; never 0, which is none. */
  #exact(ours: number): number {
    return this.#offsetsToCanton.get(ours) ?? (this.#end(ours) || ours)
  }

  #end(ours: number): number {
    if (ours <= 0) return ours // Before everything, although Canton's ledger has offsets before our first.
    const known = this.#ends.get(ours) ?? this.#offsetsToCanton.get(ours)
    if (known !== undefined) return known
    const [ourEnd, cantonEnd] = this.#lastEnds
    return ours > ourEnd ? cantonEnd + (ours - ourEnd) : this.#endBefore(ours)
  }

  #endBefore(ours: number): number {
    let before = 0
    for (const [end, canton] of this.#ends) if (end < ours && canton > before) before = canton
    return before
  }

  #isBeyond(ours: number, canton: number): boolean {
    const [ourEnd, cantonEnd] = this.#lastEnds
    return ours > ourEnd && canton > cantonEnd && ours - ourEnd === canton - cantonEnd
  }

  /** The same words, but for numbers that are offsets. */
  #sameWords(ours: string, canton: string): boolean {
    if (ours === canton) return true
    const [mine, theirs] = [splitAt(ours, numbers), splitAt(canton, numbers)]
    if (mine.between.join('#') !== theirs.between.join('#')) return false
    return mine.found.every((number, index) => {
      const [a, b] = [Number(number), Number(theirs.found[index])]
      return a === b || this.#offsetsToCanton.get(a) === b || this.#ends.get(a) === b || this.#isBeyond(a, b)
    })
  }

  #sameToken(ours: string, canton: string): boolean {
    if (ours === canton) return true
    if (times.test(ours)) return times.test(canton)
    const isHexadecimal = hexadecimal.test(ours.replace(/\.\.\.$/, ''))
    if (isHexadecimal !== hexadecimal.test(canton.replace(/\.\.\.$/, ''))) return false
    if (isHexadecimal && ours.length !== canton.length) return false
    const known = this.#toCanton.get(ours)
    if (known !== undefined || this.#toOurs.has(canton)) return known === canton
    const short = isHexadecimal && ours.length < 60 ? this.#ofShort(ours) : undefined
    if (short !== undefined) return short.canton === canton
    this.#learn(ours, canton)
    return true
  }

  /** Of an id that is shown by its beginning. */
  #ofShort(short: string): { readonly canton: string } | undefined {
    const beginning = short.replace(/\.\.\.$/, '')
    for (const [ours, canton] of this.#toCanton) {
      if (ours.length > short.length && ours.startsWith(beginning)) {
        return { canton: canton.slice(0, beginning.length) + short.slice(beginning.length) }
      }
    }
    return undefined
  }

  #learn(ours: string, canton: string): void {
    this.#toCanton.set(ours, canton)
    this.#toOurs.set(canton, ours)
  }
}

function splitAt(text: string, pattern: RegExp): { readonly between: string[]; readonly found: string[] } {
  return { between: text.split(new RegExp(pattern.source, 'g')), found: text.match(pattern) ?? [] }
}
