import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CreatedEvent } from './ledger-rows.ts'
import type { NodeClient } from './node-client.ts'
import { type ActiveContract, readContracts, submissionsFor } from './world-contracts.ts'

const idOf = (number: number) => `00${String(number).padStart(136, '0')}`
const parties = new Map([['alice::1220', 'Iou-1']]) // An alias that a label would have.

function contract(number: number, createArgument: object = {}, more: Partial<CreatedEvent> = {}): ActiveContract {
  const created: CreatedEvent = {
    ...{ contractId: idOf(number), offset: number, nodeId: 0, templateId: 'p:Iou:Iou', packageName: 'iou' },
    ...{ createdAt: '2030-01-01T00:00:00Z', createArgument, signatories: ['alice::1220'], observers: [] },
    ...more,
  }
  return { created, synchronizer: 'global' }
}

const exported = (contracts: readonly ActiveContract[]) =>
  submissionsFor(contracts, parties, ({ templateId }) => templateId, 'global')

test('a contract comes after those that it refers to, in another submission, and has labels that nothing else has', () => {
  // The contract that is referred to was moved to another synchronizer later, so it is listed later.
  const { submissions, unknownReferences } = exported([contract(1, { other: idOf(2), gone: idOf(9) }), contract(2)])
  const command = (createArguments: object) => ({ CreateCommand: { templateId: 'p:Iou:Iou', createArguments } })
  assert.deepEqual(submissions, [
    { actAs: ['$Iou-1'], commands: [{ ...command({}), labels: ['Iou-2'] }] },
    { actAs: ['$Iou-1'], commands: [command({ other: '$Iou-2', gone: idOf(9) })] },
  ])
  assert.equal(unknownReferences, 1)
})

test('long chains of references and circles of texts end', () => {
  const chain = Array.from({ length: 5_000 }, (_, number) => contract(number, { next: idOf(number + 1) }))
  assert.equal(exported(chain).submissions.length, 5_000)
  const circle = [contract(1, { text: idOf(2) }), contract(2, { text: idOf(1) })]
  const [first] = exported(circle).submissions as { commands: { CreateCommand: { createArguments: object } }[] }[]
  assert.deepEqual(first?.commands[0]?.CreateCommand.createArguments, { text: idOf(1) })
})

test('what the file cannot create is left out with its reason', () => {
  const foreign = contract(1, {}, { signatories: ['bob::1220'] })
  const moving: ActiveContract = { ...contract(2), synchronizer: undefined }
  const { leftOut, submissions } = exported([foreign, moving])
  assert.deepEqual(
    [leftOut.map(({ reason }) => reason), submissions],
    [['its signatory bob::1220 is not a party of the file', 'it is on its way to another synchronizer'], []],
  )
})

for (const [title, count, bytes] of [
  ['many', 10_001, 1],
  ['large', 17, 1024 * 1024],
] as const) {
  test(`contracts that are too ${title} for a file are refused, and no more of them is read`, async () => {
    let read = 0
    const node = {
      get: async () => Response.json({ offset: 1 }),
      async *lines() {
        for (; read < 2 * count; read += 1) {
          const { created } = contract(read, { text: 'x'.repeat(bytes) })
          yield JSON.stringify({ contractEntry: { JsActiveContract: { createdEvent: created, synchronizerId: 's' } } })
        }
      },
    } as unknown as NodeClient
    await assert.rejects(readContracts(node, new Map()), {
      message:
        'a world file takes at most 10000 contracts of 16 MiB, and the ledger has more; leave them out with ' +
        '--without-contracts, or carry the whole ledger with tallystick snapshot export',
    })
    assert.ok(read <= count)
  })
}
