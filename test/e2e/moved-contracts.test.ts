// What readers get over HTTP about reassigned contracts, on both databases: reassignments through every operation that
// lists updates, active contracts at every offset, and both after pruning.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  filtersFor,
  holdingType,
  interfaceFilter,
  iouType,
  type Json,
  startTestLedger,
  type TestLedger,
  templateFilter,
  transactionFormat,
} from '../fixtures/ledger.ts'
import { refusalOf, stores } from '../fixtures/node.ts'

for (const store of stores) {
  describe(`contracts that moved, on ${store}`, () => {
    let ledger: TestLedger
    let synchronizers: [home: string, away: string]
    let contractIds: string[]
    /** The offsets of the steps: both left, both arrived, the first left again. */
    let offsets: [left: number, arrived: number, leftAgain: number]
    beforeEach(async () => {
      ledger = await startTestLedger({ store })
      const { json } = await ledger.node.call('GET', '/v2/state/connected-synchronizers')
      synchronizers = json.connectedSynchronizers.map(({ synchronizerId }: Json) => synchronizerId)
      const [home, away] = synchronizers
      const created = [await ledger.submit([ledger.createIou()]), await ledger.submit([ledger.createIou()])]
      contractIds = created.map(({ contractId }) => contractId)
      const left = await reassign('leave', ...contractIds.map((contractId) => unassign(contractId, home, away)))
      const { reassignmentId } = left.events[0].JsUnassignedEvent.value
      const arrival = { command: { AssignCommand: { value: { reassignmentId, source: home, target: away } } } }
      const arrived = await reassign('arrive', arrival)
      const leftAgain = await reassign('return', unassign(contractIds[0]!, away, home))
      offsets = [left.offset, arrived.offset, leftAgain.offset]
    })
    afterEach(() => ledger[Symbol.asyncDispose]())

    const unassign = (contractId: string, source: string, target: string) => ({
      command: { UnassignCommand: { value: { contractId, source, target } } },
    })

    async function reassign(commandId: string, ...commands: object[]): Promise<Json> {
      const body = {
        reassignmentCommands: { commandId, workflowId: `to ${commandId}`, submitter: ledger.alice, commands },
        eventFormat: { filtersForAnyParty: {} },
      }
      const answer = await ledger.post('/v2/commands/submit-and-wait-for-reassignment', body)
      assert.equal(answer.status, 200, answer.text)
      return answer.json.reassignment
    }

    async function read(path: string, body: object): Promise<Json> {
      const answer = await ledger.post(path, body)
      assert.equal(answer.status, 200, `${path}: ${answer.text}`)
      return answer.json
    }

    const moves = (eventFormat: object) => ({ includeReassignments: eventFormat })
    const isMove = ({ update }: Json) => 'Reassignment' in update
    const offsetIn = ({ update }: Json) => update.Reassignment.value.offset

    test('are shown in the requested formats, also with transactions on the same page', async () => {
      const blobs = filtersFor([ledger.alice], templateFilter(iouType, true))
      const views = filtersFor([ledger.alice], interfaceFilter(holdingType))
      const shownBy = async (transactions: object, reassignments: object) => {
        const updateFormat = {
          includeTransactions: transactionFormat(transactions),
          includeReassignments: reassignments,
        }
        const { updates } = await read('/v2/updates/get-updates-page', { updateFormat })
        const created = updates.flatMap(({ update }: Json) =>
          Object.values(update).flatMap((one: Json) =>
            one.value.events.flatMap(
              (event: Json) => event.CreatedEvent ?? event.JsAssignmentEvent?.createdEvent ?? [],
            ),
          ),
        )
        return created.map(
          (one: Json) => `${one.createdEventBlob === '' ? '' : 'blob'}${one.interfaceViews.length || ''}`,
        )
      }
      assert.deepEqual(await shownBy(blobs, views), ['blob', 'blob', '1', '1'])
      assert.deepEqual(await shownBy(views, blobs), ['1', '1', 'blob', 'blob'])
    })

    test('are the same in every operation', async () => {
      const eventFormat = filtersFor([ledger.alice])
      const range = { beginExclusive: 0, endInclusive: await ledger.end() }
      const listed: Json[] = await read('/v2/updates', { ...range, updateFormat: moves(eventFormat) })
      assert.deepEqual(listed.map(offsetIn), offsets)
      const older = { ...range, filter: eventFormat }
      for (const path of ['/v2/updates', '/v2/updates/flats', '/v2/updates/trees']) {
        assert.deepEqual((await read(path, older)).filter(isMove), listed, path)
      }
      const descending = { ...range, updateFormat: moves(eventFormat), descendingOrder: true }
      assert.deepEqual(await read('/v2/updates', descending), listed.toReversed())
      const { updates } = await read('/v2/updates/get-updates-page', { updateFormat: moves(eventFormat) })
      assert.deepEqual(updates, listed)
      for (const { update } of listed) {
        const { offset, updateId } = update.Reassignment.value
        const updateFormat = moves(eventFormat)
        assert.deepEqual(await read('/v2/updates/update-by-offset', { offset, updateFormat }), { update })
        assert.deepEqual(await read('/v2/updates/update-by-id', { updateId, updateFormat }), { update })
      }
    })

    test('do not appear as transactions', async () => {
      const format = transactionFormat({ filtersForAnyParty: {} })
      const answers = [
        await ledger.post('/v2/updates/transaction-by-offset', { offset: offsets[0], transactionFormat: format }),
        await ledger.post('/v2/updates/update-by-offset', {
          offset: offsets[1],
          updateFormat: { includeTransactions: format },
        }),
      ]
      const want = [404, 'UPDATE_NOT_FOUND', 'Update not found, or not visible.']
      for (const answer of answers) assert.deepEqual(refusalOf(answer), want)
    })

    test('are visible to stakeholders, subject to their filters', async () => {
      const range = { beginExclusive: 0, endInclusive: await ledger.end() }
      const seen = async (eventFormat: object) =>
        (await read('/v2/updates', { ...range, updateFormat: moves(eventFormat) })).map(offsetIn)
      assert.deepEqual(await seen(filtersFor([ledger.carol])), [])
      assert.deepEqual(await seen(filtersFor([ledger.alice], templateFilter(iouType))), offsets)
      assert.deepEqual(await seen(filtersFor([ledger.alice], templateFilter('#quickstart:Iou:IouProposal'))), [])
      const views = moves(filtersFor([ledger.bank], interfaceFilter(holdingType)))
      const { update } = await read('/v2/updates/update-by-offset', { offset: offsets[1], updateFormat: views })
      const { commandId, workflowId, events } = update.Reassignment.value
      assert.deepEqual([commandId, workflowId, events.length], ['', 'to arrive', 2])
      const [view] = events[0].JsAssignmentEvent.createdEvent.interfaceViews
      assert.equal(view.viewStatus.code, 0)
      assert.notEqual(view.viewValue, null)
    })

    test('are active where they were at each offset, also after pruning', async () => {
      const [home, away] = synchronizers
      const eventFormat = { filtersForAnyParty: {} }
      const [left, arrived, leftAgain] = offsets
      /** For both contracts, in order: where it is (or its source), and what made it active. */
      const places = async (activeAtOffset: number) => {
        const elements: Json[] = await read('/v2/state/active-contracts', { activeAtOffset, eventFormat })
        const { activeContracts } = await read('/v2/state/active-contracts-page', { activeAtOffset, eventFormat })
        assert.deepEqual(
          activeContracts.map(({ contractEntry }: Json) => contractEntry),
          elements.map(({ contractEntry }) => contractEntry),
        )
        return elements.map(({ contractEntry: { JsActiveContract: active, JsIncompleteUnassigned: moving } }) =>
          active === undefined
            ? ['from', moving.unassignedEvent.source, moving.createdEvent.offset, moving.unassignedEvent.offset]
            : ['at', active.synchronizerId, active.createdEvent.offset, active.reassignmentCounter],
        )
      }
      const want: [offset: number, places: unknown[][]][] = [
        [
          left - 1,
          [
            ['at', home, left - 2, 0],
            ['at', home, left - 1, 0],
          ],
        ],
        [
          left,
          [
            ['from', home, left - 2, left],
            ['from', home, left - 1, left],
          ],
        ],
        [
          arrived,
          [
            ['at', away, arrived, 1],
            ['at', away, arrived, 1],
          ],
        ],
        [
          leftAgain,
          [
            ['from', away, arrived, leftAgain],
            ['at', away, arrived, 1],
          ],
        ],
      ]
      for (const [offset, found] of want) assert.deepEqual(await places(offset), found, `at ${offset}`)
      await ledger.submit([ledger.createIou()]) // The ledger end cannot be pruned.
      for (const [offset, found] of want) {
        const pruned = await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo: offset } })
        assert.equal(pruned.status, 200, pruned.text)
        assert.deepEqual(await places(offset), found, `at ${offset}, pruned`)
      }
      const { json } = await ledger.post('/v2/events/events-by-contract-id', {
        contractId: contractIds[0],
        eventFormat,
      })
      assert.deepEqual([json.created.synchronizerId, json.archived], [home, null])
    })
  })
}
