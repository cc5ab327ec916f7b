import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDsoReads } from './dso-reads.ts'
import { type Contract, type Json, type Participant, ParticipantRefusal } from './participant.ts'

const template = '#p:M:T'

/** A ledger of updates, each of which creates or archives contracts of one template. */
function ledgerOf() {
  const updates: { created: string[]; archived: string[] }[] = []
  const calls: string[] = []
  const answers = { isPruned: false }
  const event = (contractId: string) => ({ contractId, templateId: 'id:M:T', packageName: 'p', createArgument: {} })
  const participant = {
    async end() {
      calls.push('end')
      return updates.length
    },
    async contracts(_: string, __: unknown, offset: number): Promise<Contract[]> {
      calls.push('contracts')
      const active = new Set<string>()
      for (const { created, archived } of updates.slice(0, offset)) {
        for (const id of created) active.add(id)
        for (const id of archived) active.delete(id)
      }
      return [...active].map((contractId) => ({ contractId }) as unknown as Contract)
    },
    async call(_: string, __: string, { beginOffsetExclusive, endOffsetInclusive, maxPageSize }: Json) {
      calls.push('updates')
      if (answers.isPruned) throw new ParticipantRefusal(400, 'PARTICIPANT_PRUNED_DATA_ACCESSED', 'pruned')
      const some = updates.slice(beginOffsetExclusive, endOffsetInclusive)
      return {
        updates: some.slice(0, maxPageSize).map(({ created, archived }) => ({
          update: {
            Transaction: {
              value: {
                synchronizerId: 's',
                events: [
                  ...created.map((id) => ({ CreatedEvent: event(id) })),
                  ...archived.map((id) => ({ ArchivedEvent: event(id) })),
                ],
              },
            },
          },
        })),
        nextPageToken: some.length > maxPageSize ? 'more' : null,
      }
    },
  } as unknown as Participant
  const add = (created: string[], archived: string[] = []) => void updates.push({ created, archived })
  return { participant, calls, answers, add }
}

const ids = (contracts: readonly Contract[]) => contracts.map(({ contractId }) => contractId)

describe('reads of the DSO', () => {
  test('reads of the DSO follow the ledger instead of reading it again', async () => {
    const { participant, calls, add } = ledgerOf()
    const dso = createDsoReads(participant, 'DSO', true)
    add(['a', 'b'])
    assert.deepEqual(ids(await dso.all(template)), ['a', 'b'])
    add(['c'], ['a'])
    add([], ['b'])
    assert.deepEqual(ids(await dso.all(template)), ['c'])
    assert.equal((await dso.byId(template, 'c'))?.contractId, 'c')
    assert.equal(await dso.byId(template, 'a'), undefined)
    assert.deepEqual(
      calls.filter((call) => call !== 'end'),
      ['contracts', 'updates'],
    )
  })

  test('concurrent readers of the DSO share a read, and see what was there when they asked', async () => {
    const { participant, calls, add } = ledgerOf()
    const dso = createDsoReads(participant, 'DSO', true)
    add(['a'])
    await dso.all(template)
    calls.length = 0
    add(['b'])
    const asked = Array.from({ length: 50 }, () => dso.all(template))
    for (const answer of await Promise.all(asked)) assert.deepEqual(ids(answer), ['a', 'b'])
    assert.deepEqual(calls, ['end', 'updates'])
  })

  test('reads of the DSO begin anew where there is too much to follow, or it is gone', async () => {
    const { participant, answers, add } = ledgerOf()
    const dso = createDsoReads(participant, 'DSO', true)
    add(['a'])
    await dso.all(template)
    for (let count = 0; count < 1_000; count += 1) add([`n${count}`])
    assert.equal((await dso.all(template)).length, 1_001)
    answers.isPruned = true
    add([], ['a'])
    assert.equal((await dso.all(template)).length, 1_000)
  })
})
