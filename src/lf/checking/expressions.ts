// Computes the types of expressions. Mirrors Typing.scala, including the order of its checks, so that the first error is
// the same. The archive's limits on nesting bound the recursion; callers check untrusted packages on a large stack.
import type { Expression, Identifier, Type as SyntaxType, TypeApplication } from '../syntax/ast.ts'
import type { BuiltinName } from '../syntax/builtins.ts'
import { createDataExpressions } from './data-expressions.ts'
import type { DataTypes } from './data-types.ts'
import { createVariables, type ExpressionChecker } from './expression-checker.ts'
import { createFunctionExpressions } from './function-expressions.ts'
import { createInterfaceExpressions } from './interface-expressions.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import { spend } from './limits.ts'
import type { Patterns } from './patterns.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import type { Types } from './types.ts'
import { createUpdateExpressions } from './update-expressions.ts'
import { contextOf, type Place, ValidationError } from './validation-error.ts'

type Parts = {
  readonly types: Types
  readonly place: Place
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly dataTypes: DataTypes
  readonly patterns: Patterns
  /** The types of values, as far as the module has named them. */
  readonly valueTypes: Map<Identifier, Type>
  readonly builtinType: (name: BuiltinName) => Type
}

export function createExpressionChecker(parts: Parts): ExpressionChecker {
  const { types, place, signatures, kinding, valueTypes, builtinType } = parts
  const { star } = types.kinds
  const { fail, checkType } = kinding
  const variables = createVariables()
  const checker: ExpressionChecker = { typeOf, check, properType, failMismatch, variables }
  const functions = createFunctionExpressions({ ...parts, checker })
  const data = createDataExpressions({ ...parts, checker })
  const typeOfInterfaceExpression = createInterfaceExpressions({ ...parts, checker })
  const typeOfUpdate = createUpdateExpressions({ ...parts, checker })

  function typeOf(scope: TypeScope, expression: Expression): Type {
    spend(types.budget)
    if (expression.location === undefined) return typeOfForm(scope, expression)
    const outer = place.location
    place.location = expression.location
    const type = typeOfForm(scope, expression)
    place.location = outer
    return type
  }

  function check(scope: TypeScope, expression: Expression, expected: Type): Type {
    const found = typeOf(scope, expression)
    if (found === expected || kinding.isEqual(scope, found, expected)) return found
    if (expression.kind === 'record-projection' && expression.location === undefined) {
      return failOnField(expression.field, expression.type, found, expected)
    }
    return failMismatch(found, expected)
  }

  function failMismatch(found: Type, expected: Type): never {
    const problem = `type mismatch:\n * expected type: ${prettyType(expected)}\n * found type: ${prettyType(found)}`
    throw new ValidationError('ETypeMismatch', contextOf(place), problem, { found, expected })
  }

  function failOnField(field: string, record: TypeApplication, found: Type, expected: Type): never {
    const on = prettyType(typeOfApplication(record))
    const used = `Tried to use field ${field} with type ${prettyType(found)} on value of type ${on}`
    return fail('EFieldTypeMismatch', `${used}, but that field has type ${prettyType(expected)}`)
  }

  const typeOfApplication = ({ id, args }: TypeApplication): Type => {
    return types.applyAll(types.named(id), args.map(types.from))
  }

  function typeOfForm(scope: TypeScope, expression: Expression): Type {
    switch (expression.kind) {
      case 'variable':
        return variables.get(expression.name) ?? fail('EUnknownExprVar', `unknown expr variable: ${expression.name}`)
      case 'value':
        return valueTypes.get(expression.id) ?? typeOfValue(expression.id)
      case 'builtin':
        return builtinType(expression.name)
      case 'builtin-constructor':
        return expression.name === 'unit' ? types.unit : types.bool
      case 'literal':
        return typeOfLiteral(types, expression.literal)
      case 'application':
        return functions.application(scope, expression.function, expression.args)
      case 'type-application':
        return functions.typeApplication(scope, expression)
      case 'abstraction':
        return functions.abstraction(scope, expression.parameters, expression.body)
      case 'type-abstraction':
        return functions.typeAbstraction(scope, expression.parameters, expression.body)
      case 'case':
        return functions.caseOf(scope, expression.scrutinee, expression.alternatives)
      case 'let':
        return functions.letIn(scope, expression.bindings, expression.body)
      case 'record':
        return data.record(scope, expression.type, expression.fields)
      case 'record-projection':
        return data.projection(scope, expression)
      case 'record-update':
        return data.recordUpdate(scope, expression)
      case 'variant':
        return data.variant(scope, expression)
      case 'enum':
        return data.enumeration(expression)
      case 'struct':
        return data.struct(scope, expression.fields)
      case 'struct-projection':
        return data.structProjection(scope, expression)
      case 'struct-update':
        return data.structUpdate(scope, expression)
      case 'nil':
        return types.listOf(properType(scope, expression.type))
      case 'none':
        return types.optionalOf(properType(scope, expression.type))
      case 'some': {
        const type = properType(scope, expression.type)
        check(scope, expression.value, type)
        return types.optionalOf(type)
      }
      case 'cons': {
        const type = properType(scope, expression.type)
        if (expression.front.length === 0) fail('EEmptyConsFront', 'empty Cons front')
        for (const element of expression.front) check(scope, element, type)
        check(scope, expression.tail, types.listOf(type))
        return types.listOf(type)
      }
      case 'update':
        return typeOfUpdate(scope, expression.update)
      case 'to-any':
        check(scope, expression.value, anyType(scope, expression.type))
        return types.any
      case 'from-any': {
        const type = anyType(scope, expression.type)
        check(scope, expression.value, types.any)
        return types.optionalOf(type)
      }
      case 'type-rep':
        anyType(scope, expression.type)
        return types.typeRep
      case 'throw': {
        const type = properType(scope, expression.returnType)
        check(scope, expression.exception, exceptionType(expression.exceptionType))
        return type
      }
      case 'to-any-exception':
        check(scope, expression.value, exceptionType(expression.type))
        return types.anyException
      case 'from-any-exception': {
        const type = exceptionType(expression.type)
        check(scope, expression.value, types.anyException)
        return types.optionalOf(type)
      }
      default:
        return typeOfInterfaceExpression(scope, expression)
    }
  }

  function typeOfValue(id: Identifier): Type {
    const type = types.from(signatures.value(id).type)
    valueTypes.set(id, type)
    return type
  }

  function properType(scope: TypeScope, syntax: SyntaxType): Type {
    const type = types.from(syntax)
    checkType(scope, type, star)
    return type
  }

  /** `Any` holds values of data types without parameters; whatever else it might hold came with no final version. */
  function anyType(scope: TypeScope, syntax: SyntaxType): Type {
    const type = types.from(syntax)
    if (type.tag !== 'constructor') fail('EExpectedAnyType', `expected a any type but found: ${prettyType(type)}`)
    checkType(scope, type, star)
    return type
  }

  function exceptionType(syntax: SyntaxType): Type {
    const type = types.from(syntax)
    if (type.tag !== 'constructor') {
      fail('EExpectedExceptionType', `expected an exception type, but found: ${prettyType(type)}`)
    }
    signatures.exception(type.identifier!)
    return type
  }

  return checker
}

function typeOfLiteral(types: Types, literal: Extract<Expression, { kind: 'literal' }>['literal']): Type {
  switch (literal.kind) {
    case 'int64':
      return types.int64
    case 'numeric':
      return types.numericOf(types.nat(literal.scale))
    case 'text':
      return types.text
    case 'timestamp':
      return types.timestamp
    case 'date':
      return types.date
    case 'failure-category':
      return types.failureCategory
  }
}
