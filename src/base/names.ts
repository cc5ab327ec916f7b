// The grammars of names that clients send: parties, ledger strings, users, synchronizers. Rules and texts are Canton's
// (daml-lf/data IdString.scala, topology Identifier.scala), because clients see the texts in errors.

type Grammar = { readonly word: string; readonly pattern: RegExp; readonly lengthMax: number }

const party: Grammar = { word: 'Daml-LF Party', pattern: /^[A-Za-z0-9:\-_ ]+$/, lengthMax: 255 }
const ledgerString: Grammar = { word: 'Daml-LF Ledger String', pattern: /^[A-Za-z0-9._:\-#/ ]+$/, lengthMax: 255 }

const packageId: Grammar = { word: 'Daml-LF Package ID', pattern: /^[A-Za-z0-9\-_ ]+$/, lengthMax: 64 }
const packageName: Grammar = { word: 'Daml-LF Package Name', pattern: /^[A-Za-z0-9\-_]+$/, lengthMax: 255 }

const dottedNameLengthMax = 1000
const nameLengthMax = 1000

/** Written as Canton writes it, because errors show it. */
export const userIdPattern = "[a-zA-Z0-9@^$.!`\\-#+'~_|:\\(\\)]{1,128}"
const userIdRegExp = new RegExp(`^${userIdPattern}$`)

export const partyHintLengthMax = 185
const fingerprintLengthMax = 68

/** Why `text` is not a valid name; undefined if it is. */
export type NameProblem = string | undefined

export const partyProblem = (text: string): NameProblem => problemOf(text, party)
export const ledgerStringProblem = (text: string): NameProblem => problemOf(text, ledgerString)

export const packageIdProblem = (text: string): NameProblem => problemOf(text, packageId)
export const packageNameProblem = (text: string): NameProblem => problemOf(text, packageName)

/** For `#package-name` or `package-id`. */
export function packageReferenceProblem(text: string): NameProblem {
  return text.startsWith('#') ? problemOf(text.slice(1), packageName) : packageIdProblem(text)
}

/** For the name of a module, or of a definition in one. */
export function dottedNameProblem(text: string): NameProblem {
  if (text === '') return 'Expected a non-empty string'
  if (text.length > dottedNameLengthMax) return `DottedName is too long (max: ${dottedNameLengthMax})`
  return text
    .split('.')
    .map(nameProblem)
    .find((problem) => problem !== undefined)
}

export function userIdProblem(text: string): NameProblem {
  if (userIdRegExp.test(text)) return undefined
  return `User ID "${shorten(text, shownMax)}" does not match regex "${userIdPattern}"`
}

/** Canton's synchronizers, participants and parties are all `identifier::fingerprint`. */
export function uniqueIdentifierProblem(text: string): NameProblem {
  if (text === '') return 'Empty string is not a valid unique identifier.'
  const delimiter = text.indexOf('::')
  if (delimiter < 0) {
    return `Invalid unique identifier \`${shorten(text, shownMax)}\` with missing namespace.`
  }
  if (delimiter === 0) return `Invalid unique identifier \`${shorten(text, shownMax)}\` with empty identifier.`
  return partsProblem(text, delimiter)
}

/** Of a participant that is written as a party is, without the letters that tell what it is. */
export function participantProblem(text: string): NameProblem {
  const problem =
    text.length < 3
      ? `Invalid member \`PAR::${text}\`, expecting <three-letter-code>::id::fingerprint.`
      : uniqueIdentifierProblem(text)
  return problem && `Unable to convert field \`participant_id\`: ${problem}`
}

function partsProblem(text: string, delimiter: number): NameProblem {
  const shown = shorten(text, 200)
  const name = text.slice(0, delimiter)
  const identifier = partyProblem(name) ?? tooLongForIdentifier(name)
  if (identifier !== undefined) return `Identifier decoding of \`${shown}\` failed with: ${identifier}`
  const fingerprint = fingerprintErrorOf(text.slice(delimiter + 2))
  return fingerprint && `Fingerprint decoding of \`${shown}\` failed with: ${fingerprint.shown}`
}

/** Why `hint::namespace` is not a valid party. */
export function partyHintProblem(hint: string): NameProblem {
  if (hint.includes('::')) return 'String contains reserved delimiter `::`.'
  return tooLongForIdentifier(hint)
}

export function tooLongForIdentifier(text: string): NameProblem {
  if (text.length <= partyHintLengthMax) return undefined
  const length = `maximum length of ${partyHintLengthMax} but a string of length ${text.length}`
  return `The given string has a ${length} ('${shorten(text, partyHintLengthMax + 50)}.') was given`
}

/** For the fingerprint of a key; like Canton, it does not require a hash. */
export const fingerprintProblem = (text: string): NameProblem => fingerprintErrorOf(text)?.message

/** Canton shows its message, or the whole error. */
type FingerprintError = { readonly message: string; readonly shown: string }

function fingerprintErrorOf(text: string): FingerprintError | undefined {
  const reserved = text.includes('::') ? 'String contains reserved delimiter `::`.' : undefined
  const malformed = partyProblem(text) ?? reserved
  if (malformed !== undefined) return { message: malformed, shown: `StringConversionError(${malformed},None)` }
  if (text.length <= fingerprintLengthMax) return undefined
  const length = `maximum length of ${fingerprintLengthMax} but a Fingerprint of length ${text.length}`
  const tooLong = `The given Fingerprint has a ${length} ('${shorten(text, 118)}.') was given`
  return {
    message: `Invariant violation in field \`Fingerprint\`: ${tooLong}`,
    shown: `InvariantViolation(Some(Fingerprint),${tooLong})`,
  }
}

/** Limits the length of client text that an error repeats. */
/** More than an answer shows of a text. */
const shownMax = 600

export function shorten(text: string, lengthMax = 256): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}...`
}

/** As Canton shortens hashes and package ids in its texts. */
export function shortHash(text: string): string {
  return text.length > 12 ? `${text.slice(0, 12)}...` : text
}

/** As Canton shortens parties, participants and synchronizers in its texts. */
export function shortIdentifier(id: string): string {
  const delimiter = id.indexOf('::')
  return delimiter < 0 ? id : `${id.slice(0, delimiter + 2)}${shortHash(id.slice(delimiter + 2))}`
}

/** As Canton shortens the keys and paths it repeats. */
export function abbreviate(text: string): string {
  return text.length > 53 ? `${text.slice(0, 50)}...` : text
}

/** Whether every database can store the text: PostgreSQL refuses NUL, and a lone surrogate has no encoding. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

export function nameProblem(text: string): NameProblem {
  if (text === '') return 'Daml-LF Name is empty'
  if (text.length > nameLengthMax) return `Name is too long (max: ${nameLengthMax})`
  for (const [index, character] of text.split('').entries()) {
    if ((index === 0 ? /[A-Za-z$_]/ : /[A-Za-z0-9$_]/).test(character)) continue
    const place = index === 0 ? 'first' : 'non first'
    return `non expected ${place} character 0x${character.charCodeAt(0).toString(16)} in Daml-LF Name "${text}"`
  }
  return undefined
}

function problemOf(text: string, { word, pattern, lengthMax }: Grammar): NameProblem {
  if (text === '') return `${word} is empty`
  if (text.length > lengthMax) return `${word} is too long (max: ${lengthMax})`
  if (pattern.test(text)) return undefined
  // UTF-16 code units, as in Canton.
  for (const character of text.split('')) {
    if (!pattern.test(character)) {
      const code = character.charCodeAt(0).toString(16)
      return `non expected character 0x${code} in ${word} "${text}"`
    }
  }
  return undefined
}
