// The closed parts of a generated value, to find the smallest one that differs.
import type { Expression, Type, Value } from '../../../src/lf/syntax/ast.ts'
import { encodePackage } from '../../support/lf/package-encoder.ts'
import { expressionPackage } from './expression-packages.ts'

type Part = { readonly expression: Expression; readonly type: Type }

/** Only parts whose type is said beside them: the bodies of lets, arguments of constructors and the like are not. */
export function partsOf(seed: number, name: string): Expression[] {
  return found(seed, name).map(({ expression }) => expression)
}

export function archiveOfParts(seed: number, name: string): Buffer {
  const whole = expressionPackage(seed)
  const main = whole.modules.get('Main')!
  const kept = [...main.values.values()].filter((value) => !/^v\d+$/.test(value.name))
  const parts = found(seed, name).map(({ expression, type }, index): Value => {
    return { name: `v${index}`, type, body: () => expression }
  })
  const values = new Map([...kept, ...parts].map((value) => [value.name, value]))
  return encodePackage({ ...whole, modules: new Map([['Main', { ...main, values }]]) }).archive
}

function found(seed: number, name: string): Part[] {
  const { type, body } = expressionPackage(seed).modules.get('Main')!.values.get(name)!
  const parts: Part[] = [{ expression: body(), type }]
  const seen = new Set<unknown>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    const typed = typedParts(node as Expression)
    parts.push(...typed.filter(({ expression }) => freeVariables(expression).size === 0))
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(body())
  return parts
}

function typedParts(of: Expression): Part[] {
  switch (of.kind) {
    case 'let':
      return of.bindings.map(({ bound, type }) => ({ expression: bound, type }))
    case 'some':
      return [{ expression: of.value, type: of.type }]
    case 'cons':
      return of.front.map((expression) => ({ expression, type: of.type }))
    case 'application': {
      const called = of.function
      if (called.kind !== 'abstraction') return builtinParts(of)
      return of.args.map((expression, index) => ({ expression, type: called.parameters[index]!.type }))
    }
    default:
      return []
  }
}

const comparisons = ['EQUAL', 'LESS', 'LESS_EQ', 'GREATER', 'GREATER_EQ']

/** The arguments of builtins on one type, and the whole where its type is that one. */
function builtinParts(of: Expression & { kind: 'application' }): Part[] {
  const called = of.function
  if (called.kind !== 'type-application' || called.expression.kind !== 'builtin') return []
  const { name } = called.expression
  if (comparisons.includes(name)) {
    return [
      { expression: of, type: { kind: 'builtin', name: 'Bool', args: [] } },
      ...of.args.map((expression) => ({ expression, type: called.types[0]! })),
    ]
  }
  return name === 'TRACE'
    ? [
        { expression: of.args[1]!, type: called.types[0]! },
        { expression: of, type: called.types[0]! },
      ]
    : []
}

/** Variables that are used but not bound inside. */
function freeVariables(node: unknown, bound: ReadonlySet<string> = new Set()): Set<string> {
  if (typeof node !== 'object' || node === null) return new Set()
  const all = (items: readonly unknown[], inner = bound): Set<string> => {
    return items.reduce<Set<string>>((free, item) => free.union(freeVariables(item, inner)), new Set())
  }
  const of = node as Expression
  switch (of.kind) {
    case 'variable':
      return 'args' in of || bound.has(of.name) ? new Set() : new Set([of.name])
    case 'abstraction':
      return freeVariables(of.body, bound.union(new Set(of.parameters.map(({ name }) => name))))
    case 'let': {
      let inner = bound
      let free = new Set<string>()
      for (const { name, bound: value } of of.bindings) {
        free = free.union(freeVariables(value, inner))
        inner = inner.union(new Set([name]))
      }
      return free.union(freeVariables(of.body, inner))
    }
    case 'case':
      return of.alternatives.reduce(
        (free, { pattern, body }) => {
          const names = ['binder', 'head', 'tail'].flatMap((key) =>
            key in pattern ? [pattern[key as never] as string] : [],
          )
          return free.union(freeVariables(body, bound.union(new Set(names))))
        },
        freeVariables(of.scrutinee, bound),
      )
    default:
      return all(Object.values(of))
  }
}
