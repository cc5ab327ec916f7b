// The types of the builtin functions: one row each. Bound variables have the reference's names, which its texts show.
import type { BuiltinName } from '../syntax/builtins.ts'
import type { Kind } from './kinds.ts'
import type { Type } from './type.ts'
import type { Types } from './types.ts'

export function createBuiltinTypes(types: Types): (name: BuiltinName) => Type {
  const rows = rowsFor(types)
  const known = new Map<BuiltinName, Type>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const type = rows[name]()
    known.set(name, type)
    return type
  }
}

const names = ['$alpha$', '$beta$', '$gamma$'] as const

function rowsFor(types: Types): Record<BuiltinName, () => Type> {
  const { bool, int64, text, timestamp, date, anyException, failureCategory, numericOf, listOf, optionalOf } = types
  const { star, nat } = types.kinds
  const party = types.builtin('Party')
  const [a, b, c] = names.map(types.variable) as [Type, Type, Type]
  const genMap = types.applyAll(types.builtin('GenMap'), [a, b])
  const textMapOf = (value: Type): Type => types.apply(types.builtin('TextMap'), value)
  const contractIdOf = types.contractIdOf

  /** The last type is the result. */
  const to = (...parts: Type[]): Type => parts.reduceRight((result, parameter) => types.function(parameter, result))
  const forAll = (kinds: readonly Kind[], body: Type): Type => {
    return kinds.reduceRight((inner, kind, index) => types.forall(names[index]!, kind, inner), body)
  }
  const all = (...parts: Type[]): Type => forAll([star], to(...parts))
  const all2 = (...parts: Type[]): Type => forAll([star, star], to(...parts))
  const scaled = (...parts: Type[]): Type => forAll([nat], to(...parts))

  const binary = (type: Type) => () => to(type, type, type)
  const numericBinary = () => scaled(numericOf(a), numericOf(a), numericOf(a))
  const numericScaling = () => {
    return forAll([nat, nat, nat], to(numericOf(c), numericOf(a), numericOf(b), numericOf(c)))
  }
  const numericConversion = () => forAll([nat, nat], to(numericOf(b), numericOf(a), numericOf(b)))
  const comparison = () => all(a, a, bool)
  const textToText = () => to(text, text)
  const verification = () => to(text, text, text, bool)

  return {
    TRACE: () => all(text, a, a),
    ERROR: () => all(text, a),
    EQUAL: comparison,
    LESS_EQ: comparison,
    LESS: comparison,
    GREATER_EQ: comparison,
    GREATER: comparison,
    ADD_INT64: binary(int64),
    SUB_INT64: binary(int64),
    MUL_INT64: binary(int64),
    DIV_INT64: binary(int64),
    MOD_INT64: binary(int64),
    EXP_INT64: binary(int64),
    ADD_NUMERIC: numericBinary,
    SUB_NUMERIC: numericBinary,
    MUL_NUMERIC: numericScaling,
    DIV_NUMERIC: numericScaling,
    ROUND_NUMERIC: () => scaled(int64, numericOf(a), numericOf(a)),
    CAST_NUMERIC: numericConversion,
    SHIFT_NUMERIC: numericConversion,
    INT64_TO_NUMERIC: () => scaled(numericOf(a), int64, numericOf(a)),
    NUMERIC_TO_INT64: () => scaled(numericOf(a), int64),
    INT64_TO_TEXT: () => to(int64, text),
    NUMERIC_TO_TEXT: () => scaled(numericOf(a), text),
    TIMESTAMP_TO_TEXT: () => to(timestamp, text),
    DATE_TO_TEXT: () => to(date, text),
    PARTY_TO_TEXT: () => to(party, text),
    TEXT_TO_PARTY: () => to(text, optionalOf(party)),
    TEXT_TO_INT64: () => to(text, optionalOf(int64)),
    TEXT_TO_NUMERIC: () => scaled(numericOf(a), text, optionalOf(numericOf(a))),
    CONTRACT_ID_TO_TEXT: () => all(contractIdOf(a), optionalOf(text)),
    SHA256_TEXT: textToText,
    EXPLODE_TEXT: () => to(text, listOf(text)),
    APPEND_TEXT: binary(text),
    IMPLODE_TEXT: () => to(listOf(text), text),
    CODE_POINTS_TO_TEXT: () => to(listOf(int64), text),
    TEXT_TO_CODE_POINTS: () => to(text, listOf(int64)),
    DATE_TO_UNIX_DAYS: () => to(date, int64),
    UNIX_DAYS_TO_DATE: () => to(int64, date),
    TIMESTAMP_TO_UNIX_MICROSECONDS: () => to(timestamp, int64),
    UNIX_MICROSECONDS_TO_TIMESTAMP: () => to(int64, timestamp),
    COERCE_CONTRACT_ID: () => all2(contractIdOf(a), contractIdOf(b)),
    FOLDL: () => all2(to(b, a, b), b, listOf(a), b),
    FOLDR: () => all2(to(a, b, b), b, listOf(a), b),
    EQUAL_LIST: () => all(to(a, a, bool), listOf(a), listOf(a), bool),
    GENMAP_EMPTY: () => all2(genMap),
    GENMAP_INSERT: () => all2(a, b, genMap, genMap),
    GENMAP_LOOKUP: () => all2(a, genMap, optionalOf(b)),
    GENMAP_DELETE: () => all2(a, genMap, genMap),
    GENMAP_KEYS: () => all2(genMap, listOf(a)),
    GENMAP_VALUES: () => all2(genMap, listOf(b)),
    GENMAP_SIZE: () => all2(genMap, int64),
    ANY_EXCEPTION_MESSAGE: () => to(anyException, text),
    TEXTMAP_EMPTY: () => all(textMapOf(a)),
    TEXTMAP_INSERT: () => all(text, a, textMapOf(a), textMapOf(a)),
    TEXTMAP_LOOKUP: () => all(text, textMapOf(a), optionalOf(a)),
    TEXTMAP_DELETE: () => all(text, textMapOf(a), textMapOf(a)),
    TEXTMAP_TO_LIST: () => all(textMapOf(a), listOf(types.struct(['key', 'value'], [text, a]))),
    TEXTMAP_SIZE: () => all(textMapOf(a), int64),
    FAIL_WITH_STATUS: () => all(text, failureCategory, text, textMapOf(text), a),
    KECCAK256_TEXT: textToText,
    SECP256K1_BOOL: verification,
    HEX_TO_TEXT: textToText,
    TEXT_TO_HEX: textToText,
    SHA256_HEX: textToText,
    SECP256K1_WITH_ECDSA_BOOL: verification,
    SECP256K1_VALIDATE_KEY: () => to(text, bool),
  }
}
