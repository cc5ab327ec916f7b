// A file of archives, each after its length: what the reference reads.
import { readFileSync, writeFileSync } from 'node:fs'

export function writeArchives(file: string, archives: Iterable<Uint8Array>): void {
  const parts: Uint8Array[] = []
  for (const archive of archives) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(archive.length)
    parts.push(length, archive)
  }
  writeFileSync(file, Buffer.concat(parts))
}

/** A line of JSON each; the reference writes nothing else there. */
// biome-ignore lint/suspicious/noExplicitAny: plain JSON.
export function readLines(file: string): any[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
