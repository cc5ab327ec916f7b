// Compares our upgrade checker with the reference's: the pairs of test/support/lf/upgrade-pairs.ts, random packages that
// are changed at random (--mutants), and with --folder all neighbouring versions of the packages in a folder of archives
// (*.dalf), in order and reversed. --record writes what the reference says about the mutants, for `npm test`.
// Run: node compare-upgrades.ts CLASSPATH [--folder FOLDER] [--mutants N] [--seed N] [--record]
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import type { Package } from '../../../src/lf/syntax/ast.ts'
import { comparePackageVersions } from '../../../src/lf/syntax/names.ts'
import { upgradeProblem } from '../../../src/lf/upgrading/check-upgrade.ts'
import { recordedUpgrades, verdictDigest } from '../../../test/differential/recorded-upgrades.ts'
import { writePackage } from '../../../test/support/lf/described-package.ts'
import { mutantDependencies, upgradeMutants } from '../../../test/support/lf/upgrade-mutants.ts'
import { upgradePairs } from '../../../test/support/lf/upgrade-pairs.ts'

type Pair = { readonly group: string; readonly past: Package; readonly present: Package }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string' },
    mutants: { type: 'string', default: `${recordedUpgrades.count}` },
    seed: { type: 'string', default: `${recordedUpgrades.seed}` },
    record: { type: 'boolean', default: false },
  },
})
const [classPath] = positionals
if (classPath === undefined) throw new Error('usage: compare-upgrades.ts CLASSPATH [--folder FOLDER]')

const packages = new Map<string, Package>()
const work = mkdtempSync(join(tmpdir(), 'compare-upgrades-'))
try {
  main(classPath)
} finally {
  rmSync(work, { recursive: true })
}

function main(path: string): void {
  const pairs = [...written(), ...mutants(), ...neighbours()]
  const answers = ask(path, pairs)
  const counts = new Map<string, number>()
  let differences = 0
  for (const [i, { group, past, present }] of pairs.entries()) {
    const ours = upgradeProblem(past, present, (id) => packages.get(id))
    const theirs = answers[i]
    if (ours !== theirs) {
      differences += 1
      const names = `${past.name} ${past.version} → ${present.version}`
      if (differences <= 20) console.log(`${group}: ${names}\n  reference: ${theirs}\n  ours:      ${ours}`)
    }
    const key = `${group}: ${theirs === undefined ? 'ok' : withoutNames(theirs)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  for (const [key, count] of [...counts].sort()) console.log(`${count}\t${key}`)
  console.log(`${pairs.length} pairs, ${differences} differences`)
  process.exitCode = differences === 0 ? 0 : 1
  if (!values.record) return
  const digests = pairs.flatMap(({ group }, i) => (group.startsWith('mutants') ? [verdictDigest(answers[i])] : []))
  const file = join(import.meta.dirname, '../../../test/differential/upgrades.txt')
  writeFileSync(file, `${digests.join('').replace(/.{120}/g, '$&\n')}\n`)
}

function known(archive: Uint8Array): Package {
  const decoded = decodeArchive(archive).package
  if (!packages.has(decoded.id)) writeFileSync(join(work, `${decoded.id}.dalf`), archive)
  packages.set(decoded.id, decoded)
  return decoded
}

function written(): Pair[] {
  return upgradePairs.map(({ name, past, present, dependencies = [] }) => {
    for (const { archive } of dependencies) known(archive)
    const after = known(writePackage({ ...present, version: '2.0.0' }).archive)
    return { group: name, past: known(writePackage(past).archive), present: after }
  })
}

/** In order and reversed. */
function mutants(): Pair[] {
  for (const { archive } of mutantDependencies) known(archive)
  return [...upgradeMutants(Number(values.mutants), Number(values.seed))].flatMap((mutant) => {
    const [past, present] = [known(writePackage(mutant.past).archive), known(writePackage(mutant.present).archive)]
    return [
      { group: 'mutants', past, present },
      { group: 'mutants reversed', past: present, present: past },
    ]
  })
}

/** Packages of one name, each with the next version. */
function neighbours(): Pair[] {
  const { folder } = values
  if (folder === undefined) return []
  const archives = readdirSync(folder).filter((name) => name.endsWith('.dalf'))
  const found = archives.map((name) => known(readFileSync(join(folder, name))))
  const pairs: Pair[] = []
  for (const versions of Map.groupBy(found, ({ name }) => name).values()) {
    const sorted = versions
      .filter(({ name }) => !/^daml-(prim|stdlib)/.test(name))
      .sort((a, b) => comparePackageVersions(a.version, b.version) || (a.id < b.id ? -1 : 1))
    for (const [i, present] of sorted.entries()) {
      const past = sorted[i - 1]
      if (past === undefined) continue
      pairs.push({ group: 'in order', past, present }, { group: 'reversed', past: present, present: past })
    }
  }
  return pairs
}

/** The first problem of each; undefined if there is none. */
function ask(path: string, pairs: readonly Pair[]): (string | undefined)[] {
  const program = join(import.meta.dirname, 'ReferenceUpgrades.java')
  const answer = execFileSync('java', ['-Xss64m', '-cp', path, program, work], {
    input: pairs.map(({ past, present }) => `pair ${past.id} ${present.id}`).join('\n'),
    maxBuffer: 1 << 30,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = answer.toString().trimEnd().split('\n')
  return lines.map((line) => (line === 'ok' ? undefined : line.startsWith('"') ? JSON.parse(line) : line))
}

function withoutNames(text: string): string {
  return text.replace(
    /(Module|Template|type|Choice|choice|template|record|variant|constructor|interface|origin from) [\w.$:]+/g,
    '$1 …',
  )
}
