// Compares our type checker with the reference's on mutants of packages, and on archives and DARs as they are.
//
//   node tools/lf/mutants.ts write DAR FIRST COUNT OUT.dalfs   mutants of the DAR's main package
//   node tools/lf/mutants.ts compare DAR FILE.dalfs VERDICTS   FILE.dalfs, or - for the DAR itself
//
// VERDICTS is what `Main validate [--with DAR] FILE.dalfs` prints (see README.md).
import { readFileSync, writeFileSync } from 'node:fs'
import { decodeArchive } from '../../src/lf/archive/archive.ts'
import { ArchiveError } from '../../src/lf/archive/archive-error.ts'
import { mutantsOf, openPackages, verdictOf } from '../../src/lf/testing/verdicts.ts'

const [command, dar, ...rest] = process.argv.slice(2)

if (command === 'write') {
  const [first, count, output] = rest
  const parts: Buffer[] = []
  for (const { archive } of mutantsOf(readFileSync(dar!), Number(first), Number(count))) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(archive.length)
    parts.push(length, archive)
  }
  writeFileSync(output!, Buffer.concat(parts))
} else if (command === 'compare') {
  const [file, verdicts] = rest
  compare(file!, readFileSync(verdicts!, 'utf8').trimEnd().split('\n'))
} else throw new Error('usage: write DAR FIRST COUNT OUT.dalfs | compare DAR FILE.dalfs VERDICTS')

function compare(file: string, lines: readonly string[]): void {
  const packages = openPackages(readFileSync(dar!))
  const archives = file === '-' ? [...packages.values()].map(({ bytes }) => bytes) : archivesIn(readFileSync(file))
  const counts = { compared: 0, agree: 0, ok: 0, invalid: 0, unreadable: 0, crash: 0 }
  const names = new Map<string, number>()
  for (const [index, archive] of archives.entries()) {
    const theirs = JSON.parse(lines[index]!)
    const expected: string = theirs.verdict ?? (theirs.unreadable === undefined ? 'crash' : 'unreadable')
    const found = verdictOf(archive, packages)
    counts.compared++
    if (expected === 'ok' || expected === 'unreadable' || expected === 'crash') counts[expected]++
    else {
      counts.invalid++
      const name = expected.slice(0, expected.indexOf(':'))
      names.set(name, (names.get(name) ?? 0) + 1)
    }
    if (found === expected) counts.agree++
    else
      console.log(
        `${file} ${index}\n  reference: ${expected}${theirs.unreadable ?? theirs.crash ?? ''}\n  ours:      ${found}${why(archive, found)}`,
      )
  }
  console.log(JSON.stringify({ file, ...counts, errors: Object.fromEntries(names) }))
}

function why(archive: Uint8Array, found: string): string {
  if (found !== 'unreadable') return ''
  try {
    decodeArchive(archive).checkBodies()
    return ''
  } catch (error) {
    if (error instanceof ArchiveError) return ` ${error.message}`
    throw error
  }
}

function archivesIn(bytes: Buffer): Buffer[] {
  const archives: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    archives.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return archives
}
