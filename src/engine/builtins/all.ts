// Every builtin function of Daml-LF 2.1 to 2.3.
import { collectionBuiltins } from './collections.ts'
import { comparisonBuiltins } from './comparison.ts'
import { type BuiltinContext, createControlBuiltins } from './control.ts'
import { conversionBuiltins } from './conversion.ts'
import { cryptoBuiltins } from './crypto.ts'
import { int64Builtins } from './int64.ts'
import { numericBuiltins } from './numeric.ts'
import type { Rows } from './rows.ts'
import { textBuiltins } from './text.ts'
import { timeBuiltins } from './time.ts'

export function createBuiltins(context: BuiltinContext) {
  return {
    ...collectionBuiltins,
    ...comparisonBuiltins,
    ...conversionBuiltins,
    ...cryptoBuiltins,
    ...int64Builtins,
    ...numericBuiltins,
    ...textBuiltins,
    ...timeBuiltins,
    ...createControlBuiltins(context),
  } satisfies Rows
}

export type Builtins = ReturnType<typeof createBuiltins>
