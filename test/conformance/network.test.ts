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

const recorded = recordingIn(new URL('network.json.br', import.meta.url))
/** Sessions in which answers still differ. */
const open: ReadonlySet<string> = new Set(['reassignments', 'hosting', 'away'])
const declared: readonly Declared[] = JSON.parse(
  readFileSync(new URL('../../tools/compare/declared.json', import.meta.url), 'utf8'),
)

test('a network of three participants answers as Canton does', async (t) => {
  let undeclared: string[] = []
  const verdicts = createVerdicts(declared, (compared) => void undeclared.push(shown(compared)))
  const settings = { ...networkSettings, development: false, compatibility: 'canton-3.5' as const, admin: { port: 0 } }
  await using ours = await startTestNetwork({ settings })
  const sides = ours.node.node.participants.map(({ name, url, adminUrl }) => ({
    ours: createSide(url, undefined, adminUrl),
    canton: createReplay(recorded[name]!),
  }))
  const network = await createNetwork({ sides, verdicts, restMs: 0 })
  // One after the other: a session goes on from what the one before it left.
  for (const [name, session] of Object.entries(networkSessions)) {
    await t.test(`in the session about ${name}`, { todo: open.has(name) }, async () => {
      await session(network)
      const found = undeclared
      undeclared = []
      assert.deepEqual(found, [])
    })
  }
})

function shown({ label, at, note, body, differences }: Compared): string {
  const places = differences.map(({ where, ours, canton }) => `at ${where}: ours ${ours}, Canton’s ${canton}`)
  return [`${label} at ${at} (${note}) ${body.slice(0, 200)}`, ...places].join('\n  ')
}
