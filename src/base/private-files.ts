// Files that other accounts of the machine must not read: the ledger, its lock, secrets and keys. They are created
// without rights for others, whatever the umask.
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const privateFolder = 0o700
export const privateFile = 0o600
const rightsOfOthers = 0o077
const othersMayWrite = 0o022

/** Creates missing parent folders, too. An existing folder is not changed. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: privateFolder })
}

/** Creates an empty file, unless it exists. SQLite gives the files beside a database the mode of the database. */
export function makePrivateFile(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', privateFile))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}

/** Fails if the file exists. It is on disk when this returns. */
export function writePrivateFile(file: string, content: string | Uint8Array): void {
  const opened = openSync(file, 'wx', privateFile)
  try {
    writeFileSync(opened, content)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** The same for a file that another process may read at any time: it appears with all of its content. */
export function publishPrivateFile(file: string, content: string | Uint8Array): void {
  const folder = mkdtempSync(`${file}.`)
  try {
    const whole = join(folder, 'whole')
    writePrivateFile(whole, content)
    linkSync(whole, file) // Renaming would replace an existing file.
  } catch (error) {
    if (!withoutLinks.has((error as { code?: string }).code)) throw error
    writePrivateFile(file, content)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file system without links fails with one of these. */
const withoutLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

/** The same as writePrivateFile for a large file. If this fails, what was written stays. */
export async function writePrivateStream(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  await writeFile(file, chunks, { flag: 'wx', mode: privateFile, flush: true })
}

/** What other accounts can read or change: the folder and its files. A folder they cannot enter protects its files. */
export function filesOpenToOthers(folder: string, isOurs: (name: string) => boolean): string[] {
  if (!knowsModes) return []
  const mode = modeOf(folder)
  if ((mode & rightsOfOthers) === 0) return []
  const files = namesIn(folder)
    .filter(isOurs)
    .map((name) => join(folder, name))
  return [...((mode & othersMayWrite) === 0 ? [] : [folder]), ...files.filter(isOpenToOthers)]
}

export function isOpenToOthers(file: string): boolean {
  return knowsModes && (modeOf(file) & rightsOfOthers) !== 0
}

/** Windows protects files by access control lists, which modes do not show. */
const knowsModes = process.platform !== 'win32'

/** Empty if it is not a folder or not readable: opening it will report why. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0
}
