// What the comparisons of submissions share.
import { digestOf } from '../../../test/differential/generated/digests.ts'
import { expectedOutcome, outcomeText } from '../../../test/differential/generated/submission-packages.ts'
import { loadRecording } from '../../../test/differential/load.ts'
import type { Recorded } from '../../../test/differential/recorded-values.ts'
import { contractHashOf, isBeforeInterpretation, submitted } from '../../../test/differential/replay-submissions.ts'

/** Cases that the recorder reads: its parser takes U+FFFF for the end. */
export function asciiJson(cases: Recorded): string {
  return JSON.stringify(cases).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Prints what differs, and counts; the exit code. */
export function compareRecordings(recordings: Iterable<Recorded>): number {
  const counts = { cases: 0, compared: 0, agree: 0, transactions: 0, refusals: 0, beforeInterpretation: 0, hashes: 0 }
  const kinds: Record<string, number> = {}
  for (const recording of recordings) {
    const loaded = loadRecording(recording)
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
      const hashes = Object.entries(entry.outcome.inputContracts ?? {})
      counts.hashes += hashes.length
      const wrong = hashes.filter(([id, hash]) => contractHashOf(contractIn(entry, id), loaded) !== hash)
      if (wrong.length > 0) console.log(`${entry.name} hashes ${JSON.stringify(wrong)}`)
      if (expected === found && wrong.length === 0) counts.agree++
      else
        console.log(
          `${entry.name}\n  reference: ${expected}\n  ours:      ${found}\n  case:      ${JSON.stringify(entry)}`,
        )
    }
  }
  console.log(JSON.stringify({ ...counts, ...kinds }))
  return counts.agree === counts.compared ? 0 : 1
}

function contractIn({ contracts }: Recorded, id: string): Recorded {
  return contracts.find((contract: Recorded) => contract.id === id)
}

/** Four characters for each case; dots where the reference refuses before it interprets. */
export function digestsOf({ cases }: Recorded): string {
  const digest = ({ outcome }: Recorded): string => {
    return isBeforeInterpretation(outcome) ? '....' : digestOf(outcomeText(expectedOutcome(outcome)))
  }
  return cases.map(digest).join('')
}
