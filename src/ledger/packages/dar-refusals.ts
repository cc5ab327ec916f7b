// Errors for a DAR that cannot be read, as Canton tells them (PackageServiceErrors.scala). What is wrong inside a package is in
// our words, because they say where; of other damage a development node's hint says more.
import { LedgerError } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import { setOrder } from '../../base/scala-order.ts'
import type { ArchiveError } from '../../lf/archive/archive-error.ts'
import type { UnmetDependencies } from '../../lf/checking/check-dar.ts'
import type { ValidationError } from '../../lf/checking/validation-error.ts'

const allowedLanguageVersions = 'List(2.1, 2.2, 2.3)'

/** What Canton calls a DAR in its errors. */
export const darNames = { upload: 'uploaded-via-ledger-api', validation: 'defaultDarName' }

/** `fileName`: what Canton calls the file. */
export function refusalOfArchive({ message, problem }: ArchiveError, fileName: string): LedgerError {
  const reason = shorten(message, 500)
  const about = { kind: 'advice', text: reason } as const
  switch (problem.kind) {
    case 'not-a-dar': {
      const { entries = [], exception = withoutManifest(fileName, entries) } = problem
      const context = { entries: listText(entries), throwable: inShort(exception) }
      return new LedgerError('INVALID_DAR', 'Dar file is corrupt', { context, about })
    }
    case 'missing-entry': {
      const context = { name: inShort(problem.entry), entries: listText(problem.entries) }
      return new LedgerError('INVALID_ZIP_ENTRY', 'Dar zip file is corrupt', { context, about })
    }
    case 'zip-bomb': {
      const context = { msg: 'An entry is too large, rejected as a possible zip bomb' }
      return new LedgerError('ZIP_BOMB', 'Dar zip file seems to be a zip bomb.', { context, about })
    }
    case 'language': {
      const { packageId, version } = problem
      const expected = `Expected version range is ${allowedLanguageVersions} but got ${version}`
      const cause = `Disallowed language version in package ${packageId}: ${expected}`
      const context = { packageId, languageVersion: version, allowedLanguageVersions }
      return new LedgerError('ALLOWED_LANGUAGE_VERSIONS', cause, { context })
    }
    case 'content': {
      const context = { reason: inShort(problem.reason ?? reason) }
      return new LedgerError('DAR_PARSE_ERROR', 'Failed to parse the dar file content.', { context, about })
    }
  }
}

function withoutManifest(fileName: string, entries: readonly string[]): string {
  const exception = 'com.digitalasset.daml.lf.archive.Error$InvalidZipEntry: Invalid zip entryName'
  return `${exception}: META-INF/MANIFEST.MF, DAR: ${fileName}, content: [${setOrder(entries).join(', ')}}]`
}

/** More does not fit into the details of an error, whose exact size is decided in api/errors/details-size.ts. */
const textMax = 4096

function inShort(text: string): string {
  return shorten(text, textMax)
}

/** As Scala prints the names of the files. */
function listText(names: readonly string[]): string {
  return inShort(`List(${setOrder(names).join(', ')})`)
}

/** A package that is no valid Daml-LF. The reference prints the error with the name of its class. */
export function refusalOfPackage({ name, message }: ValidationError): LedgerError {
  const validationError = inShort(`com.digitalasset.daml.lf.validation.${name}: ${message}`)
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
