// What a real Canton with three participants answered to every request of the network sessions (tools/compare), and what a
// network of ours answers. `tools/compare/main.ts --record` makes the recording.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { createNetwork, type Network, participantNames } from '../../tools/compare/network.ts'
import { networkSessions } from '../../tools/compare/sessions/network/sessions.ts'
import { createReplay, createSide, recordingIn } from '../../tools/compare/side.ts'
import { type Compared, createVerdicts, type Declared } from '../../tools/compare/verdicts.ts'
import { networkSettings, startTestNetwork, type TestNetwork } from '../fixtures/network.ts'

const recorded = recordingIn(new URL('network.json.br', import.meta.url))
const declared: readonly Declared[] = JSON.parse(
  readFileSync(new URL('../../tools/compare/declared.json', import.meta.url), 'utf8'),
)

describe('a network of three participants answers as Canton does', () => {
  let ours: TestNetwork
  let network: Network
  let undeclared: string[] = []
  const verdicts = createVerdicts(declared, (compared) => void undeclared.push(shown(compared)))

  /** What differs since the last time. */
  const differences = () => {
    const found = undeclared
    undeclared = []
    return found
  }

  before(async () => {
    ours = await startTestNetwork({
      settings: { ...networkSettings, development: false, compatibility: 'canton-3.5' },
    })
    const sides = [ours.v1, ours.v2, ours.v3].map(({ url }, index) => ({
      ours: createSide(url),
      canton: createReplay(recorded[participantNames[index]!]!),
    }))
    network = await createNetwork({ sides, verdicts, restMs: 0 })
  })
  after(() => ours[Symbol.asyncDispose]())

  test('when it is set up', () => assert.deepEqual(differences(), []))
  for (const [name, session] of Object.entries(networkSessions)) {
    test(`in the session about ${name}`, async () => {
      await session(network)
      assert.deepEqual(differences(), [])
    })
  }
})

function shown({ label, at, note, body, differences }: Compared): string {
  const places = differences.map(({ where, ours, canton }) => `at ${where}: ours ${ours}, Canton’s ${canton}`)
  return [`${label} at ${at} (${note}) ${body.slice(0, 200)}`, ...places].join('\n  ')
}
