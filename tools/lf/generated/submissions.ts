// Compares random submissions over the test packages with the reference.
//
//   submissions.ts write FIRST COUNT OUT.json     the cases of the sequences FIRST, FIRST + 1, …
//   submissions.ts compare RECORDING              exits 1 and says what differs
//   submissions.ts record FIRST COUNT RECORDING FILE   a digest of each outcome, for npm test
//
// RECORDING is what `Main record` makes of OUT.json (see README.md).
import { readFileSync, writeFileSync } from 'node:fs'
import { digestOf } from '../../../test/differential/generated/digests.ts'
import { expectedOutcome, openLedger, outcomeText } from '../../../test/differential/generated/submission-packages.ts'
import { loadRecording } from '../../../test/differential/load.ts'
import type { Recorded } from '../../../test/differential/recorded-values.ts'
import { isBeforeInterpretation, submitted } from '../../../test/differential/replay-submissions.ts'
import { inLargeStack } from './in-large-stack.ts'

await inLargeStack(import.meta.url, ([command, first, second, third, fourth]) => {
  if (command === 'write') write(Number(first), Number(second), third!)
  else if (command === 'compare') return compare(JSON.parse(readFileSync(first!, 'utf8')))
  else if (command === 'record') record(Number(first), JSON.parse(readFileSync(third!, 'utf8')), fourth!)
  else throw new Error('usage: see the top of the file')
  return 0
})

function write(first: number, count: number, file: string): void {
  const { recording, sequence } = openLedger()
  const cases = Array.from({ length: count }, (_, index) => sequence(first + index)).flat()
  const text = JSON.stringify({ ...recording, cases })
  writeFileSync(
    file,
    text.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

function compare(recording: Recorded): number {
  const loaded = loadRecording(recording)
  const counts = { cases: 0, compared: 0, agree: 0, transactions: 0, refusals: 0, beforeInterpretation: 0 }
  const kinds: Record<string, number> = {}
  for (const entry of recording.cases) {
    counts.cases++
    if (isBeforeInterpretation(entry.outcome)) {
      counts.beforeInterpretation++
      continue
    }
    counts.compared++
    counts[entry.outcome.nodes ? 'transactions' : 'refusals']++
    for (const { kind } of entry.outcome.nodes ?? []) kinds[kind] = (kinds[kind] ?? 0) + 1
    const [expected, found] = [outcomeText(expectedOutcome(entry.outcome)), outcomeText(submitted(entry, loaded))]
    if (expected === found) counts.agree++
    else
      console.log(
        `${entry.name}\n  reference: ${expected}\n  ours:      ${found}\n  case:      ${JSON.stringify(entry)}`,
      )
  }
  console.log(JSON.stringify({ ...counts, ...kinds }))
  return counts.agree === counts.compared ? 0 : 1
}

function record(first: number, recording: Recorded, file: string): void {
  const digests = recording.cases.map(({ outcome }: Recorded) => {
    return isBeforeInterpretation(outcome) ? '....' : digestOf(outcomeText(expectedOutcome(outcome)))
  })
  writeFileSync(file, `${first} ${digests.join('')}\n`)
}
