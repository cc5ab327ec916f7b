// A type as the checker holds it. Each exists once (types.ts), so equal types are the same object.
import type { Identifier } from '../syntax/ast.ts'
import type { Kind } from './kinds.ts'

export type TypeTag = 'variable' | 'nat' | 'constructor' | 'builtin' | 'application' | 'forall' | 'struct' | 'synonym'

export class Type {
  readonly tag: TypeTag
  readonly id: number
  /** Of a variable, a builtin type, or the bound variable of a forall. */
  name = ''
  /** Of a constructor or synonym. */
  identifier: Identifier | undefined = undefined
  /** An application's function and argument; a forall's body is `left`. */
  left: Type | undefined = undefined
  right: Type | undefined = undefined
  /** The kind of a forall's variable. */
  kind: Kind | undefined = undefined
  /** The fields of a struct, or the arguments of a synonym. */
  parts: readonly Type[] = noParts
  fieldNames: readonly string[] = noNames
  /** Of a type-level number. For a struct it stands for its names, for a synonym for its name. */
  value = 0
  depth = 1
  hasVariables = false
  hasForall = false
  hasSynonym = false
  /** The kind, once it is known, of a type without variables. */
  knownKind: Kind | undefined = undefined
  /** The type with its synonyms expanded, once it is known, of a type without variables. */
  expansion: Type | undefined = undefined
  /** What a synonym, or a forall that is applied, stands for with its arguments filled in, once it is known. */
  meaning: Type | undefined = undefined
  /** What replaced this type in the last substitution that it was part of, by its number (substitution.ts). */
  replacedIn = 0
  replacement: Type | undefined = undefined
  /** The number of the last module that was found to use this type (module-uses.ts). */
  usedIn = 0

  constructor(tag: TypeTag, id: number) {
    this.tag = tag
    this.id = id
  }
}

const noParts: readonly Type[] = []
const noNames: readonly string[] = []
