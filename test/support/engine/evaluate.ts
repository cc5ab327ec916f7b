// Calls builtins by name in tests, with outcomes in a form that tables can spell out.

import { createBuiltins } from '../../../src/engine/builtins/all.ts'
import type { BuiltinContext } from '../../../src/engine/builtins/control.ts'
import { DamlException, Failure } from '../../../src/engine/failures/failures.ts'
import type { BuiltinName } from '../../../src/lf/syntax/builtins.ts'
import { Numeric, numericOf } from '../../../src/lf/values/numeric.ts'
import { OrderedMap } from '../../../src/lf/values/ordered-map.ts'
import {
  arrayFromList,
  Cons,
  type LfRecord,
  LfStruct,
  type LfValue,
  nil,
  none,
  Some,
} from '../../../src/lf/values/values.ts'

const nowhere: BuiltinContext = {
  code: { exceptionMessage: ({ module, name }) => `a message of ${module}:${name}` },
  trace: () => {},
  isInTransaction: () => true,
}

export const builtinsInTests = createBuiltins(nowhere) as Record<BuiltinName, LfValue>

/** The outcome of the call: a plain value, `raised: …` for an ArithmeticError, or `CODE: …` for a failure. */
export function evaluate(name: BuiltinName, args: readonly LfValue[]): unknown {
  return outcomeOf(() => (builtinsInTests[name] as (...args: readonly LfValue[]) => LfValue)(...args))
}

export function outcomeOf(run: () => LfValue): unknown {
  try {
    return plain(run())
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message}`
    if (error instanceof DamlException) {
      const record = error.exception.value as LfRecord
      return `raised: ${record.type.fieldsOf(record)[0]}`
    }
    throw error
  }
}

/** Numerics as text with all decimals, lists as arrays, maps and structs as pairs, Optional as null or `{ some }`. */
export function plain(value: LfValue): unknown {
  if (value instanceof Numeric) return textOf(value)
  if (value instanceof Cons || value === nil) return arrayFromList(value as Cons).map(plain)
  if (value instanceof OrderedMap) return [...value.entries()].map((entry) => entry.map(plain))
  if (value instanceof Some) return { some: plain(value.value) }
  if (value instanceof LfStruct) {
    const fields = value.type.fieldsOf(value)
    return value.type.fieldNames.map((name, index) => [name, plain(fields[index])])
  }
  return value === none ? null : value
}

/** The scale is the number of decimals: `1.50` has two, `15.` none. */
export function numeric(text: string): Numeric {
  return numericOf(BigInt(text.replace('.', '')), text.length - 1 - text.indexOf('.'))
}

function textOf({ unscaled, scale }: Numeric): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`
}
