// Patterns of case expressions as JavaScript: what a value must be for them, whether they match, and what they bind.
import type { Pattern } from '../../lf/syntax/ast.ts'
import { nameOf, wrong } from './operands.ts'
import { bind, type Scope, type Script } from './scope.ts'

/** Ends the evaluation when the pattern cannot match values of this kind. */
export function guardOf(pattern: Pattern, value: string, scope: Script): string[] {
  const { runtime, constant, layout } = scope
  const unless = (isOther: string, expected: string) => [`if (${isOther}) ${wrong(expected, scope)};`]
  switch (pattern.kind) {
    case 'default':
      return []
    case 'variant':
      return unless(`${value}.type !== ${constant(layout.variantType(pattern.id))}`, `a variant ${nameOf(pattern.id)}`)
    case 'enum':
      return unless(`${value}.type !== ${constant(layout.enumType(pattern.id))}`, `an enum ${nameOf(pattern.id)}`)
    case 'builtin-constructor':
      return pattern.name === 'unit'
        ? unless(`${value} !== ${runtime('unit')}`, 'a Unit')
        : unless(`typeof ${value} !== 'boolean'`, 'a Bool')
    case 'nil':
    case 'cons':
      return unless(`${value} !== ${runtime('nil')} && ${value}.head === undefined`, 'a List')
    case 'none':
    case 'some':
      return unless(`${value} !== ${runtime('none')} && ${value}.isSome !== true`, 'an Optional')
  }
}

/** Undefined if every value matches. */
export function testOf(pattern: Pattern, value: string, { runtime, layout }: Scope): string | undefined {
  switch (pattern.kind) {
    case 'default':
      return undefined
    case 'variant':
    case 'enum':
      return `${value}.rank === ${layout.rank(pattern.id, pattern.tag)}`
    case 'builtin-constructor':
      if (pattern.name === 'unit') return undefined
      return pattern.name === 'true' ? value : `!${value}`
    case 'nil':
      return `${value} === ${runtime('nil')}`
    case 'cons':
      return `${value} !== ${runtime('nil')}`
    case 'none':
      return `${value} === ${runtime('none')}`
    case 'some':
      return `${value} !== ${runtime('none')}`
  }
}

export function bindPattern(pattern: Pattern, value: string, scope: Scope): Scope {
  const bindPart = (inner: Scope, name: string, part: string) => {
    const own = scope.writer.fresh('p')
    scope.writer.line(`const ${own} = ${value}.${part};`)
    return bind(inner, name, own)
  }
  switch (pattern.kind) {
    case 'variant':
    case 'some':
      return bindPart(scope, pattern.binder, 'value')
    case 'cons':
      return bindPart(bindPart(scope, pattern.head, 'head'), pattern.tail, 'tail')
    default:
      return scope
  }
}
