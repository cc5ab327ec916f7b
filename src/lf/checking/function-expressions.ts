// Computes the types of functions, their applications, and expressions that bind variables.
import type { Alternative, Binding, Expression, Parameter, TypeParameter } from '../syntax/ast.ts'
import { substitute } from './bound-variables.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { Kinding, TypeScope } from './kinding.ts'
import type { Patterns } from './patterns.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import type { Types } from './types.ts'

type Parts = {
  readonly types: Types
  readonly kinding: Kinding
  readonly patterns: Patterns
  readonly checker: ExpressionChecker
}

export function createFunctionExpressions({ types, kinding, patterns, checker }: Parts) {
  const { typeOf, check, properType, failMismatch, variables } = checker
  const { fail, checkType } = kinding

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

  function application(scope: TypeScope, called: Expression, args: readonly Expression[]): Type {
    let type = typeOf(scope, called)
    for (const argument of args) {
      const called = toFunction(scope, type)
      check(scope, argument, called.left!.right!)
      type = called.right!
    }
    return type
  }

  /** Directly nested type applications are one: the reference substitutes once for all of them. */
  function typeApplication(scope: TypeScope, expression: Extract<Expression, { kind: 'type-application' }>): Type {
    let args = expression.types
    let head = expression.expression
    while (head.kind === 'type-application' && head.location === undefined) {
      args = [...head.types, ...args]
      head = head.expression
    }
    const universal = typeOf(scope, head)
    let applied = universal
    let rest = universal
    for (const syntax of args) {
      const forall = toForall(scope, rest)
      const argument = types.from(syntax)
      checkType(scope, argument, forall.kind!)
      applied = types.apply(applied, argument)
      rest = forall.left!
    }
    // Kept, because functions of the libraries are applied to the same few types again and again.
    applied.meaning ??= instanceOf(scope, universal, args.map(types.from))
    return applied.meaning
  }

  function instanceOf(scope: TypeScope, universal: Type, args: readonly Type[]): Type {
    const filled = new Map<string, Type>()
    let rest = universal
    for (const argument of args) {
      const forall = toForall(scope, rest)
      filled.set(forall.name, argument)
      rest = forall.left!
    }
    return substitute(types, filled, rest)
  }

  function abstraction(scope: TypeScope, parameters: readonly Parameter[], body: Expression): Type {
    const mark = variables.mark()
    const found: Type[] = []
    for (const { name, type: syntax } of parameters) {
      const type = properType(scope, syntax)
      found.push(type)
      variables.bind(name, type)
    }
    const result = typeOf(scope, body)
    variables.unbind(mark)
    return found.reduceRight((to, parameter) => types.function(parameter, to), result)
  }

  function typeAbstraction(scope: TypeScope, parameters: readonly TypeParameter[], body: Expression): Type {
    let inner = scope
    for (const parameter of parameters) {
      const kind = types.kinds.from(parameter.kind)
      kinding.checkKind(kind)
      inner = kinding.extend(inner, parameter.name, kind)
    }
    return parameters.reduceRight(
      (of, parameter) => {
        return types.forall(parameter.name, types.kinds.from(parameter.kind), of)
      },
      typeOf(inner, body),
    )
  }

  function letIn(scope: TypeScope, bindings: readonly Binding[], body: Expression): Type {
    const mark = variables.mark()
    for (const { name, type, bound } of bindings) {
      variables.bind(name, check(scope, bound, properType(scope, type)))
    }
    const type = typeOf(scope, body)
    variables.unbind(mark)
    return type
  }

  /** All patterns are looked at before the first body. */
  function caseOf(scope: TypeScope, scrutinee: Expression, alternatives: readonly Alternative[]): Type {
    const match = patterns.matching(typeOf(scope, scrutinee))
    const bound = alternatives.map(({ pattern }) => match.bind(pattern))
    const found = alternatives.map(({ body }, index) => {
      const mark = variables.mark()
      for (const [name, type] of bound[index]!) variables.bind(name, type)
      const type = typeOf(scope, body)
      variables.unbind(mark)
      return type
    })
    const [first, ...others] = found
    if (first === undefined) return fail('EEmptyCase', 'empty case')
    for (const other of others) {
      if (!kinding.isEqual(scope, first, other)) failMismatch(other, first)
    }
    match.checkExhaustive(alternatives)
    return first
  }

  return { application, typeApplication, abstraction, typeAbstraction, letIn, caseOf }
}

function isFunction(types: Types, { left }: Type): boolean {
  return left !== undefined && left.tag === 'application' && left.left === types.arrow
}
