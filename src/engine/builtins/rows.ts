// A table of builtins: for each name a function with as many parameters as its arity, or a value if it has none.
import type { BuiltinName, builtins } from '../../lf/syntax/builtins.ts'
import type { LfValue } from '../../lf/values/values.ts'

type ArityOf<Name extends BuiltinName> = (typeof builtins)[Name]['arity']

/** Arguments are `never`: each row declares its own, by the type rules of LF. */
export type Rows = {
  readonly [Name in BuiltinName]: ArityOf<Name> extends 0 ? LfValue : (...args: never[]) => LfValue
}
