// Decides a batch of interpreted commands and reassignments in order and writes it in one store transaction.
// Interpretation read the state of its time; inputs are checked again here against the current state, so exactly one of
// two commands that archive one contract is accepted. Changes of hosting (hosting-change.ts) are the only other writer of
// offsets, and wait in the same queue.
import { type LedgerError, storeUnavailable } from '../../base/errors.ts'
import type { LedgerState } from '../../store/core/ledger-records.ts'
import type { Records, TransactionRecords } from '../../store/core/store.ts'
import type { Names } from '../model/name-numbers.ts'
import { decideBatch, knownOf } from './commit-decision.ts'
import type { AcceptedTransaction, CommitItem, DecidedItem, Decision, InterpretedCommand } from './commit-item.ts'
import { completionOf, isCompletionIn } from './completion.ts'
import { changesOf } from './deduplication.ts'
import type { Delivery, Held, HeldItems, OtherParticipants } from './other-participants.ts'
import { addReassignment } from './reassignment-rows.ts'
import { emptyRows, type NewName, type Rows, writeRows } from './rows.ts'
import { addTransaction } from './transaction-rows.ts'

export type Committed = {
  /** In the order of the batch; undefined for those that are held. */
  readonly decisions: readonly (Decision | undefined)[]
  readonly state: LedgerState
  /** By synchronizer number, of all that have had an update. */
  readonly recordTimes: ReadonlyMap<bigint, bigint>
  /** New in this commit. */
  readonly names: readonly NewName[]
  /** Whether the store has this commit, and not another that reached the same offset. */
  readonly isIn: (records: TransactionRecords) => Promise<boolean>
  /** What it wrote for other participants. */
  readonly deliveries?: readonly Delivery[]
  /** What is published later. */
  readonly held?: readonly Held[]
}

export type Rules = {
  readonly names: Names
  /** Its name, for error messages. */
  readonly participantId: string
  /** Why the packages of a command cannot be used any more. */
  readonly vettingProblem?: ((item: InterpretedCommand) => LedgerError | undefined) | undefined
  /** Microseconds since 1970. */
  readonly now: bigint
  /** Undefined for a participant alone. */
  readonly others?: OtherParticipants | undefined
  /** The published ledger end; another node may have gone on from there. */
  readonly end: bigint
}

/** What would be decided now. Writes nothing. */
export async function decideOne(item: CommitItem, records: TransactionRecords, rules: Rules): Promise<Decision> {
  const { decided } = await decideAll([item], records, rules)
  return decided[0]!.decision
}

async function decideAll(
  batch: readonly CommitItem[],
  records: TransactionRecords,
  { now, end, participantId, vettingProblem, others }: Rules,
  pending: ReadonlySet<CommitItem> = new Set(),
) {
  // At once: a database across a network answers them together.
  const [before, last, known] = await Promise.all([
    stateAt(end, records),
    lastRecordTimes(records, others),
    knownOf(batch, records, others),
  ])
  const publishedAt = publishedAfter(before, now)
  const clocks = clocksAt(now, last)
  const isPending = (item: CommitItem) => pending.has(item)
  const setting = { before, publishedAt, clocks, participantId, vettingProblem, isPending }
  const decided = decideBatch(batch, known, setting)
  return { decided, before, publishedAt, last, clocks }
}

export async function commit(
  batch: readonly CommitItem[],
  records: TransactionRecords,
  rules: Rules,
): Promise<Committed> {
  const { others } = rules
  const held = (await others?.heldOf(batch, records)) ?? noneHeld
  const inOrder = held.size === 0 ? batch : [...batch.filter((item) => !held.has(item)), ...held.keys()]
  const pending = new Set([...held].flatMap(([item, { missing }]) => (missing.length > 0 ? [item] : [])))
  const all = await decideAll(inOrder, records, rules, pending)
  const { before, publishedAt, last, clocks } = all
  const everywhere = all.decided.slice(0, batch.length - held.size)
  const decided = others === undefined ? everywhere : await others.seenHere(everywhere, records)
  const { numbers, added } = await numberNames(namesIn(decided), records, rules.names, before.lastName)

  const rows = emptyRows()
  let lastContract = before.lastContract
  for (const one of decided) {
    const { item, decision, recordTime } = one
    if (one.kind === 'transaction') {
      lastContract = addTransaction(one, numbers, lastContract, rows)
      const { submissionId } = one.item
      for (const changeId of changesOf(one.item)) {
        rows.accepted.push({ changeId, offset: decision.offset, publishedAt, submissionId })
      }
    } else if (one.kind !== 'rejected') addReassignment(one, rows)
    rows.completions.push(completionOf(item, decision, recordTime))
  }
  const recordTimes = new Map(batch.map(({ synchronizer: { number } }) => [number, clocks.get(number)!]))
  const byItem = new Map(everywhere.map(({ item, decision }) => [item, decision]))
  const decisions = batch.map((item) => byItem.get(item))
  const end = decided.at(-1)?.decision.offset ?? before.end
  const writing = { rows, names: added, decisions, end, lastContract, publishedAt, recordTimes, before, last }
  const committed = await write(writing, records, others)
  if (others === undefined) return committed
  const accepted = everywhere.filter((one) => one.kind !== 'rejected')
  const written = { records, publishedAt }
  const deliveries = await others.deliver(accepted, written)
  if (held.size === 0) return { ...committed, deliveries }
  const waiting = await others.hold(all.decided.slice(everywhere.length), held, written)
  const isIn: Committed['isIn'] = (now) =>
    decided.length > 0 ? committed.isIn(now) : others.isHeld(waiting.held[0]!, now)
  return { ...committed, isIn, deliveries: [...deliveries, ...waiting.deliveries], held: waiting.held }
}

const noneHeld: HeldItems = new Map()

/** Writes a rejection for an item that cannot be written itself: its client was told to expect a completion. */
export async function commitRejection(
  item: CommitItem,
  error: LedgerError,
  records: TransactionRecords,
  { now, end, others }: Rules,
): Promise<Committed> {
  const before = await stateAt(end, records)
  const { number } = item.synchronizer
  const last = await lastRecordTimes(records, others)
  const recordTime = clocksAt(now, last).get(number)! + 1n
  const offset = before.end + 1n
  const decision: Decision = { kind: 'rejected', offset, error, deduplicationOffset: undefined }
  const rows = emptyRows()
  rows.completions.push(completionOf(item, decision, recordTime))
  const publishedAt = publishedAfter(before, now)
  const recordTimes = new Map([[number, recordTime]])
  const writing = { rows, names: [], decisions: [decision], end: offset, publishedAt, recordTimes, before, last }
  return write(writing, records, others)
}

type Writing = {
  readonly rows: Rows
  readonly names: readonly NewName[]
  readonly decisions: readonly (Decision | undefined)[]
  readonly end: bigint
  /** The number of the last contract, if there are new ones. */
  readonly lastContract?: bigint
  readonly publishedAt: bigint
  /** The record times in this commit, by synchronizer number. */
  readonly recordTimes: ReadonlyMap<bigint, bigint>
  /** The state and the record times before. */
  readonly before: LedgerState
  readonly last: ReadonlyMap<bigint, bigint>
}

/** Writes the rows of a commit and the state after it. */
export async function write(
  { rows, names, decisions, end, lastContract, publishedAt, recordTimes, before, last }: Writing,
  records: TransactionRecords,
  others: OtherParticipants | undefined,
): Promise<Committed> {
  await writeRows(rows, names, records)
  const state = {
    ...before,
    end,
    lastContract: lastContract ?? before.lastContract,
    lastName: before.lastName + BigInt(names.length),
    publishedAt,
  }
  await records.state.put(state)
  for (const [number, recordTime] of recordTimes) await records.synchronizers.setRecordTime(number, recordTime)
  await others?.advance(recordTimes, records)
  return { decisions, state, recordTimes: moved(last, recordTimes), names, isIn: (now) => areIn(rows, now) }
}

/** The last of its rows with an offset says it for all. */
async function areIn({ completions, updates }: Rows, records: Records): Promise<boolean> {
  const [completion, update] = [completions.at(-1), updates.at(-1)]
  if (completion !== undefined) return isCompletionIn(completion, records)
  if (update === undefined) return false
  const [found] = await records.updates.metas({ after: update.offset - 1n, upTo: update.offset, limit: 1 })
  return found?.meta === update.meta
}

/** Never before an earlier one. */
export function publishedAfter({ publishedAt }: LedgerState, now: bigint): bigint {
  return publishedAt > now ? publishedAt : now
}

/** A store that ends before what this node published is not the one that held it. */
export async function stateAt(end: bigint, records: Records): Promise<LedgerState> {
  const state = await records.state.get()
  if (state.end < end) throw storeUnavailable('the store does not hold what was committed')
  return state
}

/** By synchronizer number; 0 for one without an update. Whatever the clocks of nodes show, they only grow. */
export async function lastRecordTimes(
  records: TransactionRecords,
  others: OtherParticipants | undefined,
): Promise<ReadonlyMap<bigint, bigint>> {
  return others === undefined ? recordTimesIn(records) : others.recordTimes(records)
}

/** As this participant has seen them. */
export async function recordTimesIn({ synchronizers }: Records): Promise<ReadonlyMap<bigint, bigint>> {
  return new Map((await synchronizers.list()).map(({ number, recordTime }) => [number, recordTime]))
}

/** What the clocks of synchronizers show; the next record time is a microsecond later. */
export function clocksAt(now: bigint, last: ReadonlyMap<bigint, bigint>): Map<bigint, bigint> {
  return new Map([...last].map(([number, recordTime]) => [number, recordTime >= now ? recordTime : now - 1n]))
}

/** The record times of all synchronizers that have had an update, after a commit that moved some. */
export function moved(last: ReadonlyMap<bigint, bigint>, by: ReadonlyMap<bigint, bigint>): Map<bigint, bigint> {
  return new Map([...last, ...by].filter(([, recordTime]) => recordTime > 0n))
}

/** All parties and templates in accepted transactions. */
function namesIn(decided: readonly DecidedItem[]): ReadonlySet<string> {
  const needed = new Set<string>()
  for (const { item } of decided.filter((one): one is AcceptedTransaction => one.kind === 'transaction')) {
    for (const name of item.served.parties) needed.add(name)
    for (const name of item.served.templates) needed.add(name)
  }
  return needed
}

/** Numbers of all these names; new names get the next numbers after the last. */
export async function numberNames(needed: ReadonlySet<string>, records: Records, names: Names, last: bigint) {
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
