// Checks that the open files are still those of the data folder. Writes to a file that was deleted, moved or replaced
// succeed, but are lost with the process.
import fs from 'node:fs'
import { basename } from 'node:path'

export type FileWatch = {
  /** The problem, if there is one. */
  problem(): string | undefined
}

export type Identity = { readonly dev: number; readonly ino: number }

/** Compares with the files as they are now. They are never opened: closing one would release SQLite's locks on it. */
export function watchFiles(paths: readonly string[]): FileWatch {
  const known = paths.map((path) => ({ path, identity: fs.statSync(path) as Identity }))
  return {
    problem() {
      for (const { path, identity } of known) {
        const problem = problemOf(path, identity)
        if (problem !== undefined) return problem
      }
      return undefined
    },
  }
}

export function problemOf(path: string, identity: Identity): string | undefined {
  let found: Identity | undefined
  try {
    found = fs.statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // A disk that does not answer is handled elsewhere.
  }
  if (found === undefined) return `${basename(path)} was deleted or moved while the node ran`
  const isSame = found.ino === identity.ino && found.dev === identity.dev
  return isSame ? undefined : `${basename(path)} was replaced while the node ran`
}
