// A value with its type, for code that writes, compares or shows it: values do not know their types.
import type { Type } from '../../lf/syntax/ast.ts'
import type { LfValue } from '../../lf/values/values.ts'

/** Values are immutable: a reference to one never sees it change. */
export type TypedValue = { readonly type: Type; readonly value: LfValue }
