// What a real Canton whose time stands still answered to every request of the session about time (tools/compare), and what a
// node of ours answers. `tools/compare/main.ts --only time --record` makes the recording.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoth } from '../../tools/compare/both.ts'
import { timeSession } from '../../tools/compare/sessions/time.ts'
import { createReplay, createSide, recordingIn } from '../../tools/compare/side.ts'
import { createWorld, pairFirstOffsets } from '../../tools/compare/world.ts'
import { createRecordedVerdicts } from '../fixtures/canton-recording.ts'
import { startTestNode } from '../fixtures/node.ts'

test('a node whose time stands still answers as Canton does', async () => {
  const times: [ours: string[], canton: string[]][] = []
  const { verdicts, undeclared } = createRecordedVerdicts(({ ours, canton }) => {
    times.push([timesIn(ours.text), timesIn(canton.text)])
  })
  await using node = await startTestNode({
    settings: {
      ...{ grpc: { port: 0 }, auth: { mode: 'off' }, development: false, compatibility: 'canton-3.5' },
      ...{ participant: { name: 'sandbox' }, synchronizers: [{ alias: 'synchronizer-1', priority: 0 }] },
      time: { kind: 'static', start: '1970-01-01T00:00:00Z' },
    },
  })
  const both = createBoth({
    ours: createSide({ url: node.url, grpcUrl: node.node.grpcUrl }),
    canton: createReplay(recordingIn(new URL('time.json.br', import.meta.url)).node!),
    ...{ verdicts, tokenOf: undefined },
  })
  const world = await createWorld(both)
  await pairFirstOffsets(world)
  await timeSession(world)
  assert.deepEqual(undeclared(), [])
  // Elsewhere times differ; here they are the same to the microsecond.
  const [ours, canton] = [times.map(([mine]) => mine), times.map(([, theirs]) => theirs)]
  assert.deepEqual(ours, canton)
  assert.ok(canton.flat().length > 30, `${canton.flat().length} times`)
  assert.ok(verdicts.counts.compared > 90, `${verdicts.counts.compared} were compared`)
})

/** When transactions took effect, and what the time is. */
function timesIn(text: string): string[] {
  return [...text.matchAll(/"(?:effectiveAt|currentTime)":"([^"]+)"/g)].map(([, time]) => time!)
}
