// Compares our type checker with the reference's, on mutants of packages, on the invalid packages of our tests, and on
// DARs as they are.
//
//   node tools/lf/mutants.ts write DAR FIRST COUNT OUT.dalfs   mutants of the DAR's main package
//   node tools/lf/mutants.ts invalid OUT.dalfs                 the invalid packages of our tests
//   node tools/lf/mutants.ts compare DAR FILE.dalfs VERDICTS   FILE.dalfs, or - for the DAR itself
//   node tools/lf/mutants.ts record RECORD NAME FIRST VERDICTS  puts what the reference said into a record for npm test
//
// VERDICTS is what `Main validate [--with DAR] FILE.dalfs` prints (see README.md).
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { decodeArchive, openArchive } from '../../src/lf/archive/archive.ts'
import { ArchiveError } from '../../src/lf/archive/archive-error.ts'
import { invalidPackages } from '../../test/support/lf/invalid-packages.ts'
import {
  fingerprintOf,
  mutantsOf,
  openPackages,
  type RecordedVerdicts,
  verdictOf,
} from '../../test/support/lf/verdicts.ts'

const [command, ...args] = process.argv.slice(2) as [string, ...string[]]
const [first, second, third, fourth] = args as [string, string, string, string]

if (command === 'write') {
  writeArchives(fourth, [...mutantsOf(readFileSync(first), Number(second), Number(third))])
} else if (command === 'invalid') writeArchives(first, invalidPackages())
else if (command === 'compare') compare(first, second, verdictsIn(third))
else if (command === 'record') record(first, second, Number(third), verdictsIn(fourth))
else throw new Error('usage: see the top of the file')

function writeArchives(file: string, packages: readonly { readonly archive: Buffer }[]): void {
  const parts = packages.flatMap(({ archive }) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(archive.length)
    return [length, archive]
  })
  writeFileSync(file, Buffer.concat(parts))
}

/** The reference logs to the same place. */
function verdictsIn(file: string): { verdict: string; reason: string }[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines
    .filter((line) => line.startsWith('{'))
    .map((line) => {
      const { verdict, unreadable, crash } = JSON.parse(line)
      return {
        verdict: verdict ?? (unreadable === undefined ? 'crash' : 'unreadable'),
        reason: unreadable ?? crash ?? '',
      }
    })
}

function compare(dar: string, file: string, theirs: readonly { verdict: string; reason: string }[]): void {
  const packages = dar === '-' ? new Map() : openPackages(readFileSync(dar))
  const archives = file === '-' ? [...packages.values()].map(({ bytes }) => bytes) : archivesIn(readFileSync(file))
  const counts = { compared: 0, agree: 0, ok: 0, invalid: 0, unreadable: 0, crash: 0 }
  const names = new Map<string, number>()
  for (const [index, archive] of archives.entries()) {
    const { verdict, reason } = theirs[index]!
    const found = verdictOf(archive, packages)
    counts.compared++
    if (verdict === 'ok' || verdict === 'unreadable' || verdict === 'crash') counts[verdict]++
    else {
      counts.invalid++
      const name = verdict.slice(verdict.lastIndexOf('.', verdict.indexOf(':')) + 1, verdict.indexOf(':'))
      names.set(name, (names.get(name) ?? 0) + 1)
    }
    if (found === verdict) counts.agree++
    else
      console.log(`${file} ${index}\n  reference: ${verdict} ${reason}\n  ours:      ${found} ${why(archive, found)}`)
  }
  console.log(JSON.stringify({ file, ...counts, errors: Object.fromEntries(names) }))
}

function why(archive: Uint8Array, found: string): string {
  if (found !== 'unreadable') return ''
  try {
    decodeArchive(archive).checkBodies()
    return ''
  } catch (error) {
    if (error instanceof ArchiveError) return error.message
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

/** `name` is `invalid`, or the DAR whose mutants they are. */
function record(file: string, name: string, from: number, theirs: readonly { verdict: string }[]): void {
  const before: RecordedVerdicts = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { invalid: {}, mutants: [] }
  const after: RecordedVerdicts =
    name === 'invalid'
      ? {
          ...before,
          invalid: Object.fromEntries(
            invalidPackages().map(({ name: row, archive }, index) => {
              return [row, theirs[index]!.verdict.replaceAll(openArchive(archive).id, 'self')]
            }),
          ),
        }
      : { ...before, mutants: [...before.mutants.filter(({ dar }) => dar !== name), mutantsRecord(name, from, theirs)] }
  writeFileSync(file, `${JSON.stringify(after, undefined, 2)}\n`)
}

function mutantsRecord(dar: string, from: number, theirs: readonly { verdict: string }[]) {
  const fingerprints = theirs.map(({ verdict }) => fingerprintOf(verdict)).join('')
  return { dar, first: from, count: theirs.length, fingerprints }
}
