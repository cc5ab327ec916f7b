// JSON to the scalars of Daml: booleans, numbers, dates, parties, texts and contract ids.
import { decimalOf, integerOf } from '../../base/exact-json.ts'
import { partyProblem, shorten } from '../../base/names.ts'
import { dateRange, timestampRange } from '../archive/literals.ts'
import { contractIdFromText, contractIdHint, foreignIdProblem } from '../values/contract-ids.ts'
import { int64, int64Max, int64Min } from '../values/values.ts'
import { numberTextOf } from './json-forms.ts'
import { dateHint, intHint, numericHint, timeHint } from './json-hints.ts'
import { type Decode, invalid, refused, stringOf, type Target, wrongJson } from './json-target.ts'
import { numericFromDecimal, rescaled } from './numeric-text.ts'
import { dateFromText, timestampFromText } from './time-text.ts'
import type { Trail } from './trail.ts'
import { textProblem } from './value-error.ts'

const intPattern = /^([+-]?)0*(\d{1,19})$/
const isAscii = /^[\0-\x7f]*$/
const otherDigits = /(?![0-9])[\p{Nd}&&[\0-\uffff]]/gv

export function boolDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    return typeof json === 'boolean' ? json : wrongJson(json, trail, depth, target, 'a boolean')
  }
}

export function int64Decoder(target: Target): Decode {
  return (json, trail, depth) => {
    const number = target.isLenient ? numberTextOf(json) : undefined
    const text = number ?? stringOf(json, trail, depth, target)
    const value = number === undefined ? integerFromText(text) : integerOf(number)
    if (value === undefined || value < int64Min || value > int64Max) {
      return invalid(trail, depth, target, `For input string: "${shorten(text)}"`, intHint(text))
    }
    return int64(value)
  }
}

/** As in Canton, digits of any script count, and only those of the first plane. */
function integerFromText(text: string): bigint | undefined {
  const match = intPattern.exec(isAscii.test(text) ? text : text.replace(otherDigits, asciiDigit))
  return match === null ? undefined : BigInt(`${match[1] === '-' ? '-' : ''}${match[2]}`)
}

/** The digits of a script follow each other, from zero on. */
function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0)
  let value = 0
  while (value < 9 && /\p{Nd}/v.test(String.fromCharCode(code - value - 1))) value += 1
  return String(value)
}

export function numericDecoder(scale: number, target: Target): Decode {
  return (json, trail, depth) => {
    const number = numberTextOf(json)
    const text = number === undefined ? decimalText(json, trail, depth, target) : decimalOfNumber(number, target)
    const numeric = numericFromDecimal(text)
    if (numeric === undefined) {
      return invalid(trail, depth, target, `Could not read Numeric string "${shorten(text)}"`, numericHint(json))
    }
    const result = rescaled(numeric, scale)
    return typeof result === 'string' ? refused(trail, depth, target, result, scaleHint(scale)) : result
  }
}

const scaleHint = (scale: number) =>
  `a Numeric ${scale} has up to ${38 - scale} digits before the point and ${scale} after it`

function decimalText(json: unknown, trail: Trail, depth: number, target: Target): string {
  if (typeof json === 'string') return json
  return invalid(
    trail,
    depth,
    target,
    `${shorten(JSON.stringify(json))} is not a valid numeric value`,
    numericHint(json),
  )
}

/** As in Canton, a number that Java would write with an exponent is not a Numeric. All digits of others count. */
function decimalOfNumber(number: string, { isLenient }: Target): string {
  if (isLenient) return decimalOf(number)
  const double = Number(number)
  const size = Math.abs(double)
  return double === 0 || (size >= 1e-3 && size < 1e7) ? decimalOf(number) : doubleToJava(double)
}

/** A double that Java writes with an exponent. */
function doubleToJava(double: number): string {
  if (!Number.isFinite(double)) return String(double)
  const [digits, exponent] = double.toExponential().split('e') as [string, string]
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`
}

export function dateDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target, dateHint)
    const days = dateFromText(text)
    if (days === undefined) return unparsable(text, trail, depth, target, dateHint)
    if (days < dateRange.min || days > dateRange.max) return invalid(trail, depth, target, `out of bound Date ${days}`)
    return days
  }
}

export function timestampDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target, timeHint)
    const micros = timestampFromText(text)
    if (micros === undefined) return unparsable(text, trail, depth, target, timeHint)
    if (micros < timestampRange.min || micros > timestampRange.max) {
      const reason = `cannot convert long ${micros} into Timestamp:out of bound Timestamp ${micros}`
      return invalid(trail, depth, target, reason)
    }
    return micros
  }
}

export function partyDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const problem = partyProblem(text)
    return problem === undefined ? text : invalid(trail, depth, target, problem)
  }
}

export function textDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const problem = textProblem(text)
    return problem === undefined ? text : refused(trail, depth, target, problem)
  }
}

export function contractIdDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const id = contractIdFromText(text)
    if (id === undefined) {
      return invalid(trail, depth, target, `cannot parse ContractId "${shorten(text)}"`, contractIdHint(text))
    }
    const problem = foreignIdProblem(id)
    return problem === undefined ? id : refused(trail, depth, target, `Illegal Contract ID "${text}", ${problem}`)
  }
}

function unparsable(text: string, trail: Trail, depth: number, target: Target, hint: string): never {
  return invalid(trail, depth, target, `Text '${shorten(text)}' could not be parsed`, hint)
}
