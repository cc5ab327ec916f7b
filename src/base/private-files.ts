// Files that other accounts of the machine must not read: the ledger, its lock, secrets and keys. They are made without
// any rights for others from their first byte on, whatever the umask is.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const privateFolder = 0o700
const privateFile = 0o600
const rightsOfOthers = 0o077
const othersMayWrite = 0o022

/** With the folders above it. One that is there stays as it is. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: privateFolder })
}

/** Empty, unless it is there. SQLite gives the files beside a database the mode of the database. */
export function makePrivateFile(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', privateFile))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}

/** One that is not there yet, on disk when this returns. */
export function writePrivateFile(file: string, text: string): void {
  const opened = openSync(file, 'wx', privateFile)
  try {
    writeSync(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** What other accounts can read or change of a folder and its files. A folder they cannot enter protects its files. */
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

/** Windows protects files by lists that say nothing here. */
const knowsModes = process.platform !== 'win32'

/** None of what is no folder or cannot be read: whoever opens it says why. */
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
