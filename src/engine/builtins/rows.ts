// What a table of builtins holds: for each name a function of as many parameters as its arity, or a value if it has none.
import type { BuiltinName, builtins } from '../../lf/syntax/builtins.ts'
import type { LfValue } from '../../lf/values/values.ts'

type ArityOf<Name extends BuiltinName> = (typeof builtins)[Name]['arity']

/** Arguments are `never`: each row says for itself what it takes. The type checker of LF has seen to it. */
export type Rows = {
  readonly [Name in BuiltinName]: ArityOf<Name> extends 0 ? LfValue : (...args: never[]) => LfValue
}
