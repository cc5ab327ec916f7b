// The form of `GET /docs/types?package=ID`: templates, interfaces, scripts and the data types that their values consist of.
// Programs render values and build forms from it. It has types only, so that a page in a browser can import it.

export type PackageTypes = {
  readonly packageId: string
  readonly name: string
  readonly version: string
  readonly templates: readonly TemplateTypes[]
  readonly interfaces: readonly InterfaceTypes[]
  /** In the order of the package. */
  readonly scripts: readonly ScriptTypes[]
  /** Every data type that is used, of this and other packages, by `package-id:Module:Type`. */
  readonly types: Readonly<Record<string, DataTypeDescription>>
  /** The packages of these types, by id. */
  readonly packages: Readonly<Record<string, { readonly name: string; readonly version: string }>>
}

export type TemplateTypes = {
  /** `package-id:Module:Template`, as in events. */
  readonly id: string
  readonly payload: TypeDescription
  /** Absent if the code does not simply name fields. */
  readonly signatories?: readonly PartyPlace[]
  readonly key?: TypeDescription
  readonly choices: readonly ChoiceTypes[]
  /** Ids of interfaces. */
  readonly implements: readonly string[]
}

/** Also those of other packages that are implemented or required here. */
export type InterfaceTypes = {
  readonly id: string
  readonly view: TypeDescription
  readonly choices: readonly ChoiceTypes[]
  readonly requires: readonly string[]
}

/** A Daml Script. */
export type ScriptTypes = {
  /** `Module:name` */
  readonly name: string
  /** Absent if it takes none. */
  readonly argument?: TypeDescription
  readonly result: TypeDescription
}

/**
 * Where a party, or a list of parties, is found: a field of the contract, of its view as the interface in question, of the
 * argument of a choice, or the signatories of the contract.
 */
export type PartyPlace = {
  readonly of: 'contract' | 'view' | 'argument' | 'signatories'
  readonly path: readonly string[]
}

/** The effects of a choice, directly or through functions. Ids are of templates, and of interfaces exercised. */
export type ChoiceEffects = {
  readonly creates: readonly string[]
  readonly exercises: readonly { readonly id: string; readonly choice: string }[]
}

export type ChoiceTypes = ChoiceEffects & {
  readonly name: string
  readonly consuming: boolean
  readonly argument: TypeDescription
  /** Absent if the code does not simply name fields. */
  readonly controllers?: readonly PartyPlace[]
  readonly result: TypeDescription
}

export type DataTypeDescription = { readonly parameters: readonly string[] } & (
  | { readonly kind: 'record'; readonly fields: readonly FieldDescription[] }
  | { readonly kind: 'variant'; readonly constructors: readonly FieldDescription[] }
  | { readonly kind: 'enum'; readonly names: readonly string[] }
)

export type FieldDescription = { readonly name: string; readonly type: TypeDescription }

export type TypeDescription =
  | { readonly kind: 'Unit' | 'Bool' | 'Int64' | 'Date' | 'Timestamp' | 'Party' | 'Text' }
  /** `scale` is the number of decimals; absent if a parameter determines it. */
  | { readonly kind: 'Numeric'; readonly scale?: number }
  /** `isOfParameter` is for those who replace a parameter by an argument: JSON does not nest such an Optional. */
  | { readonly kind: 'Optional'; readonly of: TypeDescription; readonly isOfParameter?: true }
  | { readonly kind: 'List' | 'TextMap' | 'ContractId'; readonly of: TypeDescription }
  | { readonly kind: 'GenMap'; readonly key: TypeDescription; readonly of: TypeDescription }
  | { readonly kind: 'Data'; readonly id: string; readonly args: readonly TypeDescription[] }
  | { readonly kind: 'Variable'; readonly name: string }
  /** A type whose values have no JSON form, or that is not known. */
  | { readonly kind: 'Unknown' }
