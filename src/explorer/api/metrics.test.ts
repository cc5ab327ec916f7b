import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentFrom, ratesBetween, samplesIn } from './metrics.ts'

const text = (accepted: number, seconds: number) => `# HELP tallystick_commands_total Commands
# TYPE tallystick_commands_total counter
tallystick_commands_total{outcome="accepted",code=""} ${accepted}
tallystick_commands_total{outcome="rejected",code="A \\"quoted\\" {one}"} 3
tallystick_commands_total{outcome="refused",code="NOT_FOUND"} 2
tallystick_command_duration_seconds_sum ${seconds}
tallystick_command_duration_seconds_count ${accepted}
process_resident_memory_bytes 1.5e+8
nonsense
`

test('moments and rates of the metrics', () => {
  const samples = samplesIn(text(10, 1))
  assert.equal(samples.length, 6)
  assert.equal(samples[1]!.labels.get('code'), 'A \\"quoted\\" {one}')
  const before = momentFrom(samples, 0)
  assert.deepEqual([before.accepted, before.refused, before.memoryBytes], [10, 5, 1.5e8])
  assert.deepEqual([...before.causes.values()], [3, 2])
  const after = momentFrom(samplesIn(text(30, 1.5)), 2000)
  assert.deepEqual(ratesBetween(before, after), { accepted: 10, refused: 0, latencyMs: 25 })
  assert.deepEqual(ratesBetween(after, before), { accepted: 0, refused: 0, latencyMs: 0 })
})
