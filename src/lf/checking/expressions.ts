// The types of expressions. Mirrors Typing.scala, the order of its checks included, so that the first error is the same.
// Recursion is bounded by the archive's limits on nesting; whoever checks strangers' packages does so on a large stack.
import type { Binding, Expression, Field, TypeApplication } from '../syntax/ast.ts'
import type { BuiltinName } from '../syntax/builtins.ts'
import type { DataTypes } from './data-types.ts'
import type { ExpressionChecker, InterfaceExpressions, UpdateExpressions } from './expression-checker.ts'
import { printFields } from './expression-text.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import { spend } from './limits.ts'
import type { Patterns } from './patterns.ts'
import type { Place } from './place.ts'
import { contextOf } from './place.ts'
import type { Signatures } from './signatures.ts'
import { substitute } from './substitution.ts'
import { textOf } from './text-writer.ts'
import { prettyType, printType, printTypes } from './type-text.ts'
import { fullName, type Type, type Types } from './types.ts'
import { ValidationError } from './validation-error.ts'

type Parts = {
  readonly types: Types
  readonly place: Place
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly dataTypes: DataTypes
  readonly patterns: Patterns
  readonly builtinType: (name: BuiltinName) => Type
  readonly interfaceExpressions: (checker: ExpressionChecker) => InterfaceExpressions
  readonly updateExpressions: (checker: ExpressionChecker) => UpdateExpressions
}

export function createExpressionChecker(parts: Parts): ExpressionChecker {
  const { types, place, signatures, kinding, dataTypes, patterns, builtinType } = parts
  const { star } = types.kinds
  const { fail, checkType } = kinding
  /** The variables in scope. Whoever binds one restores what it hid; after an error nothing is used again. */
  const variables = new Map<string, Type>()
  const checker: ExpressionChecker = { typeOf, check, binding }
  const typeOfInterfaceExpression = parts.interfaceExpressions(checker)
  const typeOfUpdate = parts.updateExpressions(checker)

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

  function binding<T>(name: string, type: Type, body: () => T): T {
    const hidden = variables.get(name)
    variables.set(name, type)
    const result = body()
    if (hidden === undefined) variables.delete(name)
    else variables.set(name, hidden)
    return result
  }

  function typeOfForm(scope: TypeScope, expression: Expression): Type {
    switch (expression.kind) {
      case 'variable':
        return variables.get(expression.name) ?? fail('EUnknownExprVar', `unknown expr variable: ${expression.name}`)
      case 'value':
        return types.from(signatures.value(expression.id).type)
      case 'builtin':
        return builtinType(expression.name)
      case 'builtin-constructor':
        return expression.name === 'unit' ? types.unit : types.bool
      case 'literal':
        return typeOfLiteral(types, expression.literal)
      case 'application': {
        let type = typeOf(scope, expression.function)
        for (const argument of expression.args) {
          const called = toFunction(scope, type)
          check(scope, argument, called.left!.right!)
          type = called.right!
        }
        return type
      }
      case 'type-application':
        return typeOfTypeApplication(scope, expression)
      case 'abstraction':
        return typeOfAbstraction(scope, expression, 0)
      case 'type-abstraction':
        return typeOfTypeAbstraction(scope, expression, 0)
      case 'case':
        return typeOfCase(scope, expression)
      case 'let':
        return typeOfLet(scope, expression.bindings, 0, expression.body)
      case 'record':
        return typeOfRecord(scope, expression.type, expression.fields)
      case 'record-projection':
        return typeOfProjection(scope, expression)
      case 'record-update':
        return typeOfRecordUpdate(scope, expression)
      case 'variant':
        return typeOfVariant(scope, expression)
      case 'enum':
        return typeOfEnum(expression)
      case 'struct':
        return typeOfStruct(scope, expression.fields)
      case 'struct-projection': {
        const type = typeOf(scope, expression.struct)
        const struct = toStruct(scope, type)
        return structField(struct, expression.field) ?? failUnknownField(expression.field, type)
      }
      case 'struct-update': {
        const type = typeOf(scope, expression.struct)
        const struct = toStruct(scope, type)
        const field = structField(struct, expression.field) ?? failUnknownField(expression.field, type)
        check(scope, expression.value, field)
        return struct
      }
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

  /** A type of kind `*`. */
  function properType(scope: TypeScope, syntax: Parameters<Types['from']>[0]): Type {
    const type = types.from(syntax)
    checkType(scope, type, star)
    return type
  }

  /** `Any` holds values of data types without parameters; whatever else it might hold came with no final version. */
  function anyType(scope: TypeScope, syntax: Parameters<Types['from']>[0]): Type {
    const type = types.from(syntax)
    if (type.tag !== 'constructor') fail('EExpectedAnyType', `expected a any type but found: ${prettyType(type)}`)
    checkType(scope, type, star)
    return type
  }

  function exceptionType(syntax: Parameters<Types['from']>[0]): Type {
    const type = types.from(syntax)
    if (type.tag !== 'constructor') {
      fail('EExpectedExceptionType', `expected an exception type, but found: ${prettyType(type)}`)
    }
    signatures.exception(type.identifier!)
    return type
  }

  // ── Functions

  /** The arrow, applied to its parameter and its result. */
  function toFunction(scope: TypeScope, type: Type): Type {
    if (isFunction(types, type)) return type
    const expanded = kinding.expand(scope, type)
    if (isFunction(types, expanded)) return expanded
    return fail('EExpectedFunctionType', `expected function type, but found: ${prettyType(type)}`)
  }

  function toForall(scope: TypeScope, type: Type): Type {
    if (type.tag === 'forall') return type
    const expanded = kinding.expand(scope, type)
    if (expanded.tag === 'forall') return expanded
    return fail('EExpectedUniversalType', `expected universal type, but found: ${prettyType(type)}`)
  }

  /** Directly nested type applications are one: the reference substitutes once for all of them. */
  function typeOfTypeApplication(
    scope: TypeScope,
    expression: Extract<Expression, { kind: 'type-application' }>,
  ): Type {
    let args = expression.types
    let head = expression.expression
    while (head.kind === 'type-application' && head.location === undefined) {
      args = [...head.types, ...args]
      head = head.expression
    }
    let type = typeOf(scope, head)
    if (args.length === 1) return typeOfInstance(toForall(scope, type), scope, types.from(args[0]!))
    const filled = new Map<string, Type>()
    for (const syntax of args) {
      const universal = toForall(scope, type)
      const argument = types.from(syntax)
      checkType(scope, argument, universal.kind!)
      filled.set(universal.name, argument)
      type = universal.left!
    }
    return substitute(types, filled, type)
  }

  /** Kept, because functions of the libraries are applied to the same few types again and again. */
  function typeOfInstance(universal: Type, scope: TypeScope, argument: Type): Type {
    checkType(scope, argument, universal.kind!)
    universal.instances ??= new Map()
    const known = universal.instances.get(argument)
    if (known !== undefined) return known
    const instance = substitute(types, new Map([[universal.name, argument]]), universal.left!)
    universal.instances.set(argument, instance)
    return instance
  }

  function typeOfAbstraction(
    scope: TypeScope,
    expression: Extract<Expression, { kind: 'abstraction' }>,
    index: number,
  ): Type {
    const parameter = expression.parameters[index]
    if (parameter === undefined) return typeOf(scope, expression.body)
    const type = properType(scope, parameter.type)
    return types.function(
      type,
      binding(parameter.name, type, () => typeOfAbstraction(scope, expression, index + 1)),
    )
  }

  function typeOfTypeAbstraction(
    scope: TypeScope,
    expression: Extract<Expression, { kind: 'type-abstraction' }>,
    index: number,
  ): Type {
    const parameter = expression.parameters[index]
    if (parameter === undefined) return typeOf(scope, expression.body)
    const kind = types.kinds.from(parameter.kind)
    kinding.checkKind(kind)
    const inner = kinding.extend(scope, parameter.name, kind)
    return types.forall(parameter.name, kind, typeOfTypeAbstraction(inner, expression, index + 1))
  }

  function typeOfLet(scope: TypeScope, bindings: readonly Binding[], index: number, body: Expression): Type {
    const next = bindings[index]
    if (next === undefined) return typeOf(scope, body)
    const type = check(scope, next.bound, properType(scope, next.type))
    return binding(next.name, type, () => typeOfLet(scope, bindings, index + 1, body))
  }

  /** All patterns are looked at before the first body. */
  function typeOfCase(scope: TypeScope, { scrutinee, alternatives }: Extract<Expression, { kind: 'case' }>): Type {
    const scrutineeType = typeOf(scope, scrutinee)
    const match = patterns.matching(scrutineeType)
    const bound = alternatives.map(({ pattern }) => match.bind(pattern))
    const found = alternatives.map(({ body }, index) => typeWith(scope, bound[index]!, 0, body))
    const [first, ...others] = found
    if (first === undefined) return fail('EEmptyCase', 'empty case')
    for (const other of others) {
      if (!kinding.isEqual(scope, first, other)) failMismatch(other, first)
    }
    match.checkExhaustive(alternatives)
    return first
  }

  function typeWith(
    scope: TypeScope,
    bound: readonly (readonly [name: string, type: Type])[],
    index: number,
    body: Expression,
  ): Type {
    const next = bound[index]
    if (next === undefined) return typeOf(scope, body)
    return binding(next[0], next[1], () => typeWith(scope, bound, index + 1, body))
  }

  // ── Data

  function typeOfRecord(scope: TypeScope, application: TypeApplication, given: readonly Field[]): Type {
    const instance = dataTypes.instance(scope, application)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'record') return failNotRecord(instance.type)
    const { fields } = constructors
    const hasSameFields = given.length === fields.length && given.every(({ name }, i) => name === fields[i]!.name)
    if (!hasSameFields) failFields(application, given)
    for (let index = 0; index < given.length; index++) {
      check(scope, given[index]!.value, dataTypes.field(instance, fields[index]!, index))
    }
    return instance.type
  }

  function failNotRecord(type: Type): never {
    return fail('EExpectedRecordType', `expected record type: * found: ${prettyType(type)}`)
  }

  function failFields({ id, args }: TypeApplication, given: readonly Field[]): never {
    const text = textOf((to) => {
      to.write(`field mismatch: * expected: TypeConApp(${fullName(id)},`)
      printTypes(to, args.map(types.from))
      to.write(') * record expression: ')
      printFields(to, { types, definition: place.definition }, given)
    })
    return fail('EFieldMismatch', text)
  }

  function failUnknownField(field: string, type: Type): never {
    const shown = textOf((to) => printType(to, type))
    return fail('EUnknownField', `Tried to access nonexistent field ${field} on value of type ${shown}`)
  }

  function typeOfProjection(scope: TypeScope, expression: Extract<Expression, { kind: 'record-projection' }>): Type {
    const instance = dataTypes.instance(scope, expression.type)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'record') return failNotRecord(instance.type)
    const index = constructors.fields.findIndex(({ name }) => name === expression.field)
    if (index < 0) failUnknownField(expression.field, instance.type)
    check(scope, expression.record, instance.type)
    return dataTypes.field(instance, constructors.fields[index]!, index)
  }

  function typeOfRecordUpdate(scope: TypeScope, expression: Extract<Expression, { kind: 'record-update' }>): Type {
    const instance = dataTypes.instance(scope, expression.type)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'record') return failNotRecord(instance.type)
    check(scope, expression.record, instance.type)
    const index = constructors.fields.findIndex(({ name }) => name === expression.field)
    if (index < 0) failUnknownField(expression.field, instance.type)
    check(scope, expression.value, dataTypes.field(instance, constructors.fields[index]!, index))
    return instance.type
  }

  function typeOfVariant(scope: TypeScope, expression: Extract<Expression, { kind: 'variant' }>): Type {
    const instance = dataTypes.instance(scope, expression.type)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'variant') return patterns.failNotVariant(expression.type.id)
    const index = constructors.fields.findIndex(({ name }) => name === expression.tag)
    if (index < 0) patterns.failUnknownConstructor(expression.tag)
    check(scope, expression.value, dataTypes.field(instance, constructors.fields[index]!, index))
    return instance.type
  }

  function typeOfEnum({ id, tag }: Extract<Expression, { kind: 'enum' }>): Type {
    const { constructors } = signatures.dataType(id)
    if (constructors.kind !== 'enum') return patterns.failNotEnum(id)
    if (!constructors.names.includes(tag)) patterns.failUnknownEnumConstructor(tag)
    return types.named(id)
  }

  function typeOfStruct(scope: TypeScope, fields: readonly Field[]): Type {
    const typed = fields.map(({ name, value }) => ({ name, type: typeOf(scope, value) }))
    typed.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    const twice = typed.find(({ name }, index) => name === typed[index + 1]?.name)
    if (twice !== undefined) fail('EDuplicateField', `duplicate field: ${twice.name}`)
    return types.struct(
      typed.map(({ name }) => name),
      typed.map(({ type }) => type),
    )
  }

  function toStruct(scope: TypeScope, type: Type): Type {
    if (type.tag === 'struct') return type
    const expanded = kinding.expand(scope, type)
    if (expanded.tag === 'struct') return expanded
    return fail('EExpectedStructType', `expected struct type, but found: ${prettyType(type)}`)
  }

  return checker
}

function isFunction(types: Types, { left }: Type): boolean {
  return left !== undefined && left.tag === 'application' && left.left === types.arrow
}

function structField(struct: Type, name: string): Type | undefined {
  return struct.parts[struct.fieldNames.indexOf(name)]
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
