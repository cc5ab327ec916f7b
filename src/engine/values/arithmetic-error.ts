// ArithmeticError, the one exception that the language itself throws.
import type { Identifier, Type } from '../../lf/syntax/ast.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import { isSameIdentifier } from '../../lf/syntax/names.ts'
import { arithmeticErrorType } from '../../lf/values/data-types.ts'
import { asRecordOf, asText } from '../../lf/values/kinds.ts'
import { Numeric } from '../../lf/values/numeric.ts'
import { Any, type Int64, type LfValue } from '../../lf/values/values.ts'
import { DamlException } from '../failures/failures.ts'
import { numericToText } from './numeric-text.ts'

const type: Type = { kind: 'constructor', id: arithmeticErrorType.id, args: [] }

export function isArithmeticError(id: Identifier): boolean {
  return isSameIdentifier(id, arithmeticErrorType.id)
}

export function arithmeticMessage(exception: LfValue): string {
  return asText(arithmeticErrorType.fieldsOf(asRecordOf(arithmeticErrorType, exception))[0])
}

export function arithmeticError(builtin: BuiltinName, ...args: (Int64 | Numeric)[]): DamlException {
  const texts = args.map((arg) => (arg instanceof Numeric ? numericToText(arg) : String(arg)))
  const message = `ArithmeticError while evaluating (${[builtin, ...texts].join(' ')}).`
  return new DamlException(new Any(type, new arithmeticErrorType.create(message)))
}
