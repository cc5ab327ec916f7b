// Data types with their arguments filled in, as record and variant expressions use them. Fields are substituted once
// for each type and kept.
import type { DataType, FieldType, TypeApplication } from '../syntax/ast.ts'
import { substitute } from './bound-variables.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import type { Types } from './types.ts'

export type Instance = {
  readonly dataType: DataType
  /** The data type applied to its arguments. */
  readonly type: Type
  readonly args: readonly Type[]
}

export type DataTypes = ReturnType<typeof createDataTypes>

type Parts = { readonly types: Types; readonly signatures: Signatures; readonly kinding: Kinding }

export function createDataTypes({ types, signatures, kinding }: Parts) {
  /** The types of fields, by the data type and the index of the field. */
  const fieldTypes = new Map<Type, (Type | undefined)[]>()
  const carriedTypes = new Map<Type, (Type | undefined)[]>()

  function filled({ parameters }: DataType, args: readonly Type[], { type }: FieldType): Type {
    const substitution = new Map<string, Type>()
    for (const [index, parameter] of parameters.entries()) {
      const arg = args[index]
      if (arg !== undefined) substitution.set(parameter.name, arg)
    }
    return substitute(types, substitution, types.from(type))
  }

  return {
    /** Checks the arguments. */
    instance(scope: TypeScope, application: TypeApplication): Instance {
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
    field(instance: Instance, field: FieldType, index: number): Type {
      const known = listOf(fieldTypes, instance.type)
      known[index] ??= filled(instance.dataType, instance.args, field)
      return known[index]
    },

    /** The type of what a constructor carries, of a type that was not checked: missing arguments stay open. */
    carried({ dataType, type, args }: Instance, field: FieldType, index: number): Type {
      const known = listOf(carriedTypes, type)
      known[index] ??= filled(dataType, args, field)
      return known[index]
    },
  }
}

const noTypes: readonly Type[] = []

function listOf(lists: Map<Type, (Type | undefined)[]>, type: Type): (Type | undefined)[] {
  const known = lists.get(type)
  if (known !== undefined) return known
  const created: (Type | undefined)[] = []
  lists.set(type, created)
  return created
}
