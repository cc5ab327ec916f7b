// A DAR file that is built again and again: says when there is another one. Files are looked at several times a second. That costs
// less than a millisecond, and unlike the notifications of an operating system it also works on shared folders and after a
// folder was deleted and made anew.
import { readFile, stat } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import { readZipDirectory } from './zip.ts'

/** A file is taken when it was the same at two looks. */
export const lookMs = 250
/** A file that is no whole zip file is probably being written, but not for longer than this. */
export const patienceMs = 3_000

export type ChangingFile = {
  /** To be asked at every look: whether there is another file than the one that was taken, and it is complete. */
  hasChanged(): Promise<boolean>
  /** From now on, the file as it is counts as known, whether it is good or not: only a change makes it better. */
  take(): Promise<void>
}

/** What changes when a file does. */
type Look = { readonly mark: string; readonly atMs: number }

export function changingFile(file: string, clock: Clock): ChangingFile {
  let taken: string | undefined
  let seen: Look | undefined
  return {
    async hasChanged() {
      const mark = await markOf(file)
      if (mark === undefined || mark === taken) return false
      if (seen?.mark !== mark) {
        seen = { mark, atMs: clock.elapsedMs() }
        return false
      }
      return clock.elapsedMs() - seen.atMs >= patienceMs || (await isWhole(file))
    },
    async take() {
      taken = (await markOf(file)) ?? taken
    },
  }
}

/** Undefined if there is no such file: it is being replaced, or was not built yet. */
async function markOf(file: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(file)
    return `${size} ${mtimeMs} ${ino}`
  } catch {
    return undefined
  }
}

async function isWhole(file: string): Promise<boolean> {
  try {
    readZipDirectory(await readFile(file))
    return true
  } catch {
    return false
  }
}
