// Application of functions whose arity only the value knows: a function takes as many arguments as its `length` says.
// Too few make a partial application, again such a function; surplus arguments go to the function's result. A value
// without a length, or with length 0, is not a Daml function: updates have 0.
import { wrongKind } from '../../lf/values/kinds.ts'
import type { LfValue } from '../../lf/values/values.ts'
import type { Update } from './code.ts'

export type LfFunction = (...args: LfValue[]) => LfValue

export function apply1(f: LfFunction, a: LfValue): LfValue {
  if (typeof f !== 'function') return noFunction()
  return f.length === 1 ? f(a) : applyPartially(f, [a])
}

export function apply2(f: LfFunction, a: LfValue, b: LfValue): LfValue {
  if (typeof f !== 'function') return noFunction()
  switch (f.length) {
    case 2:
      return f(a, b)
    case 1:
      return apply1(f(a) as LfFunction, b)
    default:
      return applyPartially(f, [a, b])
  }
}

/**
 * For loops that apply the same function again and again: V8 asks a function for its length through an accessor, which takes
 * longer than many a call.
 */
export function asFunctionOf2(f: LfFunction): (a: LfValue, b: LfValue) => LfValue {
  return typeof f === 'function' && f.length === 2 ? f : (a, b) => apply2(f, a, b)
}

export function apply3(f: LfFunction, a: LfValue, b: LfValue, c: LfValue): LfValue {
  if (typeof f !== 'function') return noFunction()
  switch (f.length) {
    case 3:
      return f(a, b, c)
    case 2:
      return apply1(f(a, b) as LfFunction, c)
    case 1:
      return apply2(f(a) as LfFunction, b, c)
    default:
      return applyPartially(f, [a, b, c])
  }
}

/** Takes one or more arguments. */
export function applyAll(f: LfFunction, args: readonly LfValue[]): LfValue {
  let result: LfValue = f
  let used = 0
  while (used < args.length) {
    const next = asFunction(result)
    const rest = used === 0 ? args : args.slice(used)
    if (rest.length < next.length) return applyPartially(next, rest)
    result = next(...rest.slice(0, next.length))
    used += next.length
  }
  return result
}

function asFunction(value: LfValue): LfFunction {
  return typeof value === 'function' && value.length > 0 ? (value as LfFunction) : noFunction()
}

/** A function of length 0 is an update. */
export function asUpdate(value: LfValue): Update {
  return typeof value === 'function' && value.length === 0 ? (value as Update) : wrongKind('an Update')
}

function noFunction(): never {
  return wrongKind('a function')
}

/** The common shapes are spelled out, so that calling them copies no arguments. */
function applyPartially(f: LfFunction, args: readonly LfValue[]): LfFunction {
  if (f.length === 0) return noFunction()
  const missing = f.length - args.length
  const [a, b] = args
  if (args.length === 1) {
    if (missing === 1) return (x) => f(a, x)
    if (missing === 2) return (x, y) => f(a, x, y)
    if (missing === 3) return (x, y, z) => f(a, x, y, z)
  }
  if (args.length === 2) {
    if (missing === 1) return (x) => f(a, b, x)
    if (missing === 2) return (x, y) => f(a, b, x, y)
  }
  if (missing === 1) return (x) => f(...args, x)
  const partial: LfFunction = (...rest) => f(...args, ...rest)
  return Object.defineProperty(partial, 'length', { value: missing })
}
