// A value with its type, for whatever writes, compares or shows it: values do not know their types.
import type { Type } from '../../lf/syntax/ast.ts'
import type { LfValue } from '../../lf/values/values.ts'

/** Values are immutable: whoever refers to one has what it was then. */
export type TypedValue = { readonly type: Type; readonly value: LfValue }
