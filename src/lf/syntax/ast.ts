// The syntax of Daml-LF 2.1 to 2.3 as plain data: what decoding produces and what the type checker, the compiler and
// `dar inspect` read. Mirrors daml_lf2.proto, with the differences between versions evened out: applications and
// abstractions take several arguments, references are resolved, and interning is gone.
import type { BuiltinName, BuiltinTypeName } from './builtins.ts'

/** A type, value, template or interface by its full name. A package has one object for each name. */
export type Identifier = {
  readonly packageId: string
  /** Dotted, as in `DA.Internal.Template`. */
  readonly module: string
  /** Dotted where nested, as in `Shape.Circle`. */
  readonly name: string
}

/** A place in the source. Lines and columns count from zero. */
export type Location = {
  readonly packageId: string
  readonly module: string
  readonly startLine: number
  readonly startColumn: number
  readonly endLine: number
  readonly endColumn: number
}

/**
 * Reads an expression from the archive, anew at each call: a package keeps its bytes, not its trees. Keep the result
 * only for as long as it is needed.
 */
export type Body = () => Expression

// ── Kinds and types

export type Kind =
  | { readonly kind: 'star' }
  | { readonly kind: 'nat' }
  | { readonly kind: 'arrow'; readonly parameter: Kind; readonly result: Kind }

/** Applications are part of their head: `Optional Text` is the builtin `Optional` with one argument. */
export type Type =
  | { readonly kind: 'variable'; readonly name: string; readonly args: readonly Type[] }
  | { readonly kind: 'constructor'; readonly id: Identifier; readonly args: readonly Type[] }
  | {
      readonly kind: 'builtin'
      readonly name: BuiltinTypeName
      readonly args: readonly Type[]
      /** For an Optional whose content was a type parameter before it was replaced: JSON does not nest it. */
      readonly isOfParameter?: boolean
    }
  | { readonly kind: 'synonym'; readonly id: Identifier; readonly args: readonly Type[] }
  | { readonly kind: 'forall'; readonly parameters: readonly TypeParameter[]; readonly body: Type }
  /** Fields are sorted by name. */
  | { readonly kind: 'struct'; readonly fields: readonly FieldType[] }
  | { readonly kind: 'nat'; readonly value: number }

/**
 * The name of a variable that is none: it applies the first of its arguments, a type that takes none, to the others. The
 * type checker refuses whatever uses it.
 */
export const illKinded = ''

export type TypeParameter = { readonly name: string; readonly kind: Kind }
export type FieldType = { readonly name: string; readonly type: Type }

/** A data type with its arguments, as record and variant expressions name it. */
export type TypeApplication = { readonly id: Identifier; readonly args: readonly Type[] }

// ── Expressions

export type Literal =
  | { readonly kind: 'int64'; readonly value: bigint }
  | { readonly kind: 'numeric'; readonly unscaled: bigint; readonly scale: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'timestamp'; readonly micros: bigint }
  | { readonly kind: 'date'; readonly days: number }
  | { readonly kind: 'failure-category'; readonly category: FailureCategory }

export type FailureCategory = 'InvalidIndependentOfSystemState' | 'InvalidGivenCurrentSystemStateOther'
export type BuiltinConstructor = 'unit' | 'false' | 'true'

export type Parameter = { readonly name: string; readonly type: Type }
export type Binding = { readonly name: string; readonly type: Type; readonly bound: Expression }
export type Field = { readonly name: string; readonly value: Expression }
export type Alternative = { readonly pattern: Pattern; readonly body: Expression }

/** Every expression has its place in the source, if the compiler recorded it. */
type Node<Form> = Form & { readonly location: Location | undefined }

export type Expression = Node<
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'value'; readonly id: Identifier }
  | { readonly kind: 'builtin'; readonly name: BuiltinName }
  | { readonly kind: 'builtin-constructor'; readonly name: BuiltinConstructor }
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'record'; readonly type: TypeApplication; readonly fields: readonly Field[] }
  | {
      readonly kind: 'record-projection'
      readonly type: TypeApplication
      readonly field: string
      readonly record: Expression
    }
  | {
      readonly kind: 'record-update'
      readonly type: TypeApplication
      readonly field: string
      readonly record: Expression
      readonly value: Expression
    }
  | {
      readonly kind: 'variant'
      readonly type: TypeApplication
      readonly tag: string
      readonly value: Expression
    }
  | { readonly kind: 'enum'; readonly id: Identifier; readonly tag: string }
  | { readonly kind: 'struct'; readonly fields: readonly Field[] }
  | { readonly kind: 'struct-projection'; readonly field: string; readonly struct: Expression }
  | {
      readonly kind: 'struct-update'
      readonly field: string
      readonly struct: Expression
      readonly value: Expression
    }
  /** Directly nested applications are merged into one, up to 255 arguments, whatever their locations. */
  | { readonly kind: 'application'; readonly function: Expression; readonly args: readonly Expression[] }
  | { readonly kind: 'type-application'; readonly expression: Expression; readonly types: readonly Type[] }
  /** Directly nested abstractions are merged into one, up to 255 parameters, whatever their locations. */
  | { readonly kind: 'abstraction'; readonly parameters: readonly Parameter[]; readonly body: Expression }
  | { readonly kind: 'type-abstraction'; readonly parameters: readonly TypeParameter[]; readonly body: Expression }
  /** The first pattern that matches wins. */
  | { readonly kind: 'case'; readonly scrutinee: Expression; readonly alternatives: readonly Alternative[] }
  /** Each binding sees the ones before it, and may shadow them. */
  | { readonly kind: 'let'; readonly bindings: readonly Binding[]; readonly body: Expression }
  | { readonly kind: 'nil'; readonly type: Type }
  | { readonly kind: 'cons'; readonly type: Type; readonly front: readonly Expression[]; readonly tail: Expression }
  | { readonly kind: 'none'; readonly type: Type }
  | { readonly kind: 'some'; readonly type: Type; readonly value: Expression }
  | { readonly kind: 'to-any'; readonly type: Type; readonly value: Expression }
  | { readonly kind: 'from-any'; readonly type: Type; readonly value: Expression }
  | { readonly kind: 'type-rep'; readonly type: Type }
  | { readonly kind: 'to-any-exception'; readonly type: Type; readonly value: Expression }
  | { readonly kind: 'from-any-exception'; readonly type: Type; readonly value: Expression }
  | {
      readonly kind: 'throw'
      readonly returnType: Type
      readonly exceptionType: Type
      readonly exception: Expression
    }
  | {
      readonly kind: 'to-interface'
      readonly interface: Identifier
      readonly template: Identifier
      readonly value: Expression
    }
  | {
      readonly kind: 'from-interface'
      readonly interface: Identifier
      readonly template: Identifier
      readonly value: Expression
    }
  | {
      readonly kind: 'unsafe-from-interface'
      readonly interface: Identifier
      readonly template: Identifier
      readonly contractId: Expression
      readonly value: Expression
    }
  | {
      readonly kind: 'call-interface'
      readonly interface: Identifier
      readonly method: string
      readonly value: Expression
    }
  | { readonly kind: 'view-interface'; readonly interface: Identifier; readonly value: Expression }
  | { readonly kind: 'signatory-interface'; readonly interface: Identifier; readonly value: Expression }
  | { readonly kind: 'observer-interface'; readonly interface: Identifier; readonly value: Expression }
  | { readonly kind: 'interface-template-type-rep'; readonly interface: Identifier; readonly value: Expression }
  | {
      readonly kind: 'to-required-interface'
      readonly required: Identifier
      readonly requiring: Identifier
      readonly value: Expression
    }
  | {
      readonly kind: 'from-required-interface'
      readonly required: Identifier
      readonly requiring: Identifier
      readonly value: Expression
    }
  | {
      readonly kind: 'unsafe-from-required-interface'
      readonly required: Identifier
      readonly requiring: Identifier
      readonly contractId: Expression
      readonly value: Expression
    }
  | { readonly kind: 'update'; readonly update: Update }
>

export type Update =
  | { readonly kind: 'pure'; readonly type: Type; readonly value: Expression }
  | { readonly kind: 'block'; readonly bindings: readonly Binding[]; readonly body: Expression }
  | { readonly kind: 'create'; readonly template: Identifier; readonly value: Expression }
  | { readonly kind: 'create-interface'; readonly interface: Identifier; readonly value: Expression }
  | {
      readonly kind: 'exercise'
      readonly template: Identifier
      readonly choice: string
      readonly contractId: Expression
      readonly argument: Expression
    }
  | {
      readonly kind: 'exercise-interface'
      readonly interface: Identifier
      readonly choice: string
      readonly contractId: Expression
      readonly argument: Expression
    }
  | {
      readonly kind: 'exercise-by-key'
      readonly template: Identifier
      readonly choice: string
      readonly key: Expression
      readonly argument: Expression
    }
  | { readonly kind: 'fetch'; readonly template: Identifier; readonly contractId: Expression }
  | { readonly kind: 'fetch-interface'; readonly interface: Identifier; readonly contractId: Expression }
  /** A function from the key to the update. */
  | { readonly kind: 'fetch-by-key'; readonly template: Identifier }
  /** A function from the number wanted and the key to the update. */
  | { readonly kind: 'query-n-by-key'; readonly template: Identifier }
  | { readonly kind: 'get-time' }
  | { readonly kind: 'ledger-time-lt'; readonly time: Expression }
  | { readonly kind: 'embed-expression'; readonly type: Type; readonly body: Expression }
  | {
      readonly kind: 'try-catch'
      readonly returnType: Type
      readonly body: Expression
      readonly binder: string
      readonly handler: Expression
    }

export type Pattern =
  | { readonly kind: 'default' }
  | {
      readonly kind: 'variant'
      readonly id: Identifier
      readonly tag: string
      readonly binder: string
    }
  | { readonly kind: 'enum'; readonly id: Identifier; readonly tag: string }
  | { readonly kind: 'builtin-constructor'; readonly name: BuiltinConstructor }
  | { readonly kind: 'nil' }
  | { readonly kind: 'cons'; readonly head: string; readonly tail: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'some'; readonly binder: string }

// ── Definitions

export type TypeSynonym = {
  readonly name: string
  readonly parameters: readonly TypeParameter[]
  readonly type: Type
}

export type DataType = {
  readonly name: string
  readonly parameters: readonly TypeParameter[]
  readonly isSerializable: boolean
  readonly constructors: DataConstructors
}

export type DataConstructors =
  | { readonly kind: 'record'; readonly fields: readonly FieldType[] }
  /** One constructor per field: its name and the type of what it carries. */
  | { readonly kind: 'variant'; readonly fields: readonly FieldType[] }
  | { readonly kind: 'enum'; readonly names: readonly string[] }
  /** The type of an interface's values; the interface itself is defined beside it. */
  | { readonly kind: 'interface' }

export type Value = { readonly name: string; readonly type: Type; readonly body: Body }

export type Template = {
  readonly name: string
  /** The name of the contract's argument in all bodies below. */
  readonly parameter: string
  /** Absent means true. */
  readonly precondition: Body | undefined
  readonly signatories: Body
  readonly observers: Body
  readonly choices: ReadonlyMap<string, Choice>
  readonly key: TemplateKey | undefined
  /** In the order of their declaration. */
  readonly interfaceInstances: readonly InterfaceInstance[]
}

/** `maintainers` is a function of the key and does not see the template's parameter. */
export type TemplateKey = { readonly type: Type; readonly body: Body; readonly maintainers: Body }

export type Choice = {
  readonly name: string
  readonly isConsuming: boolean
  readonly controllers: Body
  readonly observers: Body
  readonly selfBinder: string
  readonly argument: Parameter
  readonly returnType: Type
  readonly update: Body
}

export type InterfaceInstance = {
  readonly interface: Identifier
  readonly methods: ReadonlyMap<string, Body>
  readonly view: Body
}

export type Interface = {
  readonly name: string
  readonly parameter: string
  readonly requires: readonly Identifier[]
  readonly methods: ReadonlyMap<string, Type>
  readonly choices: ReadonlyMap<string, Choice>
  readonly viewType: Type
}

/** `message` is a function from the exception to its text. */
export type Exception = { readonly name: string; readonly message: Body }

export type Module = {
  readonly name: string
  readonly synonyms: ReadonlyMap<string, TypeSynonym>
  readonly dataTypes: ReadonlyMap<string, DataType>
  readonly values: ReadonlyMap<string, Value>
  readonly templates: ReadonlyMap<string, Template>
  readonly exceptions: ReadonlyMap<string, Exception>
  readonly interfaces: ReadonlyMap<string, Interface>
}

export type Package = {
  /** SHA-256 of the payload, in hex. */
  readonly id: string
  readonly languageVersion: LanguageVersion
  readonly name: string
  readonly version: string
  /** The package that this one declares to upgrade. */
  readonly upgrades: string | undefined
  /** The packages that it declares to import (LF 2.2 and later). */
  readonly imports: readonly string[] | undefined
  readonly modules: ReadonlyMap<string, Module>
}

/** The versions that this node runs. */
export type LanguageVersion = '2.1' | '2.2' | '2.3'
export type Minor = 1 | 2 | 3

export function languageVersionOf(minor: Minor): LanguageVersion {
  return `2.${minor}`
}

export function minorOf(version: LanguageVersion): Minor {
  return Number(version.slice(2)) as Minor
}
