// The files that SQLite has locked in this process. When a process closes any descriptor of a file, the operating system
// releases all POSIX locks that the process has on it, those of SQLite included. A snapshot may be the same file as the
// ledger under another name, so a descriptor of such a file stays open until the ledger is closed.
import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

type Held = { ledgers: number; readonly waiting: FileHandle[] }

const heldFiles = new Map<string, Held>()
let closing: Promise<unknown> = Promise.resolve()

/** Called when SQLite has opened the file; the result is called when it has closed it. */
export function holdFile(path: string): () => void {
  const key = keyOf(fs.statSync(path, { bigint: true }))
  const held = heldFiles.get(key) ?? { ledgers: 0, waiting: [] }
  heldFiles.set(key, held)
  held.ledgers += 1
  return () => {
    held.ledgers -= 1
    setImmediate(() => closeUnheld(key)) // A ledger that is opened again over the same file is so by then.
  }
}

function closeUnheld(key: string): void {
  const held = heldFiles.get(key)
  if (held === undefined || held.ledgers > 0) return
  heldFiles.delete(key)
  closing = Promise.allSettled([closing, ...held.waiting.map((handle) => handle.close())])
}

/** Settles when no descriptor of a file that was let go is open: SQLite may take locks on it again. */
export async function closedFiles(): Promise<void> {
  for (const key of [...heldFiles.keys()]) closeUnheld(key)
  await closing
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
