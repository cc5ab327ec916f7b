// The builtin functions and builtin types of Daml-LF 2.1 to 2.3: one row each. Numbers are those of the enums
// BuiltinFunction and BuiltinType of daml_lf2.proto; an arity counts the value arguments that evaluation waits for; `since`
// is the minor version that introduced a function.

type BuiltinRow = { readonly proto: number; readonly arity: number; readonly since?: number }

export const builtins = {
  TRACE: { proto: 0, arity: 2 },
  ERROR: { proto: 1, arity: 1 },
  EQUAL: { proto: 2, arity: 2 },
  LESS_EQ: { proto: 3, arity: 2 },
  LESS: { proto: 4, arity: 2 },
  GREATER_EQ: { proto: 5, arity: 2 },
  GREATER: { proto: 6, arity: 2 },
  ADD_INT64: { proto: 7, arity: 2 },
  SUB_INT64: { proto: 8, arity: 2 },
  MUL_INT64: { proto: 9, arity: 2 },
  DIV_INT64: { proto: 10, arity: 2 },
  MOD_INT64: { proto: 11, arity: 2 },
  EXP_INT64: { proto: 12, arity: 2 },
  ADD_NUMERIC: { proto: 13, arity: 2 },
  SUB_NUMERIC: { proto: 14, arity: 2 },
  MUL_NUMERIC: { proto: 15, arity: 3 },
  DIV_NUMERIC: { proto: 16, arity: 3 },
  ROUND_NUMERIC: { proto: 17, arity: 2 },
  CAST_NUMERIC: { proto: 18, arity: 2 },
  SHIFT_NUMERIC: { proto: 19, arity: 2 },
  INT64_TO_NUMERIC: { proto: 20, arity: 2 },
  NUMERIC_TO_INT64: { proto: 21, arity: 1 },
  INT64_TO_TEXT: { proto: 22, arity: 1 },
  NUMERIC_TO_TEXT: { proto: 23, arity: 1 },
  TIMESTAMP_TO_TEXT: { proto: 25, arity: 1 },
  DATE_TO_TEXT: { proto: 26, arity: 1 },
  PARTY_TO_TEXT: { proto: 27, arity: 1 },
  TEXT_TO_PARTY: { proto: 28, arity: 1 },
  TEXT_TO_INT64: { proto: 29, arity: 1 },
  TEXT_TO_NUMERIC: { proto: 30, arity: 2 },
  CONTRACT_ID_TO_TEXT: { proto: 31, arity: 1 },
  SHA256_TEXT: { proto: 32, arity: 1 },
  EXPLODE_TEXT: { proto: 33, arity: 1 },
  APPEND_TEXT: { proto: 34, arity: 2 },
  IMPLODE_TEXT: { proto: 35, arity: 1 },
  CODE_POINTS_TO_TEXT: { proto: 36, arity: 1 },
  TEXT_TO_CODE_POINTS: { proto: 37, arity: 1 },
  DATE_TO_UNIX_DAYS: { proto: 38, arity: 1 },
  UNIX_DAYS_TO_DATE: { proto: 39, arity: 1 },
  TIMESTAMP_TO_UNIX_MICROSECONDS: { proto: 40, arity: 1 },
  UNIX_MICROSECONDS_TO_TIMESTAMP: { proto: 41, arity: 1 },
  COERCE_CONTRACT_ID: { proto: 42, arity: 1 },
  FOLDL: { proto: 43, arity: 3 },
  FOLDR: { proto: 44, arity: 3 },
  EQUAL_LIST: { proto: 45, arity: 3 },
  GENMAP_EMPTY: { proto: 52, arity: 0 },
  GENMAP_INSERT: { proto: 53, arity: 3 },
  GENMAP_LOOKUP: { proto: 54, arity: 2 },
  GENMAP_DELETE: { proto: 55, arity: 2 },
  GENMAP_KEYS: { proto: 56, arity: 1 },
  GENMAP_VALUES: { proto: 57, arity: 1 },
  GENMAP_SIZE: { proto: 58, arity: 1 },
  ANY_EXCEPTION_MESSAGE: { proto: 59, arity: 1 },
  TEXTMAP_EMPTY: { proto: 60, arity: 0 },
  TEXTMAP_INSERT: { proto: 61, arity: 3 },
  TEXTMAP_LOOKUP: { proto: 62, arity: 2 },
  TEXTMAP_DELETE: { proto: 63, arity: 2 },
  TEXTMAP_TO_LIST: { proto: 64, arity: 1 },
  TEXTMAP_SIZE: { proto: 65, arity: 1 },
  FAIL_WITH_STATUS: { proto: 66, arity: 4 },
  KECCAK256_TEXT: { proto: 67, arity: 1 },
  SECP256K1_BOOL: { proto: 68, arity: 3 },
  HEX_TO_TEXT: { proto: 69, arity: 1 },
  TEXT_TO_HEX: { proto: 70, arity: 1 },
  SHA256_HEX: { proto: 71, arity: 1 },
  SECP256K1_WITH_ECDSA_BOOL: { proto: 72, arity: 3 },
  SECP256K1_VALIDATE_KEY: { proto: 73, arity: 1, since: 3 },
} as const satisfies Record<string, BuiltinRow>

export type BuiltinName = keyof typeof builtins

/** The number is the type's place in the enum; `arity` counts the type arguments it takes. */
export const builtinTypes = {
  Unit: { proto: 0, arity: 0 },
  Bool: { proto: 1, arity: 0 },
  Int64: { proto: 2, arity: 0 },
  Date: { proto: 3, arity: 0 },
  Timestamp: { proto: 4, arity: 0 },
  Numeric: { proto: 5, arity: 1 },
  Party: { proto: 6, arity: 0 },
  Text: { proto: 7, arity: 0 },
  ContractId: { proto: 8, arity: 1 },
  Optional: { proto: 9, arity: 1 },
  List: { proto: 10, arity: 1 },
  GenMap: { proto: 11, arity: 2 },
  Any: { proto: 13, arity: 0 },
  AnyException: { proto: 14, arity: 0 },
  TypeRep: { proto: 15, arity: 0 },
  Arrow: { proto: 16, arity: 2 },
  Update: { proto: 17, arity: 1 },
  FailureCategory: { proto: 18, arity: 0 },
  TextMap: { proto: 19, arity: 1 },
} as const satisfies Record<string, { proto: number; arity: number }>

export type BuiltinTypeName = keyof typeof builtinTypes

const builtinsByProto = byProto<BuiltinName>(builtins)
const builtinTypesByProto = byProto<BuiltinTypeName>(builtinTypes)

export const builtinFromProto = (proto: number): BuiltinName | undefined => builtinsByProto[proto]
export const builtinTypeFromProto = (proto: number): BuiltinTypeName | undefined => builtinTypesByProto[proto]

/** The first minor version of LF 2 that has the builtin. */
export function builtinSince(name: BuiltinName): number {
  const row: BuiltinRow = builtins[name]
  return row.since ?? 1
}

function byProto<Name extends string>(rows: Record<Name, { proto: number }>): (Name | undefined)[] {
  const names: (Name | undefined)[] = []
  for (const name of Object.keys(rows) as Name[]) names[rows[name].proto] = name
  return names
}
