// The engine alone: repeated interpretation of a quickstart transfer with five nodes, in one thread.
import { load } from '../test/differential/load.ts'
import { submissionOf } from '../test/differential/replay-submissions.ts'
import { median } from './processes.ts'

const aimMicros = 50
const rounds = 9
const perRound = 5_000

export async function interpretation() {
  const loaded = load('quickstart')
  const transfer = loaded.recording.cases.find(({ name }: { name: string }) => name === 'several at once')
  const submission = submissionOf(transfer, loaded)
  const { nodes } = loaded.engine.interpret(submission).transaction
  if (nodes.length !== 5) throw new Error('the transfer is meant to have five nodes')
  const micros: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const startedMs = performance.now()
    for (let count = 0; count < perRound; count += 1) loaded.engine.interpret(submission)
    micros.push(((performance.now() - startedMs) * 1000) / perRound)
  }
  const ours = median(micros.slice(1)) // The first round warms up.
  return { ours: Number(ours.toFixed(1)), theirs: aimMicros, unit: 'µs', ratio: ours / aimMicros }
}
