// A sample of the generated comparisons: what the reference answered, as digests; the cases are made again from their seeds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GeneratedKind, replayGenerated } from './generated/replay-generated.ts'

const samples: readonly [kind: GeneratedKind, what: string, atLeast: number][] = [
  ['expressions', 'random expressions are evaluated', 300],
  ['submissions', 'random submissions to the test packages are interpreted', 90],
  ['updates', 'random submissions to random packages are interpreted', 40],
  ['json', 'random JSON is read and written', 900],
]

for (const [kind, what, atLeast] of samples) {
  test(`${what} as by the reference`, async () => {
    const { compared, differ } = await replayGenerated(kind)
    assert.ok(compared >= atLeast, `only ${compared} were compared`)
    assert.deepEqual(differ, [], 'tools/lf/generated shows what differs')
  })
}
