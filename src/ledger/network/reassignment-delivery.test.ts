import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMemoryStore } from '../../../test/fixtures/stores.ts'
import { forAnybody, forParties, wildcard } from '../../../test/support/reading/sample-formats.ts'
import { contractIdOf, synchronizerIdOf, updateIdOf } from '../../../test/support/reading/sample-ledger.ts'
import { collect, createSampleReading, type Json, never } from '../../../test/support/reading/sample-reading.ts'
import { numberNames } from '../commit/commit.ts'
import type { AcceptedReassignment, MovingContract } from '../commit/commit-item.ts'
import { emptyRows, writeRows } from '../commit/rows.ts'
import { createMovingContracts } from '../reassignment/moving-contracts.ts'
import { addDelivered } from './reassignment-delivery.ts'

const [source, target] = [1n, 2n].map((number) => ({ number, id: synchronizerIdOf(number) }))
const c1 = contractIdOf('c1')
const create = { kind: 'create', contract: 'c1', signatories: ['alice'], observers: ['bob'] } as const

/** A participant, and what it is given of a reassignment of c1 by another. */
async function participant() {
  const store = await openMemoryStore()
  const reading = createSampleReading(store)
  const { ledger, activeContracts } = reading
  let lastContract = 100n

  return {
    ...reading,
    store,
    /** Returns the offset. */
    async give(part: AcceptedReassignment): Promise<bigint> {
      const offset = ledger.take()
      await store.transaction(async (records) => {
        const needed = new Set(part.item.contracts.flatMap((one) => [...one.stakeholders, one.template]))
        const { numbers, added } = await numberNames(needed, records, ledger.names, 50n)
        const rows = emptyRows()
        lastContract = await addDelivered(part, { offset, own: records, numbers, lastContract, rows })
        await writeRows(rows, added, records)
      })
      ledger.publish(offset)
      return offset
    },
    /** Kind, synchronizer and counter of each entry. */
    async entries(activeAtOffset: bigint): Promise<string[]> {
      const query = { activeAtOffset, format: forAnybody(wildcard()), continuationToken: '' }
      const found = await collect(activeContracts.stream(query, never))
      return found.map(({ contractEntry }) => entryText(contractEntry))
    },
  }
}

function entryText(entry: Json): string {
  const { JsActiveContract: active, JsIncompleteUnassigned: leaving, JsIncompleteAssigned: coming } = entry
  if (active) return `active ${active.synchronizerId} ${active.reassignmentCounter} since ${active.createdEvent.offset}`
  if (leaving) return `leaving since ${leaving.unassignedEvent.offset}`
  return `coming by ${coming.assignedEvent.submitter} since ${coming.assignedEvent.createdEvent.offset}`
}

/** The reassignments of c1 as the participant that decides them has them. */
async function partsOf(counter: bigint, isHalf = false) {
  const { store, ledger } = await participant()
  await ledger.commit({ nodes: [create] })
  const synchronizers = {} as Parameters<typeof createMovingContracts>[0]['synchronizers']
  const moving = createMovingContracts({ store, names: ledger.names, synchronizers })
  const contracts = await moving.named(await store.contracts.find([c1]))
  const id = `reassignment-${counter}`
  const reassignment = {
    ...{ id, unassignedOffset: 7n, submitter: 'alice', exclusiveUntil: 60_000_000n },
    ...{ source: source!.number, target: target!.number, userId: '', commandId: '', workflowId: 'leaving' },
  }
  const part = (kind: 'unassignment' | 'assignment', row: Partial<MovingContract['row']>) => {
    const synchronizer = kind === 'unassignment' ? source : target
    const item = {
      ...{ kind, synchronizer, source, target, submitter: 'alice', workflowId: '', userId: '', commandId: '' },
      ...{ submissionId: '', traceContext: null, updateId: updateIdOf(kind === 'unassignment' ? 98n : 99n) },
      ...{ isDelivered: true, isHalf, reassignmentId: id },
      contracts: contracts.map((contract) => ({ ...contract, row: { ...contract.row, ...row } })),
    }
    const decision = { kind: 'accepted', offset: 7n, updateId: item.updateId, deduplicationOffset: undefined }
    const assigned = kind === 'assignment' ? { offset: 8n, workflowId: '' } : undefined
    const whole = { kind, item, decision, recordTime: 1_000_000n, reassignment: { ...reassignment, assigned } }
    return whole as unknown as AcceptedReassignment
  }
  return {
    unassignment: part('unassignment', { counter: counter - 1n }),
    assignment: part('assignment', { counter, location: 0n }),
  }
}

describe('a participant that another one gives reassignments', () => {
  test('learns of a contract with its assignment', async () => {
    const { assignment } = await partsOf(1n, true)
    const there = await participant()
    const arrived = await there.give(assignment)
    assert.deepEqual(await there.entries(arrived), [`active ${target!.id} 1 since ${arrived}`])
    const [found] = await there.store.contracts.find([c1])
    assert.deepEqual([found!.location, found!.counter], [target!.number, 1n])
    const payload = JSON.parse(await there.contractEvents.contract(c1, ['bob']))
    assert.equal(payload.createdEvent.contractId, c1)
    // It was created elsewhere.
    await assert.rejects(there.contractEvents.byContractId(c1, forParties(['bob'])), {
      code: 'CONTRACT_EVENTS_NOT_FOUND',
    })
  })

  test('does not see a contract any more that went where it hosts no stakeholder, and sees it return', async () => {
    const there = await participant()
    const created = await there.ledger.commit({ nodes: [create] })
    const left = await there.give((await partsOf(1n, true)).unassignment)
    assert.deepEqual(await there.entries(created), [`active ${source!.id} 0 since ${created}`])
    assert.deepEqual(await there.entries(left), [])
    const returned = await there.give((await partsOf(2n, true)).assignment)
    assert.deepEqual(await there.entries(left), [])
    assert.deepEqual(await there.entries(returned), [`active ${target!.id} 2 since ${returned}`])
  })

  test('has a contract in three entries if the assignment comes before the unassignment', async () => {
    const { unassignment, assignment } = await partsOf(1n)
    const there = await participant()
    const created = await there.ledger.commit({ nodes: [create] })
    const arrived = await there.give(assignment)
    assert.deepEqual(await there.entries(arrived), [
      `active ${source!.id} 0 since ${created}`,
      `active ${target!.id} 1 since ${arrived}`,
      `coming by alice since ${arrived}`,
    ])
    const left = await there.give(unassignment)
    assert.deepEqual(await there.entries(left), [`active ${target!.id} 1 since ${arrived}`])
    const [found] = await there.store.contracts.find([c1])
    assert.deepEqual([found!.location, found!.counter], [target!.number, 1n])
  })

  test('sees a contract in transit, and then where it arrived', async () => {
    const { unassignment, assignment } = await partsOf(1n)
    const there = await participant()
    await there.ledger.commit({ nodes: [create] })
    const left = await there.give(unassignment)
    assert.deepEqual(await there.entries(left), [`leaving since ${left}`])
    const arrived = await there.give(assignment)
    assert.deepEqual(await there.entries(arrived), [`active ${target!.id} 1 since ${arrived}`])
  })
})
