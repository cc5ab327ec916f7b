// Computes the types of expressions on records, variants, enums and structs.
import type { Expression, Field, TypeApplication } from '../syntax/ast.ts'
import { fullName } from '../syntax/names.ts'
import type { DataTypes } from './data-types.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import { separated, textOf } from './limits.ts'
import type { Patterns } from './patterns.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import { prettyType, printType, printTypes } from './type-text.ts'
import type { Types } from './types.ts'

type Parts = {
  readonly types: Types
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly dataTypes: DataTypes
  readonly patterns: Patterns
  readonly checker: ExpressionChecker
}

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>

export function createDataExpressions(parts: Parts) {
  const { types, signatures, kinding, dataTypes, patterns, checker } = parts
  const { typeOf, check } = checker
  const { fail } = kinding

  function record(scope: TypeScope, application: TypeApplication, assigned: readonly Field[]): Type {
    const instance = dataTypes.instance(scope, application)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'record') return failNotRecord(instance.type)
    const { fields } = constructors
    const hasSameFields = assigned.length === fields.length && assigned.every(({ name }, i) => name === fields[i]!.name)
    if (!hasSameFields) failFields(application, assigned)
    for (let index = 0; index < assigned.length; index++) {
      check(scope, assigned[index]!.value, dataTypes.field(instance, fields[index]!, index))
    }
    return instance.type
  }

  function failNotRecord(type: Type): never {
    return fail('EExpectedRecordType', `expected record type: * found: ${prettyType(type)}`)
  }

  /** The reference prints the whole expressions of the fields. Compilers make no such packages, so names will do. */
  function failFields({ id, args }: TypeApplication, fields: readonly Field[]): never {
    const text = textOf((to) => {
      to.write(`field mismatch: * expected: TypeConApp(${fullName(id)},`)
      printTypes(to, args.map(types.from))
      to.write(') * record expression: ImmArray(')
      separated(to, fields, ',', ({ name }) => to.write(`(${name},…)`))
      to.write(')')
    })
    return fail('EFieldMismatch', text)
  }

  function failUnknownField(field: string, type: Type): never {
    const shown = textOf((to) => printType(to, type))
    return fail('EUnknownField', `Tried to access nonexistent field ${field} on value of type ${shown}`)
  }

  function projection(scope: TypeScope, expression: Of<'record-projection'>): Type {
    const instance = dataTypes.instance(scope, expression.type)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'record') return failNotRecord(instance.type)
    const index = constructors.fields.findIndex(({ name }) => name === expression.field)
    if (index < 0) failUnknownField(expression.field, instance.type)
    check(scope, expression.record, instance.type)
    return dataTypes.field(instance, constructors.fields[index]!, index)
  }

  function recordUpdate(scope: TypeScope, expression: Of<'record-update'>): Type {
    const instance = dataTypes.instance(scope, expression.type)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'record') return failNotRecord(instance.type)
    check(scope, expression.record, instance.type)
    const index = constructors.fields.findIndex(({ name }) => name === expression.field)
    if (index < 0) failUnknownField(expression.field, instance.type)
    check(scope, expression.value, dataTypes.field(instance, constructors.fields[index]!, index))
    return instance.type
  }

  function variant(scope: TypeScope, expression: Of<'variant'>): Type {
    const instance = dataTypes.instance(scope, expression.type)
    const { constructors } = instance.dataType
    if (constructors.kind !== 'variant') return patterns.failNotVariant(expression.type.id)
    const index = constructors.fields.findIndex(({ name }) => name === expression.tag)
    if (index < 0) patterns.failUnknownConstructor(expression.tag)
    check(scope, expression.value, dataTypes.field(instance, constructors.fields[index]!, index))
    return instance.type
  }

  function enumeration({ id, tag }: Of<'enum'>): Type {
    const { constructors } = signatures.dataType(id)
    if (constructors.kind !== 'enum') return patterns.failNotEnum(id)
    if (!constructors.names.includes(tag)) patterns.failUnknownEnumConstructor(tag)
    return types.named(id)
  }

  function struct(scope: TypeScope, fields: readonly Field[]): Type {
    const typed = fields.map(({ name, value }) => ({ name, type: typeOf(scope, value) }))
    typed.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    const twice = typed.find(({ name }, index) => name === typed[index + 1]?.name)
    if (twice !== undefined) fail('EDuplicateField', `duplicate field: ${twice.name}`)
    return types.struct(
      typed.map(({ name }) => name),
      typed.map(({ type }) => type),
    )
  }

  function structProjection(scope: TypeScope, expression: Of<'struct-projection'>): Type {
    const type = typeOf(scope, expression.struct)
    const found = toStruct(scope, type)
    return structField(found, expression.field) ?? failUnknownField(expression.field, type)
  }

  function structUpdate(scope: TypeScope, expression: Of<'struct-update'>): Type {
    const type = typeOf(scope, expression.struct)
    const found = toStruct(scope, type)
    const field = structField(found, expression.field) ?? failUnknownField(expression.field, type)
    check(scope, expression.value, field)
    return found
  }

  function toStruct(scope: TypeScope, type: Type): Type {
    if (type.tag === 'struct') return type
    const expanded = kinding.expand(scope, type)
    if (expanded.tag === 'struct') return expanded
    return fail('EExpectedStructType', `expected struct type, but found: ${prettyType(type)}`)
  }

  return { record, projection, recordUpdate, variant, enumeration, struct, structProjection, structUpdate }
}

function structField(struct: Type, name: string): Type | undefined {
  return struct.parts[struct.fieldNames.indexOf(name)]
}
