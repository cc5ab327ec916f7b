// Data types with their arguments filled in, as record and variant expressions use them. Fields are substituted once
// for each type and kept.
import type { DataType, FieldType, Identifier, TypeApplication } from '../syntax/ast.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import type { Signatures } from './signatures.ts'
import { substitute } from './substitution.ts'
import { prettyType } from './type-text.ts'
import type { Type, Types } from './types.ts'

export type Instance = {
  readonly dataType: DataType
  /** The data type applied to its arguments. */
  readonly type: Type
}

export type DataTypes = ReturnType<typeof createDataTypes>

type Parts = { readonly types: Types; readonly signatures: Signatures; readonly kinding: Kinding }

export function createDataTypes({ types, signatures, kinding }: Parts) {
  const fieldsOf = new Map<Type, Map<string, Type>>()

  function fieldType({ dataType, type }: Instance, args: readonly Type[], field: FieldType, key: string): Type {
    let known = fieldsOf.get(type)
    if (known === undefined) {
      known = new Map()
      fieldsOf.set(type, known)
    }
    const found = known.get(key)
    if (found !== undefined) return found
    const filled = new Map<string, Type>()
    for (const [index, parameter] of dataType.parameters.entries()) {
      const arg = args[index]
      if (arg !== undefined) filled.set(parameter.name, arg)
    }
    const substituted = substitute(types, filled, types.from(field.type))
    known.set(key, substituted)
    return substituted
  }

  return {
    /** Checks the arguments. */
    instance(scope: TypeScope, application: TypeApplication): Instance & { readonly args: readonly Type[] } {
      const dataType = signatures.dataType(application.id)
      const args = application.args.length === 0 ? noTypes : application.args.map(types.from)
      const type = types.applyAll(types.named(application.id), args)
      if (dataType.parameters.length !== args.length) {
        kinding.fail('ETypeConAppWrongArity', `wrong arity in typecon application: ${prettyType(type)}`)
      }
      for (let index = 0; index < args.length; index++) {
        kinding.checkType(scope, args[index]!, types.kinds.from(dataType.parameters[index]!.kind))
      }
      return { dataType, type, args }
    },

    /** The type of a field, or of what a constructor carries; `index` is its place. */
    field(instance: Instance & { readonly args: readonly Type[] }, field: FieldType, index: number): Type {
      return fieldType(instance, instance.args, field, `${index}`)
    },

    /** The type of what a constructor carries, of a type that was not checked: missing arguments stay open. */
    carried(id: Identifier, args: readonly Type[], field: FieldType): Type {
      const dataType = signatures.dataType(id)
      const type = types.applyAll(types.named(id), args)
      return fieldType({ dataType, type }, args, field, `carried ${field.name}`)
    },
  }
}

const noTypes: readonly Type[] = []
