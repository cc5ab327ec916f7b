// Decides a batch of interpreted commands and reassignments, one after the other, and writes all of it in one
// transaction of the store. Interpretation read what was committed then; here the inputs are checked against what is
// committed now, so that of two commands that archive one contract exactly one is accepted. Nobody else writes meanwhile.
import { type LedgerError, storeUnavailable } from '../../base/errors.ts'
import type { LedgerState, Records } from '../../store/store.ts'
import type { Names } from '../names.ts'
import { decide } from './commit-decision.ts'
import type { AcceptedTransaction, CommitItem, Decision, Judged } from './commit-item.ts'
import { completionOf } from './completion.ts'
import { changesOf } from './deduplication.ts'
import { addReassignment } from './reassignment-rows.ts'
import { emptyRows, type NewName, writeRows } from './rows.ts'
import { addTransaction } from './transaction-rows.ts'

export type Committed = {
  readonly decisions: readonly Decision[]
  readonly state: LedgerState
  /** By the number of the synchronizer, for those that took part. */
  readonly recordTimes: ReadonlyMap<bigint, bigint>
  /** New in this commit. */
  readonly names: readonly NewName[]
}

type Rules = {
  readonly names: Names
  /** Microseconds since 1970. */
  readonly now: bigint
  /** Up to where the ledger is published. */
  readonly end: bigint
}

export async function commit(batch: readonly CommitItem[], records: Records, rules: Rules): Promise<Committed> {
  const before = await stateAt(rules.end, records)
  const publishedAt = before.publishedAt > rules.now ? before.publishedAt : rules.now
  const clocks = await clocksAt(rules.now, records)
  const judged = await decide(batch, records, { before, publishedAt, clocks })
  const { numbers, added } = await numberNames(judged, records, rules.names, before.lastName)

  const rows = emptyRows()
  let lastContract = before.lastContract
  for (const one of judged) {
    const { item, decision, recordTime } = one
    if (one.kind === 'transaction') {
      lastContract = addTransaction(one, numbers, lastContract, rows)
      const { submissionId } = one.item
      for (const changeId of changesOf(one.item)) {
        rows.accepted.push({ changeId, offset: decision.offset, publishedAt, submissionId })
      }
    } else if (one.kind !== 'rejected') addReassignment(one, rows)
    rows.completions.push(await completionOf(item, decision, recordTime))
  }
  await writeRows(rows, added, records)

  const state = {
    ...before,
    end: judged.at(-1)!.decision.offset,
    lastContract,
    lastName: before.lastName + BigInt(added.length),
    publishedAt,
  }
  await records.state.put(state)
  const recordTimes = new Map(batch.map(({ synchronizer: { number } }) => [number, clocks.get(number)!]))
  for (const [number, recordTime] of recordTimes) await records.synchronizers.setRecordTime(number, recordTime)
  return { decisions: judged.map(({ decision }) => decision), state, recordTimes, names: added }
}

/** The completion of an item that cannot be written itself: who was told that it is on its way hears how it ended. */
export async function commitRejection(
  item: CommitItem,
  error: LedgerError,
  records: Records,
  { now, end }: Rules,
): Promise<Committed> {
  const before = await stateAt(end, records)
  const { number } = item.synchronizer
  const recordTime = (await clocksAt(now, records)).get(number)! + 1n
  const offset = before.end + 1n
  const decision: Decision = { kind: 'rejected', offset, error, deduplicationOffset: undefined, isVerdict: false }
  const rows = emptyRows()
  rows.completions.push(await completionOf(item, decision, recordTime))
  await writeRows(rows, [], records)
  const state = { ...before, end: offset, publishedAt: before.publishedAt > now ? before.publishedAt : now }
  await records.state.put(state)
  await records.synchronizers.setRecordTime(number, recordTime)
  return {
    decisions: [decision],
    state,
    recordTimes: new Map([[number, recordTime]]),
    names: [],
  }
}

/** What was published is in the store, or the store is not the one that this node wrote to. */
async function stateAt(end: bigint, records: Records): Promise<LedgerState> {
  const state = await records.state.get()
  if (state.end !== end) throw storeUnavailable('the store does not hold what was committed')
  return state
}

/** Where record times stand: the next one is a microsecond later. */
async function clocksAt(now: bigint, { synchronizers }: Records): Promise<Map<bigint, bigint>> {
  const known = await synchronizers.list()
  return new Map(known.map(({ number, recordTime }) => [number, recordTime >= now ? recordTime : now - 1n]))
}

/** Numbers of all parties and templates of accepted transactions; those that have none yet get the next. */
async function numberNames(judged: readonly Judged[], records: Records, names: Names, last: bigint) {
  const needed = new Set<string>()
  for (const { item } of judged.filter((one): one is AcceptedTransaction => one.kind === 'transaction')) {
    for (const name of item.served.parties) needed.add(name)
    for (const name of item.served.templates) needed.add(name)
  }
  const numbers = await names.numbers([...needed], records.names)
  const added: NewName[] = []
  for (const name of needed) {
    if (numbers.has(name)) continue
    const number = last + BigInt(added.length) + 1n
    added.push({ name, number })
    numbers.set(name, number)
  }
  return { numbers, added }
}
