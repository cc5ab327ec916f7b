// Computes the types of expressions on interfaces: conversions between templates and interfaces, methods and views.
import type { Identifier } from '../syntax/ast.ts'
import { fullName, isSameIdentifier } from '../syntax/names.ts'
import type { ExpressionChecker, InterfaceExpressions } from './expression-checker.ts'
import type { Kinding } from './kinding.ts'
import type { Signatures } from './signatures.ts'
import type { Types } from './types.ts'

type Parts = {
  readonly types: Types
  readonly signatures: Signatures
  readonly kinding: Kinding
  readonly checker: ExpressionChecker
}

export function createInterfaceExpressions({ types, signatures, kinding, checker }: Parts): InterfaceExpressions {
  const { check } = checker
  const typeOf = types.named

  function checkInstance(of: Identifier, template: Identifier): void {
    signatures.interface(of)
    signatures.instance(of, template)
  }

  function checkRequirement(requiring: Identifier, required: Identifier): void {
    const { requires } = signatures.interface(requiring)
    if (requires.some((id) => isSameIdentifier(id, required))) return
    const problem = `Interface ${fullName(requiring)} does not require ${fullName(required)}`
    kinding.fail('EWrongInterfaceRequirement', problem)
  }

  return (scope, expression) => {
    switch (expression.kind) {
      case 'to-interface':
        checkInstance(expression.interface, expression.template)
        check(scope, expression.value, typeOf(expression.template))
        return typeOf(expression.interface)
      case 'from-interface':
        checkInstance(expression.interface, expression.template)
        check(scope, expression.value, typeOf(expression.interface))
        return types.optionalOf(typeOf(expression.template))
      case 'unsafe-from-interface':
        checkInstance(expression.interface, expression.template)
        check(scope, expression.contractId, types.contractIdOf(typeOf(expression.interface)))
        check(scope, expression.value, typeOf(expression.interface))
        return typeOf(expression.template)
      case 'to-required-interface':
        checkRequirement(expression.requiring, expression.required)
        check(scope, expression.value, typeOf(expression.requiring))
        return typeOf(expression.required)
      case 'from-required-interface':
        checkRequirement(expression.requiring, expression.required)
        check(scope, expression.value, typeOf(expression.required))
        return types.optionalOf(typeOf(expression.requiring))
      case 'unsafe-from-required-interface':
        checkRequirement(expression.requiring, expression.required)
        check(scope, expression.contractId, types.contractIdOf(typeOf(expression.required)))
        check(scope, expression.value, typeOf(expression.required))
        return typeOf(expression.requiring)
      case 'call-interface': {
        const method = signatures.method(expression.interface, expression.method)
        check(scope, expression.value, typeOf(expression.interface))
        return types.from(method)
      }
      case 'interface-template-type-rep':
        signatures.interface(expression.interface)
        check(scope, expression.value, typeOf(expression.interface))
        return types.typeRep
      case 'signatory-interface':
      case 'observer-interface':
        signatures.interface(expression.interface)
        check(scope, expression.value, typeOf(expression.interface))
        return types.parties
      case 'view-interface': {
        const { viewType } = signatures.interface(expression.interface)
        check(scope, expression.value, typeOf(expression.interface))
        return types.from(viewType)
      }
    }
  }
}
