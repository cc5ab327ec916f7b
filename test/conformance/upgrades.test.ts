// What Canton answered to every request of the session about versions of a package (tools/compare), as fingerprints: ours are
// the same. `tools/compare/main.ts --only upgrades --run recorded --fingerprints FILE` records them and shows differences.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createBoth } from '../../tools/compare/both.ts'
import { answerFingerprint, fingerprintsIn, uncompared } from '../../tools/compare/fingerprints.ts'
import { upgradeSession } from '../../tools/compare/sessions/upgrades.ts'
import { createSide, mirrored } from '../../tools/compare/side.ts'
import { type Compared, createVerdicts } from '../../tools/compare/verdicts.ts'
import { createWorld } from '../../tools/compare/world.ts'
import { startTestNode } from '../fixtures/node.ts'

const recorded = fingerprintsIn(readFileSync(new URL('upgrades.txt', import.meta.url), 'utf8'))

test('answers about versions of a package are those of Canton', async () => {
  await using node = await startTestNode({
    settings: {
      auth: { mode: 'off' },
      development: false,
      compatibility: 'canton-3.5',
      participant: { name: 'sandbox' },
      synchronizers: [{ alias: 'synchronizer-1', priority: 0 }],
    },
  })
  const answers: Compared[] = []
  const { ours, canton } = mirrored(createSide({ url: node.url }))
  const verdicts = createVerdicts(
    [],
    () => undefined,
    (compared) => void answers.push(compared),
  )
  const both = createBoth({ ours, canton, verdicts, tokenOf: undefined })
  const world = await createWorld(both, 'recorded')
  await upgradeSession(world)
  const different = answers.flatMap(({ label, note, ours: answer, body }, index) => {
    const isSame = [uncompared, answerFingerprint(answer, both.ids)].includes(recorded[index]!)
    return isSame ? [] : [`${label} (${note}) ${body.slice(0, 300)} → ${answer.status} ${answer.text.slice(0, 1000)}`]
  })
  assert.equal(answers.length, recorded.length)
  assert.deepEqual(different, [])
  assert.ok(recorded.filter((one) => one === uncompared).length < recorded.length / 10)
})
