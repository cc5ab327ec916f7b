// One user sends a hundred hostile commands, another sends small ones: the first is refused, the second is served.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hostileCommands, hostileDars } from '../fixtures/hostile-commands.ts'
import { right, startTestLedger } from '../fixtures/ledger.ts'

/** Generous, because the test machine may be busy: without fairness the wait would be the sum of all budgets. */
const patienceMs = 15_000
const rounds = 2

describe('hostile packages', { timeout: 180_000 }, () => {
  test('cost their own command, and other users almost nothing', async (t) => {
    const engine = { wallClockMs: 500, heapMb: 128 }
    await using ledger = await startTestLedger({ settings: { engine } })
    const { node, alice, bob } = ledger
    for (const dar of hostileDars) {
      const answer = await node.call('POST', '/v2/packages', { body: dar })
      assert.equal(answer.status, 200, answer.text)
    }
    const greedy = await ledger.userWith('greedy', right('CanActAs', bob))
    let isOver = false
    const hostile = Array.from({ length: rounds }, () => hostileCommands(bob))
      .flat()
      .map(async ({ name, command }) => {
        const commands = ledger.commandsOf([command], { actAs: [bob] })
        const { status, json, text } = await ledger.post('/v2/commands/submit-and-wait', commands, { token: greedy })
        // It may also have timed out while it waited behind others of its kind.
        const isRefused = json?.code === 'INTERPRETATION_TIME_EXCEEDED' || status === 503
        assert.ok(isRefused, `${name}: ${status} ${text}`)
      })
    const refused = Promise.all(hostile).finally(() => (isOver = true))
    refused.catch(() => {}) // Checked below.

    const tookMs: number[] = []
    while (!isOver) {
      const startedMs = performance.now()
      await ledger.submit([ledger.createIou()], { actAs: [ledger.bank, alice] })
      tookMs.push(performance.now() - startedMs)
    }
    await refused
    t.diagnostic(`${tookMs.length} small commands, the slowest in ${Math.max(...tookMs).toFixed(0)} ms`)
    assert.ok(tookMs.length > 3, `only ${tookMs.length} small commands meanwhile`)
    assert.ok(Math.max(...tookMs) < patienceMs, `the slowest took ${Math.max(...tookMs)} ms`)
  })
})
