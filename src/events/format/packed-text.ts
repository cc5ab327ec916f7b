// Packs the JSON of events and completions, because party ids and a few phrases make up most of it. A packed text begins
// with a line that lists its words as JSON; then comes the JSON with a control character in place of each phrase and word.
// JSON has no control characters of its own. In the list, a word of as many hexadecimal digits as a contract id is written
// in Base64 after a mark. Packing works on UTF-8 read as Latin-1, too.
import { Buffer } from 'node:buffer'

/** Texts by the characters that stand for them. */
export type Phrases = Readonly<Record<string, readonly [code: string, text: string]>>

/** The phrases of events. Packed texts are stored, so a phrase keeps its code for ever. */
export const phrases = {
  contractId: ['\u001f', '"contractId":"'],
  templateId: ['\u001e', '","templateId":"'],
  withoutKey: ['\u001d', '","contractKey":null,"contractKeyHash":"","createArgument":'],
  signatories: ['\u001c', '"signatories":'],
  observers: ['\u001b', ',"observers":'],
  createdAt: ['\u001a', ',"createdAt":"'],
  packageName: ['\u0019', '","packageName":"'],
  representative: ['\u0018', '","representativePackageId":"'],
  choice: ['\u0017', '"interfaceId":null,"choice":"'],
  choiceArgument: ['\u0016', '","choiceArgument":'],
  actingParties: ['\u0015', ',"actingParties":'],
  consuming: ['\u0014', ',"consuming":'],
  lastDescendant: ['\u0013', '"lastDescendantNodeId":'],
  result: ['\u0012', ',"exerciseResult":'],
  /** The only control character in the JSON of values (lf/codec/hidden-somes.ts): its own code is that of a word. */
  tab: ['\n', '\t'],
} as const satisfies Phrases

/** Begins a packed text without words. */
export const noWords = '[]\n'

/** The codes of words, in order: those that no phrase has. A line feed ends the first line. */
export const wordCodes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17].map((code) =>
  String.fromCharCode(code),
)

/** By how much each phrase is longer than its code. */
const phraseGains = Array.from({ length: 0x20 }, () => 0)
for (const [code, text] of Object.values(phrases)) phraseGains[code.charCodeAt(0)] = text.length - 1

type PhraseTexts = Readonly<Record<keyof typeof phrases, string>>

const tabAsCode = ['\t', phrases.tab[0]] as const

const phraseTexts = (form: 0 | 1) =>
  Object.fromEntries(Object.entries(phrases).map(([name, forms]) => [name, forms[form]])) as PhraseTexts
const [phrasesAsCodes, phrasesAsTexts] = [phraseTexts(0), phraseTexts(1)]

/** Packs one text while it is written. One that does not pack lets the same code write plain JSON. */
export class PackedWords {
  readonly phrase: PhraseTexts
  readonly #isPacking: boolean
  readonly #codes = new Map<string, string>()
  readonly #listed: string[] = []
  /** By how many bytes each code makes a text longer when it is unpacked. */
  readonly gains: number[]

  constructor(isPacking = true) {
    this.#isPacking = isPacking
    this.gains = isPacking ? phraseGains.slice() : []
    this.phrase = isPacking ? phrasesAsCodes : phrasesAsTexts
  }

  /** The code of a word; the word itself when there are no more codes. */
  code(word: string): string {
    if (!this.#isPacking) return word
    const known = this.#codes.get(word)
    if (known !== undefined) return known
    const code = wordCodes[this.#listed.length]
    if (code === undefined) return word
    const listed = listedAs(word)
    if (listed === undefined) return word
    this.#listed.push(listed)
    this.#codes.set(word, code)
    this.gains[code.charCodeAt(0)] = word.length - 1
    return code
  }

  /** The text with codes in place of these words. */
  pack(text: string, words: readonly string[]): string {
    if (!this.#isPacking) return text
    let packed = text.includes('\t') ? text.replaceAll(...tabAsCode) : text
    for (const word of words) {
      if (word.length < packed.length && packed.includes(word)) packed = packed.split(word).join(this.code(word))
    }
    return packed
  }

  /** The first line. */
  line(): string {
    return this.#listed.length === 0 ? noWords : `["${this.#listed.join('","')}"]\n`
  }
}

/** A word that has one byte per character, needs no escapes in JSON, and does not begin with the mark. */
const isPlain = /^[ !#-[\]-}][ !#-[\]-~]*$/

/** Begins a word in Base64. */
export const base64Mark = '~'
export const contractIdDigits = 138

/** Holds one word at a time: a new buffer for each would take twice as long. */
const scratch = Buffer.alloc(contractIdDigits)

/** A word as it is in the list; undefined if it cannot be there. */
function listedAs(word: string): string | undefined {
  if (word.length === contractIdDigits) {
    const bytes = scratch.write(word, 'hex')
    if (scratch.toString('hex', 0, bytes) === word) return base64Mark + scratch.toString('base64', 0, bytes)
  }
  return isPlain.test(word) ? word : undefined
}
