// Text is a sequence of Unicode code points, not of JavaScript's UTF-16 units.
import { asInt64, asList, asText } from '../../lf/values/kinds.ts'
import { Cons, type Int64, type LfValue, type List, nil } from '../../lf/values/values.ts'
import { Failure } from '../failures/failures.ts'
import { steps, textLengthMax, tooMuch } from '../failures/steps.ts'
import type { Rows } from './rows.ts'

export const textBuiltins = {
  APPEND_TEXT(a: string, b: string): string {
    return limited(asText(a) + asText(b))
  },

  IMPLODE_TEXT(texts: List): string {
    let text = ''
    for (let rest = asList(texts); rest instanceof Cons; rest = asList(rest.tail)) {
      steps.charge(1)
      text = limited(text + asText(rest.head))
    }
    return text
  },

  EXPLODE_TEXT(text: string): List {
    steps.charge(asText(text).length)
    return characters(text, (codePoint) => String.fromCodePoint(codePoint))
  },

  TEXT_TO_CODE_POINTS(text: string): List {
    steps.charge(asText(text).length)
    return characters(text, (codePoint) => codePoint)
  },

  CODE_POINTS_TO_TEXT(codePoints: List): string {
    let text = ''
    for (let rest = asList(codePoints); rest instanceof Cons; rest = asList(rest.tail)) {
      steps.charge(1)
      text = limited(text + character(asInt64(rest.head)))
    }
    return text
  },
} satisfies Partial<Rows>

/** Built from the end, so that the list needs no second copy. */
function characters(text: string, toValue: (codePoint: number) => LfValue): List {
  let list: List = nil
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const isPair = isLow(text.charCodeAt(index)) && index > 0 && isHigh(text.charCodeAt(index - 1))
    if (isPair) index -= 1
    list = new Cons(toValue(text.codePointAt(index)!), list)
  }
  return list
}

const isHigh = (unitOfText: number): boolean => unitOfText >= 0xd800 && unitOfText <= 0xdbff
const isLow = (unitOfText: number): boolean => unitOfText >= 0xdc00 && unitOfText <= 0xdfff

/** Concatenation copies no text, so only the length matters. */
function limited(text: string): string {
  if (text.length > textLengthMax) throw tooMuch('makes larger values')
  return text
}

function character(codePoint: Int64): string {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff
  if (codePoint < 0 || codePoint > 0x10ffff || isSurrogate) {
    const hex = BigInt.asUintN(64, BigInt(codePoint)).toString(16)
    throw new Failure('INTERPRETER_ERROR', `invalid code point 0x${hex}.`)
  }
  return String.fromCodePoint(Number(codePoint))
}
