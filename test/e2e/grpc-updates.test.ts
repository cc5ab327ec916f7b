// Updates over gRPC, as a client sees them that was not made here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, move, startTestLedger } from '../fixtures/ledger.ts'
import { openProtoClient } from '../fixtures/proto-client.ts'

const wildcard = { cumulative: [{ identifierFilter: { oneofKind: 'wildcardFilter', wildcardFilter: {} } }] }
const ledgerEffects = 2

test('fields are named in transactions and in reassignments as the format of each says', async () => {
  await using ledger = await startTestLedger({ settings: { grpc: { port: 0 } } })
  const { contractId, transaction } = await ledger.submit([ledger.createIou()])
  await move(ledger, contractId, true)
  using client = openProtoClient(ledger.node.node.grpcUrl!, ledger.token)
  const updates = await client.of('UpdateService')
  const eventFormat = (verbose: boolean) => ({ filtersByParty: { [ledger.alice]: wildcard }, verbose })
  for (const verbose of [false, true]) {
    const updateFormat = {
      includeTransactions: { eventFormat: eventFormat(verbose), transactionShape: ledgerEffects },
      includeReassignments: eventFormat(!verbose),
    }
    const range = {
      beginExclusive: String(transaction.offset - 1),
      endInclusive: String(await ledger.end()),
      ...{ filter: undefined, verbose: false },
    }
    const streamed: Json[] = []
    for await (const { update } of updates.getUpdates({ ...range, updateFormat }).responses) {
      if (update.oneofKind !== 'offsetCheckpoint') streamed.push(update)
    }
    const single = async (offset: string) => (await updates.getUpdateByOffset({ offset, updateFormat })).response.update
    const singles = [await single(String(transaction.offset)), await single(range.endInclusive)]
    for (const found of [streamed, singles]) {
      const { created } = found[0].transaction.events[0].event
      const { assigned } = found.at(-1).reassignment.events[0].event
      const labels = [created, assigned.createdEvent].map(({ createArguments }) => createArguments.fields[0].label)
      assert.deepEqual(labels, verbose ? ['issuer', ''] : ['', 'issuer'])
    }
  }
})
