// The one exception that the language itself throws. Its type belongs to a stable package, but arithmetic must fail
// the same way when nobody uploaded that package: hence a type of our own, the same in all but where it came from.
import type { Identifier, Type } from '../lf/ast.ts'
import type { BuiltinName } from '../lf/builtins.ts'
import { createRecordType } from '../lf/data-types.ts'
import { Any, type Int64, type LfRecord, type LfValue, Numeric, type RecordType } from '../lf/values.ts'
import { DamlException } from './failures.ts'
import { isSameIdentifier } from './identifier.ts'
import { numericToText } from './numeric-text.ts'

export const arithmeticErrorId: Identifier = {
  packageId: 'ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88',
  module: 'DA.Exception.ArithmeticError',
  name: 'ArithmeticError',
}

export const arithmeticErrorType: RecordType = createRecordType(arithmeticErrorId, ['message'])

const type: Type = { kind: 'constructor', id: arithmeticErrorId, args: [] }

export function isArithmeticError(id: Identifier): boolean {
  return isSameIdentifier(id, arithmeticErrorId)
}

export function arithmeticMessage(exception: LfValue): string {
  const record = exception as LfRecord
  return record.type.fieldsOf(record)[0] as string
}

export function arithmeticError(builtin: BuiltinName, ...args: (Int64 | Numeric)[]): DamlException {
  const texts = args.map((arg) => (arg instanceof Numeric ? numericToText(arg) : String(arg)))
  const message = `ArithmeticError while evaluating (${[builtin, ...texts].join(' ')}).`
  return new DamlException(new Any(type, new arithmeticErrorType.create(message)))
}
