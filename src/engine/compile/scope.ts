// What code under compilation sees: its variables, and how to write statements, constants and references.
import type { Expression, Identifier, Location, Update } from '../../lf/syntax/ast.ts'
import type { Coverage } from './coverage.ts'
import type { Writer } from './writer.ts'

/**
 * A JavaScript expression. A pure one has the same value whenever and however often it is evaluated. Any other, such as
 * a call or the construction of a record, is evaluated once, in its place.
 */
export type Operand = { readonly code: string; readonly isPure: boolean }

/** Where the value of an expression goes. */
export type Target =
  | { readonly kind: 'return' }
  | { readonly kind: 'assign'; readonly name: string }
  /** The expression is an update: it runs at once, and its result is returned or assigned. */
  | { readonly kind: 'run'; readonly effects: string; readonly into: Target }

export type RunTarget = Extract<Target, { kind: 'run' }>

/** A Daml variable as a JavaScript variable. */
export type Variable = {
  readonly name: string
  /** Known where the variable is bound to a function right here: calls need no check. */
  readonly arity: number | undefined
}

/** A top-level value as generated code refers to it. */
export type Reference = {
  readonly name: string
  /** 0 for a value that is computed once and kept: `name()` returns it. */
  readonly arity: number
}

/** What one script collects while its parts are written. */
export type Script = {
  readonly writer: Writer
  /** The name of a constant that is created once, outside of the code. */
  constant(value: unknown): string
  /** The name of something the runtime offers. */
  runtime(name: string): string
  reference(id: Identifier): Reference
  /** What a top-level value is, for code that depends on it. */
  source(id: Identifier): Expression
  template(id: Identifier): string
  interface(id: Identifier): string
  readonly layout: Layout
  /** Expressions contain updates and updates expressions; through this the one side reaches the other. */
  readonly updates: {
    build(update: Update, scope: Scope): Operand
    run(update: Update, target: RunTarget, scope: Scope): void
  }
}

/** How data types are laid out. Throws a KindError for an unknown type or field. */
export type Layout = {
  /** The fields of a record, in the order of their declaration. */
  fieldNames(id: Identifier): readonly string[]
  /** The property that holds the field of a record. */
  slot(id: Identifier, field: string): string
  slots(id: Identifier): readonly string[]
  rank(id: Identifier, tag: string): number
  recordClass(id: Identifier): unknown
  variantType(id: Identifier): unknown
  enumType(id: Identifier): unknown
  enumValue(id: Identifier, tag: string): unknown
}

export type Scope = Script & {
  readonly variables: Variables | undefined
  /** The surrounding function, when a tail call of itself can be a jump. */
  readonly loop: Loop | undefined
  /** Set if the package of the definition is covered. */
  readonly covered: Covered | undefined
}

/** A definition whose code counts what it comes to. */
export type Covered = {
  readonly coverage: Coverage
  /** A name that tells the cases of this definition at one place apart: the same each time the definition is compiled. */
  nameCase(at: Location): string
  /** Variables that hold the code for a pattern that several others fall through to. */
  readonly fallThroughs: Set<string>
}

/** A linked list, innermost first: binding a variable copies nothing. */
export type Variables = {
  readonly name: string
  readonly variable: Variable
  readonly outer: Variables | undefined
}

export type Loop = { readonly self: Reference; readonly label: string; readonly parameters: readonly string[] }

export function bind(scope: Scope, name: string, variable: string, arity?: number): Scope {
  return { ...scope, variables: { name, variable: { name: variable, arity }, outer: scope.variables } }
}

/** Code inside another function cannot jump to the start of the outer one. */
export function withoutLoop(scope: Scope): Scope {
  return scope.loop === undefined ? scope : { ...scope, loop: undefined }
}
