import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { openMemoryStore } from '../../../test/fixtures/stores.ts'
import { forAnybody, forParties, template, viewOf } from '../../../test/support/reading/sample-formats.ts'
import { blobOf, contractIdOf, samplePackageId, synchronizerId } from '../../../test/support/reading/sample-ledger.ts'
import { createSampleReading, parsed } from '../../../test/support/reading/sample-reading.ts'
import type { EventFormat } from './requests/queries.ts'

const { ledger, contractEvents } = createSampleReading(await openMemoryStore())
const field = 'The submitted command has a field with invalid value: Invalid field '
const argument = 'The submitted request has invalid arguments: '

// c1 is created at 1 and archived at 2, with the transient t; c3 remains; c4 and the archive of c3 are unpublished.
before(async () => {
  const c1 = { contract: 'c1', signatories: ['alice'], observers: ['bob'] }
  const t = { contract: 't', signatories: ['alice'] }
  const c3 = { contract: 'c3', signatories: ['alice'] }
  await ledger.commit({ nodes: [{ ...c1, kind: 'create' }] })
  await ledger.commit({
    nodes: [
      {
        ...c1,
        kind: 'exercise',
        isConsuming: true,
        actors: ['erin'],
        children: [
          { ...t, kind: 'create' },
          { ...t, kind: 'exercise', isConsuming: true, actors: ['alice'] },
        ],
      },
    ],
  })
  await ledger.commit({ nodes: [{ ...c3, kind: 'create' }] })
  await ledger.write({ nodes: [{ ...c3, kind: 'exercise', isConsuming: true, actors: ['alice'] }] })
  await ledger.write({ nodes: [{ contract: 'c4', kind: 'create', signatories: ['alice'] }] })
})

describe('the events of a contract', () => {
  test('have their keys in order', async () => {
    const bytes = await contractEvents.byContractId(contractIdOf('c1'), forParties(['bob', viewOf('Token')]))
    const { created, archived, ...rest } = parsed(bytes)
    assert.deepEqual(rest, {})
    assert.deepEqual(Object.keys(created), ['createdEvent', 'synchronizerId'])
    assert.equal(created.createdEvent.offset, 1)
    assert.equal(created.createdEvent.acsDelta, true)
    assert.deepEqual(created.createdEvent.witnessParties, ['bob'])
    assert.equal(created.createdEvent.interfaceViews.length, 1)
    const archivedEvent = {
      offset: 2,
      nodeId: 0,
      contractId: contractIdOf('c1'),
      templateId: `${samplePackageId}:Main:Iou`,
      witnessParties: ['bob'],
      packageName: 'sample',
      implementedInterfaces: [`${samplePackageId}:Main:Token`],
    }
    assert.equal(JSON.stringify(archived), JSON.stringify({ archivedEvent, synchronizerId }))
  })

  test('of a transient contract are both there, and are no delta', async () => {
    const { created, archived } = parsed(await contractEvents.byContractId(contractIdOf('t'), forParties('alice')))
    assert.deepEqual([created.createdEvent.nodeId, created.createdEvent.acsDelta], [1, false])
    assert.equal(archived.archivedEvent.nodeId, 2)
  })

  test('have no archive before it is published', async () => {
    const { created, archived } = parsed(await contractEvents.byContractId(contractIdOf('c3'), forAnybody()))
    assert.equal(created.createdEvent.offset, 3)
    assert.equal(archived, null)
  })

  const hidden: [title: string, label: string, format: EventFormat][] = [
    ['by a party that is no stakeholder', 'c1', forParties('erin')],
    ['by a filter for another template', 'c1', forParties(['alice', template('Asset')])],
    ['for an unknown contract', 'unknown', forAnybody()],
    ['before it is published', 'c4', forAnybody()],
  ]
  for (const [title, label, format] of hidden) {
    test(`are not found ${title}`, async () => {
      await assert.rejects(contractEvents.byContractId(contractIdOf(label), format), {
        code: 'CONTRACT_EVENTS_NOT_FOUND',
        message: 'Contract events not found, or not visible.',
        details: { resources: [['CONTRACT_ID', contractIdOf(label)]], foundBy: 'request' },
      })
    })
  }

  const refused: [contractId: string, format: EventFormat | undefined, message: string][] = [
    ['', undefined, 'The submitted command is missing a mandatory field: contract_id'],
    ['xyz', undefined, `${field}contract_id: cannot parse ContractId "xyz"`],
    [contractIdOf('c1'), undefined, 'The submitted command is missing a mandatory field: event_format'],
    [contractIdOf('c1'), forParties(''), `${argument}Daml-LF Party is empty`],
  ]
  for (const [contractId, format, message] of refused) {
    test(`are refused: ${message}`, async () => {
      await assert.rejects(contractEvents.byContractId(contractId, format), { message })
    })
  }
})

describe('a contract by its id', () => {
  const rows: [label: string, parties: string[], witnesses: string[]][] = [
    ['c1', [], ['alice', 'bob']],
    ['c1', ['bob', 'carol'], ['bob']],
    ['t', ['alice'], ['alice']],
    ['c3', ['alice'], ['alice']],
  ]
  for (const [label, parties, witnesses] of rows) {
    test(`is found, archived or not: ${label} for ${parties.join() || 'anybody'}`, async () => {
      const { createdEvent } = parsed(await contractEvents.contract(contractIdOf(label), parties))
      const { offset, nodeId, acsDelta, witnessParties, createdEventBlob, interfaceViews } = createdEvent
      assert.deepEqual([offset, nodeId, acsDelta, interfaceViews], [1, 0, false, []])
      assert.deepEqual(witnessParties, witnesses)
      assert.equal(createdEventBlob, Buffer.from(blobOf(label)).toString('base64'))
    })
  }

  for (const [label, parties] of [
    ['c1', ['erin']],
    ['unknown', []],
    ['c4', []],
  ] as [string, string[]][]) {
    test(`is not found: ${label} for ${parties.join() || 'anybody'}`, async () => {
      await assert.rejects(contractEvents.contract(contractIdOf(label), parties), {
        code: 'CONTRACT_PAYLOAD_NOT_FOUND',
        message: 'Contract payload not found, or not visible.',
        details: { resources: [['CONTRACT_ID', contractIdOf(label)]] },
      })
    })
  }

  test('is refused for an invalid party', async () => {
    await assert.rejects(contractEvents.contract(contractIdOf('c1'), ['']), {
      message: `${argument}Daml-LF Party is empty`,
    })
  })
})

test('a contract archived before the pruning offset is gone at once, before its rows are', async () => {
  const reading = createSampleReading(await openMemoryStore())
  const c1 = { contract: 'c1', signatories: ['alice'] }
  await reading.ledger.commit({ nodes: [{ ...c1, kind: 'create' }] })
  await reading.ledger.commit({ nodes: [{ ...c1, kind: 'exercise', isConsuming: true, actors: ['alice'] }] })
  await reading.ledger.commit({ nodes: [{ contract: 'c2', kind: 'create', signatories: ['alice'] }] })
  const events = (label: string) => reading.contractEvents.byContractId(contractIdOf(label), forAnybody())
  reading.ledger.end.publishPruning(1n)
  assert.equal(parsed(await events('c1')).archived.archivedEvent.offset, 2)
  reading.ledger.end.publishPruning(2n)
  await assert.rejects(events('c1'), { code: 'CONTRACT_EVENTS_NOT_FOUND' })
  await assert.rejects(reading.contractEvents.contract(contractIdOf('c1'), []), { code: 'CONTRACT_PAYLOAD_NOT_FOUND' })
  assert.equal(parsed(await events('c2')).archived, null)
})
