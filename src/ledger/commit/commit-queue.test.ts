// What commit decides and what it writes, on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  activeContracts,
  alice,
  archive,
  bank,
  type CommitBench,
  createIou,
  keyedType,
  openCommitBench,
} from '../../../test/fixtures/commit-bench.ts'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { isStoreUnavailable, LedgerError } from '../../base/errors.ts'
import type { ClientCommand } from '../../engine/requests/command-decoding.ts'
import { metaFromText, recordTimeOf } from '../../events/format/stored-update.ts'
import { timestampFromText } from '../../lf/codec/time-text.ts'
import type { Store } from '../../store/core/store.ts'
import type { Decision } from './commit-item.ts'

const key = (name: string) => ({ maintainers: [alice], name, maintainersFault: 'Fine', last: null })
const createKeyed = (name: string): ClientCommand => ({
  kind: 'create',
  templateId: keyedType,
  createArguments: { signatories: [alice], observers: [], key: key(name), keyFault: 'Fine', note: '' },
})

/** Queries the contracts of a key, on a contract created for the purpose. */
const query = (name: string): ClientCommand => ({
  kind: 'create-and-exercise',
  templateId: keyedType,
  createArguments: { signatories: [alice], observers: [], key: key('runner'), keyFault: 'Fine', note: '' },
  choice: 'Keep',
  choiceArgument: { controllers: [alice], program: [{ tag: 'Query', value: { count: '5', key: key(name) } }] },
})

async function commitOne(bench: CommitBench, command: ClientCommand): Promise<string> {
  const interpreted = await bench.interpret([command])
  assert.equal((await bench.commits.enqueue(interpreted)).kind, 'accepted')
  return interpreted.effects.created.at(-1)?.contractId ?? ''
}

function shown(decision: Decision): unknown[] {
  return decision.kind === 'accepted' ? ['accepted', decision.offset] : [decision.error.code, decision.offset]
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`commit on ${kind}`, kind === 'postgres' ? needsPostgres : {}, () => {
    test('gives offsets and record times in order, within a batch and after it', async () => {
      await using bench = await openCommitBench(kind)
      const commands = await Promise.all([1, 2, 3].map(() => bench.interpret([createIou()])))
      const together = await Promise.all(commands.map((command) => bench.commits.enqueue(command)))
      const later = await bench.commits.enqueue(await bench.interpret([createIou()]))
      assert.deepEqual(
        [...together, later].map((decision) => decision.offset),
        [1n, 2n, 3n, 4n],
      )
      assert.equal(bench.end.current().offset, 4n)
      const updates = await bench.store.updates.range({ after: 0n, upTo: 9n, limit: 9 })
      const times = updates.map(({ meta }) => Number(timestampFromText(recordTimeOf(metaFromText(meta!)))))
      assert.ok(
        times.every((time, index) => index === 0 || time > times[index - 1]!),
        String(times),
      )
      assert.deepEqual(
        updates.map(({ offset }) => offset),
        [1n, 2n, 3n, 4n],
      )
    })

    test('rejects a command whose packages were unvetted after it was interpreted', async () => {
      const refusal = new LedgerError('NO_SYNCHRONIZER_FOR_SUBMISSION', 'no longer vetted')
      const problems: (LedgerError | undefined)[] = [undefined, refusal, undefined]
      await using bench = await openCommitBench(kind, undefined, {}, () => problems.shift())
      const commands = await Promise.all([1, 2, 3].map(() => bench.interpret([createIou()])))
      const decisions = await Promise.all(commands.map((command) => bench.commits.enqueue(command)))
      assert.deepEqual(decisions.map(shown), [
        ['accepted', 1n],
        ['NO_SYNCHRONIZER_FOR_SUBMISSION', 2n],
        ['accepted', 3n],
      ])
    })

    test('goes on from the end that another node has reached, and never from an earlier one', async () => {
      await using bench = await openCommitBench(kind)
      const other = await bench.reopen()
      assert.equal((await other.commits.enqueue(await bench.interpret([createIou()]))).offset, 1n)
      assert.equal(bench.end.current().offset, 0n)
      assert.equal((await bench.commits.enqueue(await bench.interpret([createIou()]))).offset, 2n)
      assert.equal(bench.end.current().offset, 2n)
      const before = await bench.store.state.get()
      await bench.store.state.put({ ...before, end: 1n })
      await assert.rejects(bench.commits.decide(await bench.interpret([createIou()])), isStoreUnavailable)
    })

    test('accepts one of two commands that archive a contract, in one batch or in two', async () => {
      await using bench = await openCommitBench(kind)
      const iou = await commitOne(bench, createIou())
      const commands = await Promise.all([1, 2].map(() => bench.interpret([archive(iou)])))
      const late = await bench.interpret([archive(iou)])
      const together = await Promise.all(commands.map((command) => bench.commits.enqueue(command)))
      const after = await bench.commits.enqueue(late)
      assert.deepEqual([...together, after].map(shown), [
        ['accepted', 2n],
        ['LOCAL_VERDICT_INACTIVE_CONTRACTS', 3n],
        ['LOCAL_VERDICT_INACTIVE_CONTRACTS', 4n],
      ])
      const rejected = together[1] as Decision & { kind: 'rejected' }
      assert.deepEqual(rejected.error.details.resources, [['CONTRACT_ID', iou]])
      const [contract] = await bench.store.contracts.find([iou])
      assert.equal(contract?.archivedOffset, 2n)
      assert.deepEqual(await activeContracts(bench.store), [])
    })

    test('writes an update for each accepted command, and a completion for every one', async () => {
      await using bench = await openCommitBench(kind)
      const iou = await commitOne(bench, createIou())
      const commands = await Promise.all([1, 2].map(() => bench.interpret([archive(iou)])))
      await Promise.all(commands.map((command) => bench.commits.enqueue(command)))
      const updates = await bench.store.updates.range({ after: 0n, upTo: 9n, limit: 9 })
      const { rows: completions } = await bench.store.completions.range('user', { after: 0n, upTo: 9n, limit: 9 })
      assert.deepEqual(
        updates.map(({ offset }) => offset),
        [1n, 2n],
      )
      const told = completions.map(({ head, actAs, tail }) => JSON.parse(head + JSON.stringify(actAs) + tail))
      assert.deepEqual(
        told.map(({ offset, status, updateId }) => [offset, status.code, updateId !== '']),
        [
          [1, 0, true],
          [2, 0, true],
          [3, 5, false],
        ],
      )
      assert.equal(
        told[2].status.message,
        'LOCAL_VERDICT_INACTIVE_CONTRACTS(11,0): Rejected transaction is referring to inactive contracts ',
      )
    })

    test('recognizes a change for as long as its submission asks for', async () => {
      await using bench = await openCommitBench(kind)
      const submit = async (given: Parameters<CommitBench['interpret']>[1]) =>
        shown(await bench.commits.enqueue(await bench.interpret([createIou()], { commandId: 'same', ...given })))
      assert.deepEqual(await submit({}), ['accepted', 1n])
      assert.deepEqual(await submit({}), ['DUPLICATE_COMMAND', 2n])
      assert.deepEqual(await submit({ commandId: 'other' }), ['accepted', 3n])
      assert.deepEqual(await submit({ userId: 'other' }), ['accepted', 4n])
      assert.deepEqual(await submit({ deduplication: { kind: 'offset', offset: 0n } }), ['DUPLICATE_COMMAND', 5n])
      assert.deepEqual(await submit({ deduplication: { kind: 'offset', offset: 1n } }), ['accepted', 6n])
      assert.deepEqual(await submit({ deduplication: { kind: 'offset', offset: 1n } }), ['DUPLICATE_COMMAND', 7n])
      bench.clock.advance(3_600_000)
      assert.deepEqual(await submit({}), ['DUPLICATE_COMMAND', 8n])
      bench.clock.advance(1)
      assert.deepEqual(await submit({}), ['accepted', 9n])
      const { commits } = await bench.reopen()
      const again = await bench.interpret([createIou()], { commandId: 'same' })
      assert.deepEqual(shown(await commits.enqueue(again)), ['DUPLICATE_COMMAND', 10n])
    })

    test('lets a rejected command be tried again', async () => {
      await using bench = await openCommitBench(kind)
      const iou = await commitOne(bench, createIou())
      const loser = await bench.interpret([archive(iou)], { commandId: 'again' })
      await commitOne(bench, archive(iou))
      assert.deepEqual(shown(await bench.commits.enqueue(loser)), ['LOCAL_VERDICT_INACTIVE_CONTRACTS', 3n])
      const retry = await bench.interpret([createIou()], { commandId: 'again' })
      assert.deepEqual(shown(await bench.commits.enqueue(retry)), ['accepted', 4n])
    })

    test('rejects a command that is too late or too early for its ledger time', async () => {
      await using bench = await openCommitBench(kind)
      const minute = 60_000_000n
      const now = BigInt(bench.clock.nowMs()) * 1000n
      const cases: [ledgerTime: bigint, want: string][] = [
        [now - minute + 10n, 'accepted'],
        [now - minute - 10n, 'NOT_SEQUENCED_TIMEOUT'],
        [now + minute - 10n, 'accepted'],
        [now + minute + 10n, 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND'],
      ]
      for (const [ledgerTime, want] of cases) {
        const decision = await bench.commits.enqueue(await bench.interpret([createIou()], { ledgerTime }))
        assert.equal(shown(decision)[0], want)
      }
    })

    test('accepts a command that found no contract of a key although there is one by now, as Canton does', async () => {
      await using bench = await openCommitBench(kind)
      const looking = await bench.interpret([query('one')])
      const other = await bench.interpret([query('two')])
      await commitOne(bench, createKeyed('one'))
      assert.deepEqual(shown(await bench.commits.enqueue(looking)), ['accepted', 2n])
      assert.deepEqual(shown(await bench.commits.enqueue(other)), ['accepted', 3n])
    })

    test('finds a contract by its key until it is archived', async () => {
      await using bench = await openCommitBench(kind)
      const interpreted = await bench.interpret([createKeyed('k')])
      await bench.commits.enqueue(interpreted)
      const { contractId, keyHash } = interpreted.effects.created[0]!
      assert.deepEqual(
        (await bench.store.contracts.withKey(keyHash!)).contracts.map((found) => found.contractId),
        [contractId],
      )
      await commitOne(bench, archive(contractId, keyedType))
      assert.deepEqual((await bench.store.contracts.withKey(keyHash!)).contracts, [])
    })

    test('gives a name one number and keeps it after a restart', async () => {
      await using bench = await openCommitBench(kind)
      await commitOne(bench, createIou())
      const { commits } = await bench.reopen()
      await commits.enqueue(await bench.interpret([createIou()]))
      const numbers = await bench.store.names.numbers([alice, bank, '#quickstart:Iou:Iou'])
      assert.deepEqual([...numbers.values()].sort(), [1n, 2n, 3n])
      assert.equal((await bench.store.state.get()).lastName, 3n)
    })

    test('commits the rest of a batch when one command cannot be written', async () => {
      await using bench = await openCommitBench(kind)
      const good = await Promise.all([1, 2].map(() => bench.interpret([createIou()])))
      const broken = { ...good[0]!, changeId: null as unknown as Uint8Array, updateId: 'no hash' }
      const outcomes = await Promise.all([good[0]!, broken, good[1]!].map((one) => bench.commits.enqueue(one)))
      assert.deepEqual(outcomes.map(shown), [
        ['accepted', 1n],
        ['LEDGER_API_INTERNAL_ERROR', 2n],
        ['accepted', 3n],
      ])
      const { rows } = await bench.store.completions.range(undefined, { after: 0n, upTo: 9n, limit: 9 })
      assert.deepEqual(
        rows.map(({ head }) => JSON.parse(`${head}[]}`).status.code),
        [0, 13, 0],
      )
    })

    test('waits for a database that does not answer, without losing or repeating anything', async () => {
      for (const moment of ['before', 'after'] as const) {
        let failures = 2
        const flaky = (store: Store): Store => ({
          ...store,
          async transaction(body) {
            if (moment === 'after' && failures === 1) {
              failures -= 1
              await store.transaction(body) // Committed, but the answer was lost.
              throw unanswered()
            }
            if (failures > 0) {
              failures -= 1
              throw unanswered()
            }
            return store.transaction(body)
          },
        })
        await using bench = await openCommitBench(kind, flaky)
        const outcome = bench.commits.enqueue(await bench.interpret([createIou()]))
        assert.deepEqual(shown(await whileTimePasses(bench, outcome)), ['accepted', 1n])
        const { rows } = await bench.store.completions.range(undefined, { after: 0n, upTo: 9n, limit: 9 })
        assert.equal(rows.length, 1)
        assert.equal(bench.end.current().offset, 1n)
      }
    })

    test('does not take a commit of another for its own that was lost', async () => {
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
      const other = await bench.reopen()
      const [lost, theirs] = await Promise.all([1, 2].map(() => bench.interpret([createIou()])))
      const outcome = bench.commits.enqueue(lost!)
      assert.equal((await other.commits.enqueue(theirs!)).offset, 1n) // As many as were lost.
      assert.deepEqual(shown(await whileTimePasses(bench, outcome)), ['accepted', 2n])
      const { rows } = await bench.store.completions.range(undefined, { after: 0n, upTo: 9n, limit: 9 })
      assert.deepEqual(
        rows.map(({ tail }) => JSON.parse(`{"actAs":[]${tail}`).submissionId),
        [theirs!.submissionId, lost!.submissionId],
      )
    })

    test('refuses commands and reports it while the store does not answer', async () => {
      let isAway = true
      const flaky = (store: Store): Store => ({
        ...store,
        transaction: (body) => (isAway ? Promise.reject(unanswered()) : store.transaction(body)),
      })
      await using bench = await openCommitBench(kind, flaky)
      const [first, second] = await Promise.all([1, 2].map(() => bench.interpret([createIou()])))
      const outcome = bench.commits.enqueue(first!)
      while (bench.health.failing().length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      assert.throws(() => bench.commits.enqueue(second!), isStoreUnavailable)
      isAway = false
      assert.deepEqual(shown(await whileTimePasses(bench, outcome)), ['accepted', 1n])
      assert.deepEqual(bench.health.failing(), [])
      assert.deepEqual(shown(await bench.commits.enqueue(second!)), ['accepted', 2n])
    })

    test('takes everything that became ready while it waited for its turn to write', async () => {
      const sizes: bigint[] = []
      const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
      const { promise: release, resolve } = Promise.withResolvers<void>()
      const waiting = (store: Store): Store => ({
        ...store,
        async transaction(body) {
          ask()
          await release
          const before = (await store.state.get()).end
          const result = await store.transaction(body)
          sizes.push((await store.state.get()).end - before)
          return result
        },
      })
      await using bench = await openCommitBench(kind, waiting)
      const commands = await Promise.all([1, 2, 3, 4].map(() => bench.interpret([createIou()])))
      const first = bench.commits.enqueue(commands[0]!)
      await asked
      const later = commands.slice(1).map((command) => bench.commits.enqueue(command))
      resolve()
      const decisions = await Promise.all([first, ...later])
      assert.deepEqual(
        decisions.map(shown),
        [1n, 2n, 3n, 4n].map((offset) => ['accepted', offset]),
      )
      assert.deepEqual(sizes, [4n])
    })

    test('bounds the bytes in the queue', async () => {
      const { promise: release, resolve } = Promise.withResolvers<void>()
      const slow = (store: Store): Store => ({
        ...store,
        transaction: (body) => release.then(() => store.transaction(body)),
      })
      await using bench = await openCommitBench(kind, slow, { commitQueueBytesMax: 3_000 })
      const commands = await Promise.all(Array.from({ length: 20 }, () => bench.interpret([createIou()])))
      const taken: Promise<Decision>[] = []
      const refused: unknown[] = []
      for (const command of commands) {
        try {
          taken.push(bench.commits.enqueue(command))
        } catch (error) {
          refused.push((error as LedgerError).code)
        }
      }
      resolve()
      assert.ok(taken.length > 0 && refused.length > 0, `${taken.length} taken, ${refused.length} refused`)
      assert.deepEqual(new Set(refused), new Set(['PARTICIPANT_BACKPRESSURE']))
      for (const decision of await Promise.all(taken)) assert.equal(decision.kind, 'accepted')
      assert.deepEqual(shown(await bench.commits.enqueue(commands.at(-1)!))[0], 'accepted')
    })

    test('makes a user wait for at most one large transaction of another', async () => {
      let transactions = 0
      const { promise: release, resolve } = Promise.withResolvers<void>()
      const slow = (store: Store): Store => ({
        ...store,
        transaction: (body) => {
          transactions += 1
          return release.then(() => store.transaction(body))
        },
      })
      await using bench = await openCommitBench(kind, slow)
      const interpreted = await bench.interpret([createIou()])
      const small = { ...interpreted, userId: 'polite' }
      const large = await Promise.all(
        Array.from({ length: 3 }, () => bench.interpret([createIou({ currency: 'x'.repeat(1_500_000) })])),
      )
      const decided = [...large, small].map((command) => bench.commits.enqueue(command))
      resolve()
      const offsets = (await Promise.all(decided)).map(({ offset }) => Number(offset))
      assert.ok(offsets[3]! < offsets[1]!, `the small one has offset ${offsets[3]}, the large ones ${offsets}`)
      assert.ok(transactions >= 4, 'each large one is written alone')
    })

    test('writes nothing to a store that has lost published updates', async () => {
      await using bench = await openCommitBench(kind)
      await commitOne(bench, createIou())
      const state = await bench.store.state.get()
      await bench.store.state.put({ ...state, end: 0n })
      const outcome = bench.commits.enqueue(await bench.interpret([createIou()]))
      while (bench.health.failing().length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      assert.deepEqual(
        bench.health.failing().map(({ reason }) => reason),
        ['the store does not hold what was committed'],
      )
      await bench.store.state.put(state)
      assert.deepEqual(shown(await whileTimePasses(bench, outcome)), ['accepted', 2n])
    })

    test('closes within a time limit while the store is unreachable', async () => {
      const flaky = (store: Store): Store => ({ ...store, transaction: () => Promise.reject(unanswered()) })
      const bench = await openCommitBench(kind, flaky)
      const commands = await Promise.all([1, 2, 3].map(() => bench.interpret([createIou()])))
      const outcomes = commands.map((command) => assert.rejects(bench.commits.enqueue(command), isStoreUnavailable))
      await whileTimePasses(bench, Promise.resolve(bench[Symbol.asyncDispose]()))
      await Promise.all(outcomes)
    })
  })
}

/** Advances the clock until the outcome has settled. */
async function whileTimePasses<T>({ clock }: CommitBench, outcome: Promise<T>): Promise<T> {
  const done = outcome.then(() => true)
  while (!(await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 5, false))]))) clock.advance(20)
  return outcome
}

function unanswered(): LedgerError {
  return new LedgerError('INDEX_DB_SQL_TRANSIENT_ERROR', 'no answer')
}
