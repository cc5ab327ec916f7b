// What a real Canton with three participants answered to every request of the network sessions (tools/compare), and what a
// network of ours answers. `tools/compare/main.ts --record` makes the recording.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, wallClock } from '../../src/base/clock.ts'
import { createNetwork } from '../../tools/compare/network.ts'
import { networkSessions } from '../../tools/compare/sessions/network/sessions.ts'
import { createReplay, createSide, recordingIn } from '../../tools/compare/side.ts'
import { createRecordedVerdicts } from '../fixtures/canton-recording.ts'
import { networkSettings, startTestNetwork } from '../fixtures/network.ts'
import { testSettings } from '../fixtures/node.ts'

/** Recordings: their sessions, in their order, and their `--run`. The first one is of a new ledger. */
const recordings = {
  'network.json.br': {
    run: '',
    sessions: [
      ...['administration', 'packages', 'transactions', 'views', 'disclosure', 'keys', 'hosting', 'reassignments'],
    ],
  },
  'network-away.json.br': { run: '3', sessions: ['away', 'locks', 'timeouts', 'automatic'] },
}

for (const [file, { run, sessions }] of Object.entries(recordings)) {
  test(`a network of three participants answers as Canton does in ${file}`, async (t) => {
    const { verdicts, undeclared } = createRecordedVerdicts()
    const recorded = recordingIn(new URL(file, import.meta.url))
    const confirmations = confirmationClock()
    const ports = { grpc: { port: 0 }, admin: { port: 0 } }
    await using ours = await startTestNetwork({
      clock: confirmations.clock,
      settings: { ...networkSettings, ...ports, development: false, compatibility: 'canton-3.5' },
    })
    const sides = ours.node.node.participants.map(({ name, ...addresses }) => ({
      ours: createSide(addresses),
      canton: createReplay(recorded[name]!),
    }))
    const network = await createNetwork({ sides, verdicts, restMs: 0, run })
    for (const name of sessions) {
      await t.test(`in the session about ${name}`, async () => {
        confirmations.expire(name === 'timeouts')
        await networkSessions[name]!(network)
        assert.deepEqual(undeclared(), [])
      })
    }
  })
}

/** The wall clock, but confirmations time out at once or not at all, as `expire` says. */
function confirmationClock(): { readonly clock: Clock; expire(isNow: boolean): void } {
  const { confirmationMs } = testSettings({}).limits
  let isExpired = false
  return {
    clock: {
      ...wallClock,
      after(ms, action) {
        if (ms !== confirmationMs) return wallClock.after(ms, action)
        return isExpired ? wallClock.after(0, action) : { cancel: () => undefined }
      },
    },
    expire(isNow) {
      isExpired = isNow
    },
  }
}
