// The smallest pieces of generated code: operands, literals, and the ends of ill-typed code.
import type { Expression, Identifier } from '../../lf/syntax/ast.ts'
import { KindError } from '../../lf/values/kinds.ts'
import { numericOf } from '../../lf/values/numeric.ts'
import { int64 } from '../../lf/values/values.ts'
import type { Operand, Scope, Script } from './scope.ts'

export const pure = (code: string): Operand => ({ code, isPure: true })
export const impure = (code: string): Operand => ({ code, isPure: false })

/** An operand that is evaluated before anything after it. */
export function kept(operand: Operand, scope: Scope): Operand {
  if (operand.isPure) return operand
  const name = scope.writer.fresh('t')
  scope.writer.line(`const ${name} = ${operand.code};`)
  return pure(name)
}

/** A variable, for an operand that is used more than once. */
export function named(operand: Operand, scope: Scope): string {
  return /^\w+$/.test(operand.code) ? operand.code : kept({ ...operand, isPure: false }, scope).code
}

export function codesOf(values: readonly Operand[]): string[] {
  return values.map(({ code }) => code)
}

export function literal(value: Extract<Expression, { kind: 'literal' }>['literal'], { constant }: Scope): Operand {
  switch (value.kind) {
    case 'int64':
      return pure(integerCode(value.value))
    case 'timestamp':
      return pure(integerCode(value.micros))
    case 'date':
      return pure(`(${value.days})`)
    case 'text':
      return pure(constant(value.value))
    case 'numeric':
      return pure(constant(numericOf(value.unscaled, value.scale)))
    case 'failure-category':
      return pure(value.category === 'InvalidIndependentOfSystemState' ? '(8)' : '(9)')
  }
}

function integerCode(value: bigint): string {
  const canonical = int64(value)
  return typeof canonical === 'bigint' ? `(${canonical}n)` : `(${canonical})`
}

// ── Ill-typed code

/** Code that ends the evaluation. */
export function wrong(expected: string, { runtime, constant }: Script): string {
  return `${runtime('wrongKind')}(${constant(expected)})`
}

/** Ends the compilation of the definition, which then fails at every use. */
export function illTyped(reason: string): never {
  throw new KindError(reason)
}

export function nameOf({ module, name }: Identifier): string {
  return `${module}:${name}`
}
