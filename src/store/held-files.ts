// The files that SQLite has locked in this process. When a process closes any descriptor of a file, the operating system
// releases all POSIX locks that the process has on it, those of SQLite included. A snapshot may be the same file as the
// ledger under another name, so a descriptor of such a file stays open until the ledger is closed.
import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

type Held = { ledgers: number; readonly waiting: FileHandle[] }

const heldFiles = new Map<string, Held>()

/** Called when SQLite has opened the file; the result is called when it has closed it. */
export function holdFile(path: string): () => void {
  const key = keyOf(fs.statSync(path, { bigint: true }))
  const held = heldFiles.get(key) ?? { ledgers: 0, waiting: [] }
  heldFiles.set(key, held)
  held.ledgers += 1
  return () => {
    held.ledgers -= 1
    if (held.ledgers > 0) return
    heldFiles.delete(key)
    for (const handle of held.waiting) void handle.close()
  }
}

export type OpenFile = AsyncDisposable & { readonly handle: FileHandle }

/** Opens a file that may be the ledger's. */
export async function openToRead(path: string): Promise<OpenFile> {
  const handle = await open(path)
  return {
    handle,
    async [Symbol.asyncDispose]() {
      const held = heldFiles.get(keyOf(fs.fstatSync(handle.fd, { bigint: true })))
      if (held === undefined) await handle.close()
      else held.waiting.push(handle)
    },
  }
}

function keyOf({ dev, ino }: fs.BigIntStats): string {
  return `${dev} ${ino}`
}
