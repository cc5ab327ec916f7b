// Text is a sequence of Unicode code points, not of JavaScript's UTF-16 units.
import { Cons, type Int64, type List, listFromArray } from '../../lf/values.ts'
import { Failure } from '../failures.ts'
import { steps, textLengthMax, tooMuch } from '../steps.ts'
import type { Rows } from './rows.ts'

export const textBuiltins = {
  APPEND_TEXT(a: string, b: string): string {
    return limited(a + b)
  },

  IMPLODE_TEXT(texts: List): string {
    let text = ''
    for (let rest = texts; rest instanceof Cons; rest = rest.tail) {
      steps.charge(1)
      text = limited(text + (rest.head as string))
    }
    return text
  },

  EXPLODE_TEXT(text: string): List {
    steps.charge(text.length)
    return listFromArray(Array.from(text))
  },

  TEXT_TO_CODE_POINTS(text: string): List {
    steps.charge(text.length)
    return listFromArray(Array.from(text, (character) => character.codePointAt(0)))
  },

  CODE_POINTS_TO_TEXT(codePoints: List): string {
    let text = ''
    for (let rest = codePoints; rest instanceof Cons; rest = rest.tail) {
      steps.charge(1)
      text = limited(text + character(rest.head as Int64))
    }
    return text
  },
} satisfies Partial<Rows>

/** Texts are put together without being copied: only their length is a matter. */
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
