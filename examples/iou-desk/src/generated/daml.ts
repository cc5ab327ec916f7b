// Made by tallystick codegen; changes will be lost.
// Daml's own types as the Ledger API writes them in JSON, and commands and events by template.

declare const contractOf: unique symbol

/** `{}` */
export type Unit = Record<string, never>
export type Bool = boolean
/** 64 bits, as text: "42" */
export type Int = string
/** As text, with all its decimals: "1.5000000000" */
export type Numeric = string
export type Text = string
/** "2026-01-31" */
export type Date = string
/** "2026-01-31T12:00:00.5Z" */
export type Time = string
export type Party = string
/** Text goes in as it is, but the id of one template's contract is not that of another's. */
export type ContractId<T> = string & { readonly [contractOf]?: T }
export type List<T> = T[]
export type TextMap<T> = { [key: string]: T }
/** Pairs of key and value. */
export type Map<K, V> = [K, V][]

export type Optional<T> = T | null
/** An Optional in an Optional, and the one around it: an array with the value, or an empty one. */
export type Nested<T> = [] | [T]

/** Fields of a type parameter: those that may be null may be left out. */
export type Fields<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: T[K]
}

export type Choice<Argument, Result> = { readonly argument: Argument; readonly result: Result }
type Choices = { readonly [choice: string]: Choice<unknown, unknown> }
type Described = { readonly id: string; readonly choices: Choices }
type DescribedTemplate = Described & { readonly payload: unknown; readonly key: unknown }
type DescribedInterface = Described & { readonly view: unknown }

/** The description of a template, written `typeof Iou` in the types below. */
export type Template<D extends DescribedTemplate> = { readonly templateId: D['id']; readonly describes?: D }
export type Interface<D extends DescribedInterface> = { readonly interfaceId: D['id']; readonly describes?: D }
/** The contracts that implement an interface: ContractId<AnyOf<'#package:Module:Interface'>> */
export type AnyOf<InterfaceId extends string> = { readonly implements: InterfaceId }

type AnyTemplate = { readonly templateId: string; readonly describes?: DescribedTemplate }
type AnyInterface = { readonly interfaceId: string; readonly describes?: DescribedInterface }
type Description<T extends AnyTemplate | AnyInterface> = NonNullable<T['describes']>
type TargetOf<T> = T extends AnyTemplate ? ContractId<NonNullable<T['describes']>['payload']> : ContractId<unknown>

export type Payload<T extends AnyTemplate> = Description<T>['payload']
export type Key<T extends AnyTemplate> = Description<T>['key']
export type View<T extends AnyInterface> = Description<T>['view']
export type ChoiceName<T extends AnyTemplate | AnyInterface> = keyof Description<T>['choices'] & string
export type Argument<
  T extends AnyTemplate | AnyInterface,
  C extends ChoiceName<T>,
> = Description<T>['choices'][C] extends Choice<infer A, unknown> ? A : never
export type Result<
  T extends AnyTemplate | AnyInterface,
  C extends ChoiceName<T>,
> = Description<T>['choices'][C] extends Choice<unknown, infer R> ? R : never

export type CreateCommand<T extends AnyTemplate> = {
  CreateCommand: { templateId: Description<T>['id']; createArguments: Payload<T> }
}
export type ExerciseCommand<T extends AnyTemplate | AnyInterface, C extends ChoiceName<T>> = {
  ExerciseCommand: {
    templateId: Description<T>['id']
    contractId: TargetOf<T>
    choice: C
    choiceArgument: Argument<T, C>
  }
}
export type CreateAndExerciseCommand<T extends AnyTemplate, C extends ChoiceName<T>> = {
  CreateAndExerciseCommand: {
    templateId: Description<T>['id']
    createArguments: Payload<T>
    choice: C
    choiceArgument: Argument<T, C>
  }
}
export type ExerciseByKeyCommand<T extends AnyTemplate, C extends ChoiceName<T>> = {
  ExerciseByKeyCommand: {
    templateId: Description<T>['id']
    contractKey: Key<T>
    choice: C
    choiceArgument: Argument<T, C>
  }
}

/** The fields of a created event that are specific to its template. */
export type Created<T extends AnyTemplate> = {
  contractId: ContractId<Payload<T>>
  templateId: string
  createArgument: Payload<T>
  contractKey: [Key<T>] extends [never] ? null : Key<T>
}
/** The fields of an exercised event that are specific to its choice. */
export type Exercised<T extends AnyTemplate | AnyInterface, C extends ChoiceName<T>> = {
  contractId: TargetOf<T>
  templateId: string
  choice: C
  choiceArgument: Argument<T, C>
  exerciseResult: Result<T, C>
}
