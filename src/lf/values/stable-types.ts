// Record types of Daml's stable packages whose values the engine makes itself. Their packages never change, so the
// types are the same whether or not the package was uploaded.
import { createRecordType } from './structures.ts'
import type { RecordType } from './values.ts'

/** The one exception that the language itself throws. */
export const arithmeticErrorType: RecordType = createRecordType(
  {
    packageId: 'ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88',
    module: 'DA.Exception.ArithmeticError',
    name: 'ArithmeticError',
  },
  ['message'],
)

/** The result of a fetch by key. */
export const tuple2Type: RecordType = createRecordType(
  {
    packageId: '5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4',
    module: 'DA.Types',
    name: 'Tuple2',
  },
  ['_1', '_2'],
)

export const stableRecordTypes: readonly RecordType[] = [arithmeticErrorType, tuple2Type]
