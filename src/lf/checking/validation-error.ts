// Why a package is not valid. Names of errors and their texts are the reference's (ValidationError.scala): tools and
// people look for them.
import type { Type } from './type.ts'

/** The 52 errors that the reference raises, and one of our own for what is too large to check. */
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
  /** Of a type mismatch. */
  readonly mismatch: { readonly context: string; readonly found: Type; readonly expected: Type } | undefined

  /** `context` says where, as in ` in value abc:Main:f`; it is empty for a whole package. */
  constructor(name: ValidationErrorName, context: string, problem: string, mismatch?: { found: Type; expected: Type }) {
    super(`validation error${context}: ${problem}`)
    this.name = name
    this.mismatch = mismatch && { context, ...mismatch }
  }
}
