import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { inTurn, WalletBusy } from './wallet-turns.ts'

const refusal = (code: string) => new ParticipantRefusal(400, code, 'no')
const newParticipant = () => ({}) as Participant

test('operations of a party run one after the other, those of others beside them', async () => {
  const participant = newParticipant()
  const running = new Map<string, number>()
  let most = 0
  const operation = (party: string) =>
    inTurn(participant, party, async () => {
      const count = (running.get(party) ?? 0) + 1
      running.set(party, count)
      assert.equal(count, 1)
      most = Math.max(
        most,
        [...running.values()].reduce((sum, one) => sum + one, 0),
      )
      await new Promise((resolve) => setImmediate(resolve))
      running.set(party, count - 1)
    })
  await Promise.all(['ann', 'ann', 'bob', 'ann', 'bob'].map(operation))
  assert.equal(most, 2)
})

test('an operation whose Amulet was used meanwhile is tried again, but not for ever', async () => {
  const participant = newParticipant()
  let tries = 0
  const failing = (times: number, code: string) => async () => {
    tries += 1
    if (tries <= times) throw refusal(code)
    return tries
  }
  assert.equal(await inTurn(participant, 'ann', failing(2, 'CONTRACT_NOT_FOUND')), 3)
  tries = 0
  await assert.rejects(inTurn(participant, 'ann', failing(5, 'LOCAL_VERDICT_LOCKED_CONTRACTS')), ParticipantRefusal)
  assert.equal(tries, 5)
  tries = 0
  await assert.rejects(inTurn(participant, 'ann', failing(1, 'DAML_FAILURE')), ParticipantRefusal)
  assert.equal(tries, 1) // It would fail again.
})

test('a failure does not keep the next operation from its turn', async () => {
  const participant = newParticipant()
  const failed = inTurn(participant, 'ann', () => Promise.reject(new Error('no')))
  const next = inTurn(participant, 'ann', async () => 'done')
  await assert.rejects(failed, /no/)
  assert.equal(await next, 'done')
})

test('too many operations of a party are refused at once', async () => {
  const participant = newParticipant()
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 101 }, () => inTurn(participant, 'ann', () => promise))
  await assert.rejects(
    inTurn(participant, 'ann', async () => {}),
    WalletBusy,
  )
  await inTurn(participant, 'bob', async () => {})
  resolve()
  await Promise.all(waiting)
  await inTurn(participant, 'ann', async () => {})
})
