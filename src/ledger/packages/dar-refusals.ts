// Errors for a DAR that cannot be read. Codes, causes and context keys are Canton's (PackageServiceErrors.scala); the
// reasons under those keys are ours.
import { LedgerError } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import type { ArchiveError } from '../../lf/archive/archive-error.ts'
import type { UnmetDependencies } from '../../lf/checking/dar-dependencies.ts'
import type { ValidationError } from '../../lf/checking/validation-error.ts'

const allowedLanguageVersions = 'List(2.1, 2.2, 2.3)'

export function refusalOfArchive({ message, problem }: ArchiveError): LedgerError {
  const reason = shorten(message, 500)
  switch (problem.kind) {
    case 'not-a-dar':
      return new LedgerError('INVALID_DAR', 'Dar file is corrupt', { context: { throwable: reason } })
    case 'missing-entry':
      return new LedgerError('INVALID_ZIP_ENTRY', 'Dar zip file is corrupt', { context: { name: problem.entry } })
    case 'zip-bomb':
      return new LedgerError('ZIP_BOMB', 'Dar zip file seems to be a zip bomb.', { context: { msg: reason } })
    case 'language': {
      const { packageId, version } = problem
      const expected = `Expected version range is ${allowedLanguageVersions} but got ${version}`
      const cause = `Disallowed language version in package ${packageId}: ${expected}`
      const context = { packageId, languageVersion: version, allowedLanguageVersions }
      return new LedgerError('ALLOWED_LANGUAGE_VERSIONS', cause, { context })
    }
    case 'content':
      return new LedgerError('DAR_PARSE_ERROR', 'Failed to parse the dar file content.', { context: { reason } })
  }
}

/** Canton cuts the context of an error so that all of it fits into 4 KiB. */
const validationErrorMax = 3_500

/** A package that is no valid Daml-LF. The reference prints the error with the name of its class. */
export function refusalOfPackage({ name, message }: ValidationError): LedgerError {
  const validationError = shorten(`com.digitalasset.daml.lf.validation.${name}: ${message}`, validationErrorMax)
  return new LedgerError('DAR_VALIDATION_ERROR', 'Package validation failed.', { context: { validationError } })
}

/** Ids shown in an error; a DAR may hold thousands. */
const idsShownMax = 10

export function refusalOfDependencies(mainPackageId: string, { missing, extra }: UnmetDependencies): LedgerError {
  return new LedgerError(
    'DAR_DEPENDENCIES_NOT_VALID',
    'The set of packages in the dar is not self-consistent and is missing dependencies or has extra dependencies',
    { context: { mainPackageId, missingDependencies: shown(missing), extraDependencies: shown(extra) } },
  )
}

function shown(ids: readonly string[]): string {
  const more = ids.length > idsShownMax ? `, … (${ids.length})` : ''
  return `Set(${ids.slice(0, idsShownMax).join(', ')}${more})`
}
