// The committed packages that random submissions use, and what is compared of an outcome.
import { readFileSync } from 'node:fs'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import { type Loaded, loadRecording } from '../load.ts'
import type { Recorded } from '../recorded-values.ts'
import { recordedTransaction } from '../replay-submissions.ts'
import { submissionSequence, submissionSettings } from './random-submissions.ts'

const dars = [
  'test/lf/effects-lf21.dar',
  'test/lf/effects-lf22.dar',
  'test/lf/effects-lf23.dar',
  'test/lf/keys-lf23.dar',
  'test/lf/keys-lf23.dar', // Twice as often as the others.
  'packages/quickstart/quickstart.dar',
]

export type Ledger = { readonly loaded: Loaded; readonly recording: Recorded; sequence(seed: number): Recorded[] }

export function openLedger(): Ledger {
  const mains = dars.map(
    (dar) => decodeDar(readFileSync(new URL(`../../../${dar}`, import.meta.url))).packages[0]!.package,
  )
  const packages = Object.fromEntries(mains.map(({ name, id }) => [name, id]))
  const recording = { ...submissionSettings, dars: [...new Set(dars)], packages }
  const loaded = loadRecording(recording)
  return { loaded, recording, sequence: (seed) => submissionSequence(seed, mains, loaded) }
}

/** Keys sorted, so that equal outcomes have equal texts. */
export function outcomeText(outcome: Recorded): string {
  return JSON.stringify(outcome, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

export function expectedOutcome(outcome: Recorded): Recorded {
  return 'nodes' in outcome ? recordedTransaction(outcome) : { error: outcome.error.message }
}
