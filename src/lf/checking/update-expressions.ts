// Computes the types of updates.
import type { Binding, Expression, Identifier } from '../syntax/ast.ts'
import type { ExpressionChecker, UpdateExpressions } from './expression-checker.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import type { Types } from './types.ts'

type Parts = {
  readonly types: Types
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly checker: ExpressionChecker
}

/** In a stable package, whose id never changes. */
const tuple2: Identifier = {
  packageId: '5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4',
  module: 'DA.Types',
  name: 'Tuple2',
}

export function createUpdateExpressions({ types, signatures, kinding, checker }: Parts): UpdateExpressions {
  const { check, typeOf, properType, variables } = checker
  const { updateOf, contractIdOf, named } = types

  function typeOfBlock(scope: TypeScope, bindings: readonly Binding[], body: Expression): Type {
    const mark = variables.mark()
    for (const { name, type: syntax, bound } of bindings) {
      const type = properType(scope, syntax)
      check(scope, bound, updateOf(type))
      variables.bind(name, type)
    }
    const type = toUpdate(scope, typeOf(scope, body))
    variables.unbind(mark)
    return type
  }

  function toUpdate(scope: TypeScope, type: Type): Type {
    if (type.left === types.update && type.tag === 'application') return type
    const expanded = kinding.expand(scope, type)
    if (expanded.left === types.update && expanded.tag === 'application') return expanded
    return kinding.fail('EExpectedUpdateType', `expected update type, but found: ${prettyType(type)}`)
  }

  const pairOf = (template: Identifier): Type => {
    const type = named(template)
    return types.applyAll(named(tuple2), [contractIdOf(type), type])
  }

  return (scope, update) => {
    switch (update.kind) {
      case 'pure': {
        const type = properType(scope, update.type)
        check(scope, update.value, type)
        return updateOf(type)
      }
      case 'block':
        return typeOfBlock(scope, update.bindings, update.body)
      case 'create':
        signatures.template(update.template)
        check(scope, update.value, named(update.template))
        return updateOf(contractIdOf(named(update.template)))
      case 'create-interface':
        signatures.interface(update.interface)
        check(scope, update.value, named(update.interface))
        return updateOf(contractIdOf(named(update.interface)))
      case 'exercise': {
        const choice = signatures.templateChoice(update.template, update.choice)
        check(scope, update.contractId, contractIdOf(named(update.template)))
        check(scope, update.argument, types.from(choice.argument.type))
        return updateOf(types.from(choice.returnType))
      }
      case 'exercise-interface': {
        check(scope, update.contractId, contractIdOf(named(update.interface)))
        const choice = signatures.interfaceChoice(update.interface, update.choice)
        check(scope, update.argument, types.from(choice.argument.type))
        return updateOf(types.from(choice.returnType))
      }
      case 'exercise-by-key': {
        check(scope, update.key, types.from(signatures.key(update.template).type))
        const choice = signatures.templateChoice(update.template, update.choice)
        check(scope, update.argument, types.from(choice.argument.type))
        return updateOf(types.from(choice.returnType))
      }
      case 'fetch':
        signatures.template(update.template)
        check(scope, update.contractId, contractIdOf(named(update.template)))
        return updateOf(named(update.template))
      case 'fetch-interface':
        signatures.interface(update.interface)
        check(scope, update.contractId, contractIdOf(named(update.interface)))
        return updateOf(named(update.interface))
      case 'fetch-by-key': {
        const key = types.from(signatures.key(update.template).type)
        return types.function(key, updateOf(pairOf(update.template)))
      }
      case 'query-n-by-key': {
        const key = types.from(signatures.key(update.template).type)
        const found = updateOf(types.optionalOf(types.listOf(pairOf(update.template))))
        return types.function(types.int64, types.function(key, found))
      }
      case 'get-time':
        return updateOf(types.timestamp)
      case 'ledger-time-lt':
        check(scope, update.time, types.timestamp)
        return updateOf(types.bool)
      case 'embed-expression': {
        const type = types.from(update.type)
        check(scope, update.body, updateOf(type))
        return updateOf(type)
      }
      case 'try-catch': {
        const type = updateOf(properType(scope, update.returnType))
        check(scope, update.body, type)
        variables.binding(update.binder, types.anyException, () => check(scope, update.handler, types.optionalOf(type)))
        return type
      }
    }
  }
}
