// Networks of the test kit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNetwork } from '../../src/kit/start-node.ts'

const iou = '#quickstart:Iou:Iou'
const proposal = '#quickstart:Iou:IouProposal'

test('a network gives each participant its own view, and one time, snapshot and reset for all', async () => {
  await using network = await startNetwork({
    participants: ['alice', { name: 'bank', synchronizers: ['main'] }],
    synchronizers: ['main', 'other'],
    time: 'static',
  })
  const { alice, bank } = network.participants
  const [owner, issuer] = [await alice.party('owner'), await bank.party('issuer')]
  const start = await network.snapshot('start')
  const terms = { issuer, owner, amount: '10.0', currency: 'EUR', observers: [] }
  const { contractId } = await bank.create(proposal, { iou: terms }, { actAs: issuer })
  const offered = await alice.contract(proposal, undefined, { timeout: 240_000 })
  assert.equal(offered.contractId, contractId)
  await alice.exercise(proposal, contractId, 'IouProposal_Accept', {}, { actAs: owner })
  assert.equal((await bank.contracts(iou)).length, 1)

  const secret = { ...terms, issuer: owner }
  await alice.submit([{ CreateCommand: { templateId: iou, createArguments: secret } }], { actAs: owner })
  assert.deepEqual([(await alice.contracts(iou)).length, (await bank.contracts(iou)).length], [2, 1])

  assert.equal(await network.advanceTime('1d'), '1970-01-02T00:00:00Z')
  assert.equal(await bank.time(), '1970-01-02T00:00:00Z')
  const token = await bank.token({ actAs: issuer })
  const ask = (url: string) => fetch(`${url}/v2/state/ledger-end`, { headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual([(await ask(bank.url)).ok, (await ask(alice.url)).ok], [true, false])

  await bank.restore(start)
  assert.deepEqual([await alice.contracts(iou), await bank.contracts(iou)], [[], []])
  await network.reset()
  assert.equal((await bank.call('GET', `/v2/parties/${issuer}`)).partyDetails.length, 0)
})
