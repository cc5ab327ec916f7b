// Compares the decoding and encoding of random JSON with the reference's JSON API.
//
//   json.ts write FIRST COUNT OUT.dalfs CASES     the packages of the seeds FIRST, FIRST + 1, … and JSON for their choices
//   json.ts compare FIRST COUNT ANSWERS           exits 1 and says what differs
//   json.ts record FIRST COUNT ANSWERS FILE       a digest of each answer, for npm test
//
// ANSWERS is what `Main transcode OUT.dalfs CASES ANSWERS` writes (see README.md).
import { writeFileSync } from 'node:fs'
import { digestOf } from '../../../test/differential/generated/digests.ts'
import { answerText, expectedAnswer } from '../../../test/differential/generated/json-answers.ts'
import { jsonAnswers, jsonPackage } from '../../../test/differential/generated/json-packages.ts'
import { encodePackage } from '../../../test/support/lf/package-encoder.ts'
import { readLines, writeArchives } from './archives.ts'
import { inLargeStack } from './in-large-stack.ts'

await inLargeStack(import.meta.url, ([command, first, second, third, fourth]) => {
  const seeds = Array.from({ length: Number(second) }, (_, index) => Number(first) + index)
  if (command === 'write') write(seeds, third!, fourth!)
  else if (command === 'compare') return compare(seeds, readLines(third!))
  else if (command === 'record') {
    record(seeds, readLines(third!), fourth!)
  } else throw new Error('usage: see the top of the file')
  return 0
})

function write(seeds: readonly number[], archives: string, cases: string): void {
  const packages = seeds.map(jsonPackage)
  writeArchives(
    archives,
    packages.map(({ given }) => encodePackage(given).archive),
  )
  const lines = packages.flatMap((each, index) =>
    each.cases.map((row) => `${ascii(JSON.stringify([index, ...row]))}\n`),
  )
  writeFileSync(cases, lines.join(''))
}

/** The reference's parser of cases takes U+FFFF for the end. */
function ascii(text: string): string {
  return text.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function compare(seeds: readonly number[], answers: ReturnType<typeof readLines>): number {
  const counts = { compared: 0, agree: 0, accepted: 0, refused: 0 }
  const differences = new Map<string, number>()
  let at = 0
  for (const seed of seeds) {
    const made = jsonPackage(seed)
    for (const [index, ours] of jsonAnswers(made).entries()) {
      const theirs = answers[at++]!
      const expected = expectedAnswer(theirs)
      counts.compared++
      counts[theirs.json === undefined ? 'refused' : 'accepted']++
      if (answerText(expected) === answerText(ours, expected)) {
        counts.agree++
        continue
      }
      const kind = `${theirs.stage ?? 'accepted'} ${theirs.class ?? ''} / ${'code' in ours ? ours.code : 'accepted'}`
      differences.set(kind, (differences.get(kind) ?? 0) + 1)
      if (differences.get(kind)! <= 6) {
        const [choice, json] = made.cases[index]!
        const { type } = made.given.modules.get('Main')!.templates.get('T')!.choices.get(choice)!.argument
        console.log(`${seed} ${index} ${kind}\n  json:      ${json}\n  type:      ${JSON.stringify(type)}`)
        console.log(`  reference: ${JSON.stringify(theirs)}\n  ours:      ${JSON.stringify(ours)}`)
      }
    }
  }
  console.log(JSON.stringify({ ...counts, differences: Object.fromEntries(differences) }))
  return counts.agree === counts.compared ? 0 : 1
}

function record(seeds: readonly number[], answers: ReturnType<typeof readLines>, file: string): void {
  let at = 0
  const rows = seeds.map((seed) => {
    const digests = jsonAnswers(jsonPackage(seed)).map(() => digestOf(answerText(expectedAnswer(answers[at++]!))))
    return `${seed} ${digests.join('')}\n`
  })
  writeFileSync(file, rows.join(''))
}
