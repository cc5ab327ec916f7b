// Mutated inputs for every decoder, in this process, because the network would be the slowest part.
import type { Campaign } from '../campaign.ts'
import { decoders } from '../fuzz/decoders/all.ts'
import { fuzz } from '../fuzz/processes.ts'

export const fuzzing: Campaign[] = decoders.map((decoder) => ({
  name: `decoder: ${decoder.name}`,
  attack: 'inputs mutated from valid ones: bits, bytes, lengths, texts, parts, splices',
  invariant:
    'A decoder answers a value or its declared refusal, within 250 ms; what it read, written again, reads the same',
  unit: 'inputs',
  full: 1_000_000,
  short: 200,
  run: (plan) => fuzz(decoder, plan),
}))
