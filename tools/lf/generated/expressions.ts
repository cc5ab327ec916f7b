// Compares the evaluation of random expressions with the reference.
//
//   expressions.ts write FIRST COUNT OUT.dalfs     the packages of the seeds FIRST, FIRST + 1, …
//   expressions.ts compare FIRST COUNT ANSWERS     exits 1 and says what differs
//   expressions.ts parts SEED NAME OUT.dalfs       every closed part of a value, each as a value of its own
//   expressions.ts compare-parts SEED NAME ANSWERS  the smallest part that differs
//   expressions.ts record FIRST COUNT ANSWERS FILE  a digest of each answer, for npm test
//
// ANSWERS is what `Main evaluate OUT.dalfs ANSWERS` writes (see README.md).
import { writeFileSync } from 'node:fs'
import type { Expression } from '../../../src/lf/syntax/ast.ts'
import { digestOf } from '../../../test/differential/generated/digests.ts'
import {
  archiveOfExpressions,
  evaluationsOf,
  outcomeText,
} from '../../../test/differential/generated/expression-packages.ts'
import { archiveOfParts, partsOf } from '../../../test/differential/generated/expression-parts.ts'
import type { Recorded } from '../../../test/differential/recorded-values.ts'
import { readLines, writeArchives } from './archives.ts'
import { inLargeStack } from './in-large-stack.ts'

await inLargeStack(import.meta.url, ([command, first, second, file, output]) => {
  const seeds = Array.from({ length: Number(second) }, (_, index) => Number(first) + index)
  if (command === 'write') writeArchives(file!, seeds.map(archiveOfExpressions))
  else if (command === 'compare') return compare(seeds, readLines(file!))
  else if (command === 'parts') writeArchives(file!, [archiveOfParts(Number(first), second!)])
  else if (command === 'compare-parts') return compareParts(Number(first), second!, readLines(file!))
  else if (command === 'record') record(seeds, readLines(file!), output!)
  else throw new Error('usage: see the top of the file')
  return 0
})

/** The answers in the order of the values; a package that is not well-typed has one answer for all. */
function* withAnswers(
  seeds: readonly number[],
  answers: readonly Recorded[],
): Generator<[number, string, Map<string, string>]> {
  let at = 0
  for (const seed of seeds) {
    if (answers[at]?.invalid !== undefined) {
      yield [seed, answers[at++]!.invalid, new Map()]
      continue
    }
    const names = new Map<string, string>()
    for (; at < answers.length && answers[at].invalid === undefined && !names.has(answers[at].name); at++) {
      names.set(answers[at].name, outcomeText(answers[at]))
    }
    yield [seed, '', names]
  }
}

function compare(seeds: readonly number[], answers: readonly Recorded[]): number {
  const counts = { packages: 0, invalid: 0, compared: 0, agree: 0, values: 0, failures: 0, withTraces: 0, tooLong: 0 }
  for (const [seed, invalid, theirs] of withAnswers(seeds, answers)) {
    counts.packages++
    if (invalid !== '') {
      counts.invalid++
      console.log(`${seed} is not well-typed: ${invalid}`)
      continue
    }
    for (const ours of evaluationsOf(archiveOfExpressions(seed))) {
      const [expected, found] = [theirs.get(ours.name), outcomeText(ours)]
      if (expected?.includes('unexpected result from pure machine')) {
        counts.tooLong++
        continue
      }
      counts.compared++
      counts[ours.error === undefined ? 'values' : 'failures']++
      if (ours.traces) counts.withTraces++
      if (expected === found) counts.agree++
      else console.log(`${seed} ${ours.name}\n  reference: ${expected}\n  ours:      ${found}`)
    }
  }
  console.log(JSON.stringify(counts))
  return counts.agree === counts.compared && counts.invalid === 0 ? 0 : 1
}

function compareParts(seed: number, name: string, answers: readonly Recorded[]): number {
  const theirs = new Map(answers.map((answer) => [answer.name, outcomeText(answer)]))
  const parts = partsOf(seed, name)
  const differing = evaluationsOf(archiveOfParts(seed, name))
    .filter((ours) => theirs.get(ours.name) !== outcomeText(ours))
    .map((ours) => ({ ours, part: parts[Number(ours.name.slice(1))]! }))
    .map((row) => ({ ...row, text: shown(row.part) }))
    .sort((a, b) => a.text.length - b.text.length)
  for (const { ours, text } of differing.slice(0, 3)) {
    console.log(`${text}\n  reference: ${theirs.get(ours.name)}\n  ours:      ${outcomeText(ours)}`)
  }
  return differing.length > 0 ? 1 : 0
}

function shown(part: Expression): string {
  return JSON.stringify(part, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function record(seeds: readonly number[], answers: readonly Recorded[], output: string): void {
  const rows: string[] = []
  for (const [seed, , theirs] of withAnswers(seeds, answers)) {
    const names = [...theirs.keys()].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
    rows.push(`${seed} ${names.map((name) => digestOf(theirs.get(name)!)).join('')}`)
  }
  writeFileSync(output, `${rows.join('\n')}\n`)
}
