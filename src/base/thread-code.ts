// The compiled code of threads, kept beside what Node keeps of modules: Node keeps none for threads that may not write
// files. The main thread compiles it from the source alone, so nothing that a thread handles gets into it.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

type Missing = { readonly file: string; readonly source: string }

const checksumBytes = 4
/** By the file that each is kept in. */
const missing = new Map<string, Missing>()

/** For the starter of a thread in the bundle, which is beside its code; undefined if there is none yet. */
export function compiledThread(starter: URL): Uint8Array | undefined {
  const folder = getCompileCacheDir() // Of this version of Node, on this kind of processor.
  if (folder === undefined || !starter.pathname.endsWith('.mjs')) return undefined
  const file = fileURLToPath(starter).replace(/\.mjs$/, '.cjs')
  const source = readFileSync(file, 'utf8')
  const kept = join(folder, `${basename(file)}-${crc32(source).toString(16)}`)
  const compiled = read(kept)
  if (compiled === undefined && missing.size === 0) process.once('exit', keepMissing)
  if (compiled === undefined) missing.set(kept, { file, source })
  return compiled
}

/** Undefined if there is none, or if it is damaged. */
function read(kept: string): Uint8Array | undefined {
  try {
    const content = readFileSync(kept)
    const compiled = content.subarray(checksumBytes)
    return content.readUInt32LE() === crc32(compiled) ? new Uint8Array(compiled) : undefined
  } catch {
    return undefined
  }
}

/** At the end of the process, when nothing waits for it. */
function keepMissing(): void {
  for (const [kept, { file, source }] of missing) {
    const compiled = compile(file, source)
    const checksum = Buffer.alloc(checksumBytes)
    checksum.writeUInt32LE(crc32(compiled))
    try {
      const written = `${kept}.${process.pid}`
      writeFileSync(written, Buffer.concat([checksum, compiled]), { mode: 0o600 })
      renameSync(written, kept)
    } catch {
      return // The disk is full, or the folder is gone: the next process tries again.
    }
  }
}

/** With all functions, which V8 otherwise compiles when they are first called. */
function compile(file: string, source: string): Uint8Array {
  setFlagsFromString('--no-lazy')
  const script = new Script(source, { filename: file })
  setFlagsFromString('--lazy') // The flags are noted in what it returns, and have to be those of the thread.
  return script.createCachedData()
}
