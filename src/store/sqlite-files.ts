// Whether the files that are open are still those of the data folder. What is written to a file that was deleted, moved
// or replaced is lost with the process, although every write succeeds.
import fs from 'node:fs'
import { basename } from 'node:path'

export type FileWatch = {
  /** What is wrong, if anything is. */
  problem(): string | undefined
}

export type Identity = { readonly dev: number; readonly ino: number }

/** The files as they are now. They are looked up by name, never opened: to close a file gives SQLite's locks on it back. */
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
    return undefined // A disk that does not answer is another problem.
  }
  if (found === undefined) return `${basename(path)} was deleted or moved while the node ran`
  const isSame = found.ino === identity.ino && found.dev === identity.dev
  return isSame ? undefined : `${basename(path)} was replaced while the node ran`
}
