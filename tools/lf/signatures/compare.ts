// Compares our answers with the reference's: compare.ts CASES ANSWERS. With --record it prints the first cases of every
// kind of answer instead, which are test/differential/signatures.json.
import { readFileSync } from 'node:fs'
import { answerAbout } from '../../../test/differential/signatures.ts'

const [casesFile, answersFile, option] = process.argv.slice(2) as [string, string, string?]
const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')
const answers = linesOf(answersFile)
const cases = linesOf(casesFile).map((line, index) => [...line.split(' '), answers[index]!] as const)

/** So many cases of an answer are kept; those with a text of its own tell enough with one. */
const kept = (answer: string): number => (/^KEY/.test(answer) ? 1 : 12)

if (option === '--record') {
  const kinds = Map.groupBy(cases, ([signature, , , answer]) => {
    return `${signature === 'validate'} ${answer!.replace(/-?\d+(\.\d+)*/g, '#')}`
  })
  const lines = [...kinds.values()].flatMap((each) => each.slice(0, kept(each[0]![3]!)))
  process.stdout.write(`[\n${lines.map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]\n`)
} else {
  const different = cases.filter(([signature, digest, key, want]) => answerAbout(signature!, digest!, key!) !== want)
  for (const [signature, digest, key, want] of different.slice(0, 20)) {
    console.log(`${signature} ${digest} ${key}\n  they: ${want}\n  we:   ${answerAbout(signature!, digest!, key!)}`)
  }
  console.log(`${cases.length - different.length} of ${cases.length} agree`)
  process.exitCode = different.length === 0 ? 0 : 1
}
