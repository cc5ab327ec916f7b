// Compares submissions to random small packages with the reference.
//
//   updates.ts write FIRST COUNT FOLDER     FOLDER/dars and FOLDER/cases of the seeds FIRST, FIRST + 1, …
//   updates.ts compare FOLDER               exits 1 and says what differs
//   updates.ts record FOLDER FILE COUNT     a digest of each outcome of the first COUNT packages, for npm test
//
// FOLDER/recorded is what `Main record FOLDER/cases FOLDER/recorded` writes (see README.md).
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openUpdateLedger } from '../../../test/differential/generated/update-ledgers.ts'
import { inLargeStack } from './in-large-stack.ts'
import { asciiJson, compareRecordings, digestsOf } from './recordings.ts'

await inLargeStack(import.meta.url, ([command, first, second, third]) => {
  if (command === 'write') write(Number(first), Number(second), resolve(third!))
  else if (command === 'compare') return compareRecordings(recordingsIn(first!).map(([, recording]) => recording))
  else if (command === 'record') {
    const rows = [...recordingsIn(first!).take(Number(third))].map(
      ([seed, recording]) => `${seed} ${digestsOf(recording)}\n`,
    )
    writeFileSync(second!, rows.join(''))
  } else throw new Error('usage: see the top of the file')
  return 0
})

function write(first: number, count: number, folder: string): void {
  for (const part of ['dars', 'cases', 'recorded']) mkdirSync(join(folder, part), { recursive: true })
  for (let seed = first; seed < first + count; seed++) {
    const file = join(folder, 'dars', `${seed}.dar`)
    const { dar, recording, cases } = openUpdateLedger(seed, file)
    writeFileSync(file, dar)
    writeFileSync(join(folder, 'cases', `${seed}.json`), asciiJson({ ...recording, cases: cases() }))
  }
}

function* recordingsIn(folder: string): Generator<[seed: number, recording: ReturnType<typeof JSON.parse>]> {
  const seeds = readdirSync(join(folder, 'recorded')).map((name) => Number.parseInt(name, 10))
  for (const seed of seeds.sort((a, b) => a - b)) {
    yield [seed, JSON.parse(readFileSync(join(folder, 'recorded', `${seed}.json`), 'utf8'))]
  }
}
