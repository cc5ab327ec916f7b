// Why a package is not valid, and where. Names of errors and all texts are the reference's (ValidationError.scala,
// LookupError.scala), because tools and people search for them.

import type { Identifier, Location } from '../syntax/ast.ts'
import { fullName } from '../syntax/names.ts'
import type { Type } from './type.ts'

/** The 52 errors that the reference raises, and one of our own for packages that are too large to check. */
export type ValidationErrorName =
  | 'ENatKindRightOfArrow'
  | 'EUnknownTypeVar'
  | 'EUnknownExprVar'
  | 'EUnknownDefinition'
  | 'ETypeSynAppWrongArity'
  | 'ETypeConAppWrongArity'
  | 'EDuplicateTypeParam'
  | 'EDuplicateField'
  | 'EDuplicateVariantCon'
  | 'EDuplicateEnumCon'
  | 'EEmptyConsFront'
  | 'EExpectedRecordType'
  | 'EFieldMismatch'
  | 'EExpectedVariantType'
  | 'EExpectedEnumType'
  | 'EUnknownVariantCon'
  | 'EUnknownEnumCon'
  | 'EUnknownField'
  | 'EExpectedStructType'
  | 'EKindMismatch'
  | 'ETypeMismatch'
  | 'EFieldTypeMismatch'
  | 'EPatternTypeMismatch'
  | 'ENonExhaustivePatterns'
  | 'EExpectedAnyType'
  | 'EExpectedExceptionType'
  | 'EExpectedHigherKind'
  | 'EExpectedFunctionType'
  | 'EExpectedUniversalType'
  | 'EExpectedUpdateType'
  | 'EExpectedSerializableType'
  | 'EEmptyCase'
  | 'EClashingPatternVariables'
  | 'EExpectedTemplatableType'
  | 'EExpectedExceptionableType'
  | 'EViewTypeHeadNotCon'
  | 'EViewTypeHasVars'
  | 'EViewTypeConNotRecord'
  | 'EViewTypeMismatch'
  | 'EMethodTypeMismatch'
  | 'EImportCycle'
  | 'ETypeSynCycle'
  | 'EIllegalHigherEnumType'
  | 'EIllegalHigherInterfaceType'
  | 'ECollision'
  | 'EModuleVersionDependencies'
  | 'EMissingMethodInInterfaceInstance'
  | 'EUnknownMethodInInterfaceInstance'
  | 'EMissingRequiredInterfaceInstance'
  | 'EWrongInterfaceRequirement'
  | 'ENotClosedInterfaceRequires'
  | 'ECircularInterfaceRequires'
  | 'ELimitReached'

export class ValidationError extends Error {
  override readonly name: ValidationErrorName
  /** Set for a type mismatch only. */
  readonly mismatch: { readonly context: string; readonly found: Type; readonly expected: Type } | undefined

  /** `context` says where, as in ` in value abc:Main:f`; it is empty for a whole package. */
  constructor(name: ValidationErrorName, context: string, problem: string, mismatch?: { found: Type; expected: Type }) {
    super(`validation error${context}: ${problem}`)
    this.name = name
    this.mismatch = mismatch && { context, ...mismatch }
  }
}

type Describe = (id: Identifier) => string

const named = (what: string): Describe => {
  return (id) => `${what} ${fullName(id)}`
}

/** Names of definitions in the text of errors (Reference in LookupError.scala). */
export const reference = {
  package: (packageId: string): string => `package ${packageId}`,
  module: (packageId: string, module: string): string => `module ${packageId}:${module}`,
  definition: named('definition'),
  synonym: named('type synonym'),
  dataType: named('data type'),
  variant: named('variant'),
  variantConstructor: (id: Identifier, tag: string): string => `constructor ${tag} in variant ${fullName(id)}`,
  enum: named('enumeration'),
  enumConstructor: (id: Identifier, tag: string): string => `constructor ${tag} in enumeration ${fullName(id)}`,
  value: named('value'),
  template: named('template'),
  interface: named('interface'),
  key: (id: Identifier): string => `template without contract key ${fullName(id)}.`,
  instance: (of: Identifier, template: Identifier): string => {
    return `interface instance ${fullName(of)} for ${fullName(template)}`
  },
  templateChoice: (id: Identifier, choice: string): string => `choice ${choice} in template ${fullName(id)}`,
  interfaceChoice: (id: Identifier, choice: string): string => `choice ${choice} in interface ${fullName(id)}`,
  method: (id: Identifier, method: string): string => `method ${method} in interface ${fullName(id)}`,
  exception: named('exception'),
}

/** A place in the source of the expression that `definition` names. */
function locationText(location: Location, definition: string): string {
  const { packageId, module, startLine, startColumn, endLine, endColumn } = location
  const range = `start: (${startLine},${startColumn}), end: (${endLine},${endColumn})`
  return `definition ${packageId}:${module}:${definition} (${range})`
}

/** The definition that the checker is in, and the place in its source. */
export type Place = {
  /** The definition being checked, as in `value abc:Main:f`; undefined for a whole package. */
  reference: string | undefined
  /** The reference's name for the expression being checked, as in `Iou:Transfer:controller`. */
  definition: string
  location: Location | undefined
}

export function createPlace(): Place {
  return { reference: undefined, definition: '', location: undefined }
}

/** The beginning of each error: where it is. */
export function contextOf({ reference, definition, location }: Place): string {
  if (location !== undefined) return ` in ${locationText(location, definition)}`
  return reference === undefined ? '' : ` in ${reference}`
}
