// The DARs of a release, read from a folder and checked: a file that is missing, damaged or another one is refused by name.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../base/errors.ts'
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { openDar } from '../../lf/dar/dar.ts'
import { fileNameOf, type PackageRole, type SplicePackage, type SpliceRelease } from './releases.ts'

export type CheckedDar = { readonly role: PackageRole; readonly package: SplicePackage; readonly bytes: Uint8Array }

/** Throws if a file is missing, without reading the others. */
export function checkFolder(release: SpliceRelease, folder: string): void {
  for (const wanted of Object.values(release.packages)) {
    const path = join(folder, fileNameOf(wanted))
    if (!existsSync(path)) throw missing(path, wanted, release)
  }
}

/** In the order of the release. */
export function readReleaseDars(release: SpliceRelease, folder: string): readonly CheckedDar[] {
  return Object.entries(release.packages).map(([role, wanted]) => {
    const bytes = readFile(join(folder, fileNameOf(wanted)), wanted, release)
    checkDar(bytes, wanted)
    return { role: role as PackageRole, package: wanted, bytes }
  })
}

/** Throws unless the main package of the DAR is the one that is wanted. */
export function checkDar(bytes: Uint8Array, wanted: SplicePackage): void {
  const file = fileNameOf(wanted)
  const found = mainPackageId(bytes, file)
  if (found === wanted.packageId) return
  throw new StartError(
    `${file} is another package than the one that Splice released: its id is ${found}, and should be ${wanted.packageId}`,
  )
}

function mainPackageId(bytes: Uint8Array, file: string): string {
  try {
    return openDar(bytes).packages[0]!.id
  } catch (error) {
    if (error instanceof ArchiveError) throw new StartError(`${file} is not a DAR: ${error.message}`)
    throw error
  }
}

function readFile(path: string, wanted: SplicePackage, release: SpliceRelease): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'ENOENT') throw missing(path, wanted, release)
    throw new StartError(`cannot read ${path}: ${message}`)
  }
}

function missing(path: string, wanted: SplicePackage, { version }: SpliceRelease): StartError {
  return new StartError(`Splice ${version} needs ${fileNameOf(wanted)}, and there is no ${path}`)
}
