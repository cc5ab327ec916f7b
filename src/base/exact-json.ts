// JSON that loses no digits. JSON.parse turns every number into a double, and a reviver that sees the source of each
// costs fifty times as much as parsing. So the text is scanned once, and what must stay as it was written becomes a
// text that begins with NUL: a number that a double cannot hold and, on request, whole Daml values, which are then
// parsed by the thread that knows their type. No text of a ledger may hold NUL, so nothing else looks like it.

const mark = '\0'
const digitsKept = 15

/** Parses a whole text; throws what JSON.parse throws. */
export function parseExactly(text: string): unknown {
  const scan = new JsonScan(text)
  scan.run(Number.POSITIVE_INFINITY)
  return JSON.parse(scan.result())
}

/** The same, with objects and lists under these names kept as text. Numbers become doubles. */
export function parseKeeping(text: string, names: readonly string[]): unknown {
  const scan = new JsonScan(text, { names })
  scan.run(Number.POSITIVE_INFINITY)
  return JSON.parse(scan.result(), (_, value) => {
    const place = placeOf(value)
    if (place !== undefined) return keptJson(scan.kept[place]!)
    const number = exactNumberOf(value)
    return number === undefined ? value : Number(number)
  })
}

/** The number as the client wrote it, if it was kept as text. */
export function exactNumberOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 0) return undefined
  const first = value.charCodeAt(1)
  return first === minus || isDigit(first) ? value.slice(1) : undefined
}

/** The JSON of a Daml value that was kept as text. */
export function keptJsonOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 0) return undefined
  const first = value.charCodeAt(1)
  return first === openObject || first === openList ? value.slice(1) : undefined
}

export function keptJson(source: string): string {
  return mark + source
}

/** A Daml value in protobuf, as Base64: it crosses threads within the JSON of its request. */
export function keptProtobuf(bytes: Uint8Array): string {
  return `${mark}=${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}`
}

export function keptProtobufOf(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 0 || value.charCodeAt(1) !== equals) return undefined
  return Buffer.from(value.slice(2), 'base64')
}

/** The index of the kept value that this placeholder in the result of a scan stands for. */
export function placeOf(value: unknown): number | undefined {
  const isPlace = typeof value === 'string' && value.charCodeAt(0) === 0 && value.charCodeAt(1) === at
  return isPlace ? Number(value.slice(2)) : undefined
}

/** A whole number, written with or without zeros after a point. */
export function integerOf(source: string): bigint | undefined {
  const match = /^(-?\d{1,64})(?:\.0*)?$/.exec(source)
  return match === null ? undefined : BigInt(match[1]!)
}

/** A number without its exponent, unless that makes it longer than any Numeric. */
export function decimalOf(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/.exec(source)
  if (match === null) return source
  const [, sign, whole = '', decimals = '', exponent] = match
  const digits = whole + decimals
  const point = whole.length + Number(exponent)
  if (digits.length > decimalsMax || Math.abs(point) > decimalsMax) return source
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  const padded = digits.padEnd(point, '0')
  const before = padded.slice(0, point).replace(/^0+(?=\d)/, '')
  return padded.length === point ? `${sign}${before}` : `${sign}${before}.${padded.slice(point)}`
}

const decimalsMax = 80

/** Characters after which a text with escaped quotation marks is left for the next slice. */
const stringCharactersMax = 64 * 1024

const quote = 0x22
const minus = 0x2d
const equals = 0x3d
const at = 0x40
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const comma = 0x2c
const backslash = 0x5c

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** Sticky, so that it matches where the number begins. */
const numberText = /-?(\d*)(?:\.(\d*))?(?:[eE][+-]?(\d*))?/y

type Kept = {
  /** Names whose values are kept as text, at any depth, when they are objects or lists. */
  readonly names: readonly string[]
}

/** Scans JSON, some of it at a time. Invalid JSON stays as it is, for JSON.parse to report. */
export class JsonScan {
  readonly #text: string
  readonly #keptNames: readonly string[]
  readonly #pieces: string[] = []
  #position = 0
  #copied = 0
  /** Inside a text with more quotation marks than one step examines: where it began. */
  #textFrom: number | undefined
  /** Inside a kept value: how deep, and where it began. */
  #keptDepth = 0
  #keptFrom = 0
  /** Kept values, by their number. */
  readonly kept: string[] = []
  /** Number of lists, objects and their items, not counting kept values. */
  values = 0

  constructor(text: string, kept?: Kept) {
    this.#text = text
    this.#keptNames = kept?.names.map((name) => `"${name}"`) ?? []
  }

  /** Advances by about this many characters; false at the end. */
  run(characters: number): boolean {
    const text = this.#text
    const end = Math.min(text.length, this.#position + characters)
    let position = this.#position
    while (position < end) {
      const code = text.charCodeAt(position)
      if (this.#textFrom !== undefined) position = this.#string(this.#textFrom, position)
      else if (code === quote) position = this.#string(position, position + 1)
      else if (code === minus || isDigit(code)) position = this.#number(position)
      else {
        position += 1
        if (code === openObject || code === openList) this.#open()
        else if (code === closeObject || code === closeList) this.#close(position)
        else if (code === comma && this.#keptDepth === 0) this.values += 1
      }
    }
    this.#position = position
    return position < text.length
  }

  /** The text to parse: as it was, or with placeholders. */
  result(): string {
    if (this.#pieces.length === 0) return this.#text
    this.#pieces.push(this.#text.slice(this.#copied))
    return this.#pieces.join('')
  }

  /** Looks for the end of a string; returns the position after it, or how far it came. */
  #string(start: number, from: number): number {
    const text = this.#text
    const stop = from + stringCharactersMax
    let end = text.indexOf('"', from)
    while (end !== -1 && isEscaped(text, end)) {
      if (end >= stop) {
        this.#textFrom = start
        return end + 1
      }
      end = text.indexOf('"', end + 1)
    }
    this.#textFrom = undefined
    if (end === -1) return text.length
    if (this.#keptDepth > 0) return end + 1
    for (const name of this.#keptNames) {
      if (end + 1 - start !== name.length || !text.startsWith(name, start)) continue
      let value = skipSpace(text, end + 1)
      if (text[value] !== ':') continue
      value = skipSpace(text, value + 1)
      const code = text.charCodeAt(value)
      if (code !== openObject && code !== openList) continue
      this.#keptDepth = 1
      this.#keptFrom = value
      return value + 1
    }
    return end + 1
  }

  #number(start: number): number {
    numberText.lastIndex = start
    const [source, whole = '', decimals = '', exponent = ''] = numberText.exec(this.#text)!
    const end = start + source.length
    const isExact = whole.length + decimals.length <= digitsKept && exponent.length < 3
    if (isExact || this.#keptDepth > 0 || !jsonNumber.test(source)) return end
    this.#replace(start, end, source)
    return end
  }

  #open(): void {
    if (this.#keptDepth > 0) this.#keptDepth += 1
    else this.values += 1
  }

  #close(after: number): void {
    if (this.#keptDepth === 0) return
    this.#keptDepth -= 1
    if (this.#keptDepth > 0) return
    this.kept.push(this.#text.slice(this.#keptFrom, after))
    this.#replace(this.#keptFrom, after, `@${this.kept.length - 1}`)
  }

  #replace(start: number, end: number, by: string): void {
    this.#pieces.push(this.#text.slice(this.#copied, start), `"\\u0000${by}"`)
    this.#copied = end
  }
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Whether an odd number of backslashes precedes it. Each run is counted once, so the total cost is linear. */
function isEscaped(text: string, position: number): boolean {
  let start = position
  while (text.charCodeAt(start - 1) === backslash) start -= 1
  return (position - start) % 2 === 1
}

function skipSpace(text: string, from: number): number {
  let position = from
  while (text.charCodeAt(position) <= 0x20) position += 1
  return position
}
