// Random programs with values of unexpected kinds everywhere: each is refused with an error that a client may get, or
// makes a well-formed transaction of its declared types. TALLYSTICK_PROGRAMS says how many.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, testSeed } from '../../test/fixtures/seed.ts'
import { anyHostile } from '../../test/support/engine/arbitrary-programs.ts'
import { runHostile } from '../../test/support/engine/hostile-run.ts'
import { categoryOf } from '../base/errors.ts'

const numRuns = Number(process.env.TALLYSTICK_PROGRAMS ?? 400)

test(`random programs are refused or well-formed (seed ${testSeed})`, () => {
  const ends = new Map<string, number>()
  fc.assert(
    fc.property(anyHostile, (attack) => {
      const end = runHostile(attack, 20_000)
      const name = end.kind === 'accepted' ? 'accepted' : end.error.code
      ends.set(name, (ends.get(name) ?? 0) + 1)
      if (end.kind === 'refused') {
        assert.notEqual(categoryOf(end.error.code).grpc, 13, `${end.error.code}: ${end.error.message}`)
        assert.doesNotMatch(end.error.message, /native code|\[object|daml-\d+\.js|undefined|NaN/)
      }
    }),
    { numRuns },
  )
  // Otherwise the test would show nothing.
  for (const name of ['accepted', 'DAML_INTERPRETATION_ERROR']) {
    assert.ok((ends.get(name) ?? 0) >= numRuns / 50, `${name}: ${JSON.stringify([...ends])}`)
  }
})
