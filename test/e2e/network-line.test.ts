// Places in the line of a participant: they are used again, and mean another command then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmationClock } from '../fixtures/confirmation-clock.ts'
import { doing, exercise } from '../fixtures/ledger.ts'
import { create, createdIn, make, startEffectsNetwork, template } from '../fixtures/network-effects.ts'
import { testSettings } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'

test('a command is not given up because an earlier one in its place has waited too long', async () => {
  const { clock, timeOut, waiting, pass } = confirmationClock()
  await using network = await startEffectsNetwork({ clock, settings: { limits: { stopWithinMs: 3000 } } })
  const { v1, v2, v3, alice, bob, carol } = network
  const connect = (isConnected: boolean) =>
    v2.ask(`/v2/synchronizers/synchronizer-2/${isConnected ? 'connect' : 'disconnect'}`, {})
  /** Signed by alice and bob, and seen by carol. */
  const offer = createdIn(await network.transactionOf(v1, alice, create([alice], [bob], 'offer')))
  const agree = exercise(template, offer, 'Consume', doing([bob], make([alice, bob], [carol], 'agreed')))
  const contractId = createdIn(await network.transactionOf(v2, bob, agree))
  await connect(false)
  /** Waits for bob, and something of carol waits behind it. */
  const consume = async () => {
    const pending = network.submit(v1, alice, [exercise(template, contractId, 'Consume', doing([alice]))])
    await until(() => waiting() === 1)
    const behind = network.submit(v3, carol, [create([carol], [], 'behind')])
    const isBehind = async () => (await v1.ask('/dev/network')).participants[2].synchronizers[0].waiting === 2
    await Promise.race([behind, until(isBehind)])
    return { pending, behind }
  }
  const first = await consume()
  timeOut()
  assert.equal((await first.pending).json.code, 'MEDIATOR_SAYS_TX_TIMED_OUT')
  assert.equal((await first.behind).status, 200)
  pass(3 * testSettings({}).limits.confirmationMs)
  const second = await consume()
  await connect(true)
  const { status, text } = await second.pending
  assert.equal(status, 200, text)
  assert.equal((await second.behind).status, 200)
})
