// One user sends many hostile commands at once, another sends small ones: the first is refused, the second is served.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hostileCommands, hostileDars } from '../fixtures/hostile-commands.ts'
import { right, startTestLedger } from '../fixtures/ledger.ts'

const rounds = 2

describe('hostile packages', () => {
  test('cost their own command, and other users almost nothing', async (t) => {
    // Steps end what is hostile, so that no limit of time ends what is small, however busy the machine is.
    const engine = { stepsMax: 1_500_000, wallClockMs: 10_000, heapMb: 128 }
    await using ledger = await startTestLedger({ settings: { engine, limits: { requestTimeoutMs: 150_000 } } })
    const { node, alice, bob } = ledger
    for (const dar of hostileDars) {
      const answer = await node.call('POST', '/v2/packages', { body: dar })
      assert.equal(answer.status, 200, answer.text)
    }
    const greedy = await ledger.userWith('greedy', right('CanActAs', bob))
    const submitSmall = () => ledger.submit([ledger.createIou()], { actAs: [ledger.bank, alice] })
    await submitSmall() // Starts the threads and compiles the package.
    let ended = 0
    const hostile = Array.from({ length: rounds }, () => hostileCommands(bob))
      .flat()
      .map(async ({ name, command }) => {
        const commands = ledger.commandsOf([command], { actAs: [bob] })
        const { status, json, text } = await ledger.post('/v2/commands/submit-and-wait', commands, { token: greedy })
        ended += 1
        assert.equal(json?.code, 'INTERPRETATION_TIME_EXCEEDED', `${name}: ${status} ${text}`)
      })
    const refused = Promise.all(hostile)
    refused.catch(() => {}) // Checked below.

    /** How many hostile commands ended while each small one was under way. */
    const endedMeanwhile: number[] = []
    while (ended < hostile.length) {
      const before = ended
      await submitSmall()
      endedMeanwhile.push(ended - before)
    }
    await refused
    const most = Math.max(...endedMeanwhile)
    t.diagnostic(`${endedMeanwhile.length} small commands, of which one waited for ${most} hostile ones`)
    // In order of arrival, the first small one would wait for all of them, and there would be no other. A machine that is
    // busy for a moment lets many end at once, so what counts is how many small ones went through.
    assert.ok(
      endedMeanwhile.length > hostile.length,
      `only ${endedMeanwhile.length} small commands beside ${hostile.length}`,
    )
    assert.ok(most < hostile.length, `a small command waited for ${most} of ${hostile.length} hostile ones`)
  })
})
