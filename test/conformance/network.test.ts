// What a real Canton with three participants answered to every request of the network sessions (tools/compare), and what a
// network of ours answers. `tools/compare/main.ts --record` makes the recording.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createNetwork } from '../../tools/compare/network.ts'
import { networkSessions } from '../../tools/compare/sessions/network/sessions.ts'
import { createReplay, createSide, recordingIn } from '../../tools/compare/side.ts'
import { type Compared, createVerdicts, type Declared } from '../../tools/compare/verdicts.ts'
import { networkSettings, startTestNetwork } from '../fixtures/network.ts'

/**
 * A recording is of a new ledger, and of these sessions, in their order. In network-hosting.json.br, of the sessions about
 * hosting and away, Canton was asked before it had delivered everything: it has to be made again before it is replayed.
 */
const recordings = {
  'network.json.br': ['administration', 'packages', 'transactions', 'views', 'disclosure', 'keys'],
}
const declared: readonly Declared[] = JSON.parse(
  readFileSync(new URL('../../tools/compare/declared.json', import.meta.url), 'utf8'),
)

for (const [file, sessions] of Object.entries(recordings)) {
  test(`a network of three participants answers as Canton does in ${file}`, async (t) => {
    let undeclared: string[] = []
    const verdicts = createVerdicts(declared, (compared) => void undeclared.push(shown(compared)))
    const recorded = recordingIn(new URL(file, import.meta.url))
    await using ours = await startTestNetwork({
      settings: { ...networkSettings, development: false, compatibility: 'canton-3.5', admin: { port: 0 } },
    })
    const sides = ours.node.node.participants.map(({ name, url, adminUrl }) => ({
      ours: createSide(url, undefined, adminUrl),
      canton: createReplay(recorded[name]!),
    }))
    const network = await createNetwork({ sides, verdicts, restMs: 0 })
    for (const name of sessions) {
      await t.test(`in the session about ${name}`, async () => {
        await networkSessions[name]!(network)
        const found = undeclared
        undeclared = []
        assert.deepEqual(found, [])
      })
    }
  })
}

function shown({ label, at, note, body, differences }: Compared): string {
  const places = differences.map(({ where, ours, canton }) => `at ${where}: ours ${ours}, Canton’s ${canton}`)
  return [`${label} at ${at} (${note}) ${body.slice(0, 200)}`, ...places].join('\n  ')
}
