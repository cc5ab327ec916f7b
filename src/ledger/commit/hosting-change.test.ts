// Changes of hosting in the commit queue, on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { alice, bank, bob, type CommitBench, createIou, openCommitBench } from '../../../test/fixtures/commit-bench.ts'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { isStoreUnavailable, LedgerError } from '../../base/errors.ts'
import { metaFromText, type StoredTopology, topologyName } from '../../events/format/stored-update.ts'
import { timestampFromText } from '../../lf/codec/time-text.ts'
import type { Records, Store, TransactionRecords } from '../../store/core/store.ts'
import type { HostingChange } from './hosting-change.ts'

const participantId = `participant::1220${'5a'.repeat(32)}`
const everything = { after: 0n, upTo: 99n, limit: 99 }

/** Hosts a new party, and says in `seen` when it was written and what the end was then. */
function host(
  party: string,
  { seen = [], bench }: { seen?: bigint[]; bench?: CommitBench } = {},
): HostingChange<string> {
  return {
    userId: 'user',
    bytes: 100,
    traceContext: { traceparent: '00-1-2-01', tracestate: null },
    async apply(records) {
      if ((await records.parties.get(party)) !== undefined) throw new LedgerError('INVALID_ARGUMENT', 'taken')
      await insert(party, records)
      return {
        result: `hosted ${party}`,
        added: [{ party, participantId, permission: 'submission', synchronizer: 1n }],
      }
    },
    written: () => void (bench && seen.push(bench.end.current().offset)),
  }
}

async function insert(party: string, records: Records): Promise<void> {
  const record = { party, isLocal: true, identityProviderId: '', resourceVersion: 0n, annotations: {} }
  await records.parties.insert(record)
  await records.parties.host(party, [1n])
}

async function topology({ store }: CommitBench): Promise<(StoredTopology & { readonly offset: bigint })[]> {
  const rows = await store.updates.range(everything)
  const updates = rows.map(({ offset, meta }) => ({ offset, ...metaFromText(meta!) }))
  return updates.filter((update) => update.kind === 'topology')
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`a change of hosting on ${kind}`, kind === 'postgres' ? needsPostgres : {}, () => {
    test('takes an offset and is published before it is answered, after caches are told', async () => {
      await using bench = await openCommitBench(kind)
      await bench.commits.enqueue(await bench.interpret([createIou()]))
      const seen: bigint[] = []
      assert.equal(await bench.commits.host(host(bob, { seen, bench })), `hosted ${bob}`)
      assert.deepEqual(seen, [1n])
      assert.equal(bench.end.current().offset, 2n)
      const decision = await bench.commits.enqueue(await bench.interpret([createIou()]))
      assert.equal(decision.offset, 3n)

      const [update] = await topology(bench)
      const { updateId, recordTime, ...facts } = update!
      assert.match(updateId, /^1220[0-9a-f]{64}$/)
      assert.ok(timestampFromText(recordTime) !== undefined)
      assert.deepEqual(facts, {
        kind: 'topology',
        offset: 2n,
        synchronizerId: `global::1220${'5a'.repeat(32)}`,
        traceContext: { traceparent: '00-1-2-01', tracestate: null },
        events: [{ party: bob, participantId, permission: 'submission' }],
      })
      const { rows } = await bench.store.completions.range(undefined, everything)
      assert.deepEqual(
        rows.map(({ offset }) => offset),
        [1n, 3n],
      )
    })

    test('is found in the list of its party and in that of all changes', async () => {
      await using bench = await openCommitBench(kind)
      await bench.commits.enqueue(await bench.interpret([createIou()]))
      await bench.commits.host(host(alice))
      await bench.commits.host(host(bob))
      const numbers = await bench.store.names.numbers([alice, bank, bob, topologyName])
      assert.equal(numbers.size, 4)
      const seenBy = async (name: string) =>
        (await bench.store.updates.seenBy(numbers.get(name)!, everything)).map(({ offset }) => offset)
      assert.deepEqual(await seenBy(alice), [1n, 2n])
      assert.deepEqual(await seenBy(bob), [3n])
      assert.deepEqual(await seenBy(bank), [1n])
      assert.deepEqual(await seenBy(topologyName), [2n, 3n])
      assert.equal((await bench.store.state.get()).lastName, 5n)
    })

    test('advances the clock of its synchronizer', async () => {
      await using bench = await openCommitBench(kind)
      for (const party of [alice, bob]) await bench.commits.host(host(party))
      await bench.commits.enqueue(await bench.interpret([createIou()]))
      const times = (await bench.store.updates.range(everything)).map(({ meta }) => {
        const [, text] = /"recordTime":"([^"]+)"/.exec(meta!)!
        return timestampFromText(text!)!
      })
      assert.ok(times[0]! < times[1]! && times[1]! < times[2]!, String(times))
      const [synchronizer] = await bench.store.synchronizers.list()
      assert.equal(synchronizer!.recordTime, BigInt(times[2]!))
      assert.deepEqual(bench.end.current().synchronizerTimes, [
        { synchronizerId: synchronizer!.id, recordTime: synchronizer!.recordTime },
      ])
    })

    test('that is refused leaves no trace, and others around it are committed', async () => {
      await using bench = await openCommitBench(kind)
      await bench.commits.host(host(bob))
      const commands = await Promise.all([1, 2].map(() => bench.interpret([createIou()])))
      const refusing: HostingChange<never> = {
        ...host(alice),
        async apply(records) {
          await insert(alice, records)
          throw new LedgerError('INVALID_ARGUMENT', 'no')
        },
        written: () => assert.fail('it is not written'),
      }
      const [first, refused, again, second] = await Promise.allSettled([
        bench.commits.enqueue(commands[0]!),
        bench.commits.host(refusing),
        bench.commits.host(host(bob)),
        bench.commits.enqueue(commands[1]!),
      ])
      assert.ok(first.status === 'fulfilled' && first.value.offset === 2n)
      assert.ok(second.status === 'fulfilled' && second.value.offset === 3n)
      assert.ok(refused.status === 'rejected' && refused.reason.message === 'no')
      assert.ok(again.status === 'rejected' && again.reason.message === 'taken')
      assert.equal(bench.end.current().offset, 3n)
      assert.equal(await bench.store.parties.get(alice), undefined)
      assert.deepEqual(bench.health.failing(), [])
    })

    test('without anything to announce takes no offset', async () => {
      await using bench = await openCommitBench(kind)
      let isWoken = false
      void bench.end.moved(0n, new AbortController().signal).then(() => {
        isWoken = true
      })
      const nothing = { ...host(bob), apply: async () => ({ result: 'proposed', added: [] }) }
      assert.equal(await bench.commits.host(nothing), 'proposed')
      assert.equal((await bench.store.state.get()).end, 0n)
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(isWoken, false)
    })

    test('without anything to announce is applied again if it was lost', async () => {
      let failures = 1
      const flaky = (store: Store): Store => ({
        ...store,
        transaction(body) {
          if (failures === 0) return store.transaction(body)
          failures -= 1
          return store.transaction(async (records) => {
            await body(records)
            throw unanswered() // Not committed, and nobody knows.
          })
        },
      })
      await using bench = await openCommitBench(kind, flaky)
      const fact = Buffer.from('proposed')
      const proposing = {
        ...host(bob),
        async apply({ node }: TransactionRecords) {
          await node.put('a proposal', fact)
          return { result: 'proposed', added: [] }
        },
      }
      assert.equal(await whileTimePasses(bench, bench.commits.host(proposing)), 'proposed')
      assert.deepEqual(await bench.store.node.get('a proposal').then((found) => found && Buffer.from(found)), fact)
    })

    test('is written once when the answer of the database is lost', async () => {
      let isLost = true
      const flaky = (store: Store): Store => ({
        ...store,
        async transaction(body) {
          const result = await store.transaction(body)
          if (!isLost) return result
          isLost = false
          throw unanswered()
        },
      })
      await using bench = await openCommitBench(kind, flaky)
      const seen: bigint[] = []
      const outcome = bench.commits.host(host(bob, { seen, bench }))
      assert.equal(await whileTimePasses(bench, outcome), `hosted ${bob}`)
      assert.deepEqual(seen, [0n])
      assert.equal((await topology(bench)).length, 1)
      assert.equal(bench.end.current().offset, 1n)
    })

    test('fails at once when the database cannot be reached, and leaves the queue working', async () => {
      let isAway = true
      const flaky = (store: Store): Store => ({
        ...store,
        transaction: (body) => (isAway ? Promise.reject(unanswered()) : store.transaction(body)),
      })
      await using bench = await openCommitBench(kind, flaky)
      await assert.rejects(bench.commits.host(host(bob)), isStoreUnavailable)
      assert.deepEqual(bench.health.failing(), [])
      isAway = false
      assert.equal(await bench.commits.host(host(bob)), `hosted ${bob}`)
    })

    test('is refused by a queue that is closed', async () => {
      const bench = await openCommitBench(kind)
      await bench[Symbol.asyncDispose]()
      await assert.rejects(bench.commits.host(host(bob)), { code: 'SERVICE_NOT_RUNNING' })
    })
  })
}

/** Advances the clock until the outcome has settled. */
async function whileTimePasses<T>({ clock }: CommitBench, outcome: Promise<T>): Promise<T> {
  const done = outcome.then(() => true)
  while (!(await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 5, false))]))) clock.advance(200)
  return outcome
}

function unanswered(): LedgerError {
  return new LedgerError('INDEX_DB_SQL_TRANSIENT_ERROR', 'no answer')
}
