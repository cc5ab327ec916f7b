// A contract that is archived by something that still waits, and that a participant uses which does not know it: it is
// archived once.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { confirmationClock } from '../fixtures/confirmation-clock.ts'
import { doing, exercise, filtersFor, type Json, templateFilter, updateFormat } from '../fixtures/ledger.ts'
import {
  create,
  createdIn,
  type EffectsNetwork,
  given,
  make,
  run,
  startEffectsNetwork,
  template,
} from '../fixtures/network-effects.ts'
import type { Answer } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'

describe('a disclosed contract that another participant archives', () => {
  const { clock, waiting } = confirmationClock()
  let network: EffectsNetwork
  let [alice, bob, carol] = ['', '', '']
  /** Which alice and bob have signed, so that both participants confirm its use. */
  let both = ''

  before(async () => {
    network = await startEffectsNetwork({ clock, settings: { limits: { stopWithinMs: 3000 } } })
    ;({ alice, bob, carol } = network)
    const { v1, v2 } = network
    const offer = createdIn(await network.transactionOf(v1, alice, create([alice], [bob], 'offer')))
    const agree = exercise(template, offer, 'Consume', doing([bob], make([alice, bob], [], 'both')))
    both = createdIn(await network.transactionOf(v2, bob, agree))
  })
  after(() => network[Symbol.asyncDispose]())

  const connect = (isConnected: boolean) =>
    network.v2.ask(`/v2/synchronizers/synchronizer-2/${isConnected ? 'connect' : 'disconnect'}`, {})
  const consume = ({ contractId }: Json, by: string) => exercise(template, contractId, 'Consume', doing([by]))
  const updateIdOf = ({ json }: { json: Json }) => json.transaction?.updateId

  async function disclosed(): Promise<Json> {
    const { v1 } = network
    const { updateId } = await network.transactionOf(v1, alice, create([alice], [], 'lent'))
    const format = updateFormat(filtersFor([alice], templateFilter(template, true)))
    const { update } = await v1.ask('/v2/updates/update-by-id', { updateId, updateFormat: format })
    const { contractId, templateId, createdEventBlob } = update.Transaction.value.events[0].CreatedEvent
    return { contractId, templateId, createdEventBlob }
  }

  /** The participant of bob is away while alice uses what he has signed, too. */
  async function pending(...steps: readonly object[]): Promise<{ readonly answer: Promise<Answer> }> {
    await connect(false)
    const command = exercise(template, both, 'Keep', doing([alice], ...steps))
    const answer = network.submit(network.v1, alice, [command])
    await until(() => waiting() === 1)
    return { answer }
  }

  async function archivesOf({ contractId }: Json): Promise<string[]> {
    const { v1 } = network
    const body = {
      beginExclusive: 0,
      endInclusive: await v1.end(),
      updateFormat: updateFormat({ filtersForAnyParty: {} }, 'ACS_DELTA'),
    }
    const found: Json[] = await v1.ask('/v2/updates?limit=1000', body)
    return found
      .flatMap(({ update }) => update.Transaction?.value ?? [])
      .filter(({ events }) => events.some(({ ArchivedEvent }: Json) => ArchivedEvent?.contractId === contractId))
      .map(({ updateId }) => updateId)
  }

  test('is locked while its archive waits for a confirmation', async () => {
    const { v1, v3, s2 } = network
    const contract = await disclosed()
    const { answer: first } = await pending(run('Consume', given(contract.contractId), doing([alice])))
    for (const command of [consume(contract, carol), exercise(template, contract.contractId, 'Keep', doing([carol]))]) {
      const { status, json } = await network.submit(v3, carol, [command], { disclosedContracts: [contract] })
      assert.deepEqual([status, json.code], [409, 'LOCAL_VERDICT_LOCKED_CONTRACTS'])
      const { CONTRACT_ID: id, reported_by_participant_id: by, confirming_parties: parties } = json.context
      assert.deepEqual([id, by, parties], [`List(${contract.contractId})`, `PAR::${v1.participantId}`, alice])
      assert.match(json.context.psid, new RegExp(`^${s2.split('::')[0]}`))
    }
    await connect(true)
    const accepted = await first
    assert.equal(accepted.status, 200, accepted.text)
    assert.deepEqual(await archivesOf(contract), [updateIdOf(accepted)])
  })

  test('is inactive although its archive has not been published', async () => {
    const { v1, v3 } = network
    const contract = await disclosed()
    const { answer: first } = await pending()
    const behind = network.submit(v1, alice, [consume(contract, alice)])
    await until(async () => {
      const { participants } = await v1.ask('/dev/network')
      return participants[0].synchronizers[1].waiting === 2
    })
    const second = await network.submit(v3, carol, [consume(contract, carol)], { disclosedContracts: [contract] })
    assert.deepEqual([second.status, second.json.code], [404, 'LOCAL_VERDICT_INACTIVE_CONTRACTS'])
    await connect(true)
    assert.equal((await first).status, 200, (await first).text)
    assert.deepEqual(await archivesOf(contract), [updateIdOf(await behind)])
  })
})
