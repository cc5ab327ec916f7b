// Which versions of Daml-LF run here, and what to say about others. Mirrors Canton's daml-lf-versions.json.
import type { Minor } from '../syntax/ast.ts'
import { ArchiveError } from './archive-error.ts'

const minors: Readonly<Record<string, Minor>> = { 1: 1, 2: 2, 3: 3 }
const supported = 'this node runs LF 2.1, 2.2 and 2.3'

/** Unsupported versions that people meet, with the reason. */
const refused: Readonly<Record<string, string>> = {
  dev: 'is the unstable development version, which no ledger runs',
  '4-rc1': 'is a release candidate that is not final yet',
  '3-rc1': 'was a release candidate and is discontinued: rebuild the package for LF 2.3',
  '3-rc2': 'was a release candidate and is discontinued: rebuild the package for LF 2.3',
}

export function minorFromText(minor: string, packageId: string): Minor {
  const known = Object.hasOwn(minors, minor) ? minors[minor] : undefined
  if (known) return known
  if (!Object.hasOwn(refused, minor)) throw new ArchiveError(`Daml-LF 2.${quoted(minor)} is not known; ${supported}`)
  const problem = { kind: 'language', packageId, version: `2.${minor}` } as const
  throw new ArchiveError(`Daml-LF 2.${minor} ${refused[minor]}; ${supported}`, problem)
}

export function refuseLanguage1(minor: string, packageId: string): never {
  const version = `1.${quoted(minor)}`
  const message = `Daml-LF ${version} belongs to Daml 2 and does not run on Canton 3; ${supported}`
  throw new ArchiveError(message, { kind: 'language', packageId, version })
}

/** A version is a short word; anything else is quoted. */
function quoted(minor: string): string {
  return /^[\w-]{1,16}$/.test(minor) ? minor : JSON.stringify(minor.slice(0, 32))
}
