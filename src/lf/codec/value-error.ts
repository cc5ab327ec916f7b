// Errors in values from outside and in values that must not go to the ledger: Canton's error code, the path, the expected
// type, and the limits of ledger values.
import { ProtobufError } from '../../protobuf/protobuf-error.ts'

export type ValueErrorCode =
  /** The input is not even the JSON (or the bytes) of such a value. */
  | 'INVALID_ARGUMENT'
  /** It is, but the engine would not accept it as an argument of a command. */
  | 'COMMAND_PREPROCESSING_FAILED'
  | 'CONTRACT_ID_IN_CONTRACT_KEY'
  | 'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED'
  | 'MALFORMED_TEXT'
  | 'VALUE_NESTING'

export type ValuePlace = {
  /** For example `createArguments.lines[3].amount`; empty for the value itself. */
  readonly path: string
  /** The type expected there, such as `Numeric 10`. */
  readonly expected: string
  /** A suggestion what to write instead, if there is one. */
  readonly hint?: string | undefined
}

export class ValueError extends Error {
  readonly code: ValueErrorCode
  /** Canton's text if it has one. */
  readonly reason: string
  readonly path: string
  readonly expected: string
  readonly hint: string | undefined

  constructor(code: ValueErrorCode, reason: string, { path, expected, hint }: ValuePlace) {
    super(`${reason} (${path === '' ? '' : `at ${path}, `}expected: ${expected})`)
    this.code = code
    this.reason = reason
    this.path = path
    this.expected = expected
    this.hint = hint
  }
}

/** Bytes that the wire reader refuses are the caller's mistake. */
export function orValueError<Result>(expected: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
    throw new ValueError('INVALID_ARGUMENT', `cannot parse ${error.message}`, { path: '', expected })
  }
}

/** The deepest nesting of a ledger value (Canton: Value.MAXIMUM_NESTING). Values inside a computation may be deeper. */
export const nestingMax = 100

/** Why a text cannot be on the ledger, which holds only valid UTF-8: in Canton's words (data/Text.scala). */
export function textProblem(text: string): string | undefined {
  const isWell = text.isWellFormed()
  if (isWell && !text.includes('\0')) return undefined
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0) return 'Text contains null character'
    if (isWell || unit < 0xd800 || unit > 0xdfff) continue
    if (unit >= 0xdc00) return 'Text contains unpaired low surrogate'
    const next = text.charCodeAt(index + 1)
    if (!(next >= 0xdc00 && next <= 0xdfff)) return 'Text contains unpaired high surrogate'
    index++
  }
  return undefined
}
