// Writes what other participants see of a commit into their tables: their own offsets, names and contract numbers, the
// same update ids, contract ids and record times.

import { informeesOf as informeesOfTransaction } from '../../engine/requests/served-transaction.ts'
import { topologyName, updateIdKey } from '../../events/format/stored-update.ts'
import { type Projected, projectForSubmitter, projectTransaction } from '../../events/format/transaction-projection.ts'
import type { ContractState, LedgerState } from '../../store/core/ledger-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { moved, numberNames, recordTimesIn } from '../commit/commit.ts'
import type { Accepted, AcceptedTransaction, DecidedItem, InterpretedCommand } from '../commit/commit-item.ts'
import type { DeliveredHosting, Delivery, OtherParticipants, Written } from '../commit/other-participants.ts'
import { addReassignment } from '../commit/reassignment-rows.ts'
import { emptyRows, type Rows, writeRows } from '../commit/rows.ts'
import { addTransaction } from '../commit/transaction-rows.ts'
import { listed } from '../model/name-numbers.ts'
import { learnHosts } from './hosting-delivery.ts'
import type { Member } from './member.ts'
import { reassignmentAt } from './reassignment-delivery.ts'
import { statesElsewhere } from './states-elsewhere.ts'

/** The clocks of synchronizers are rows of the first participant. */
const clockKeeper = 1

export function createDeliveries(self: Member, members: () => readonly Member[]): OtherParticipants {
  const others = () => members().filter(({ number }) => number !== self.number)

  return {
    recordTimes: (records) => recordTimesIn(records.of(clockKeeper)),
    async advance(recordTimes, records) {
      if (self.number === clockKeeper) return
      const { synchronizers } = records.of(clockKeeper)
      for (const [number, recordTime] of recordTimes) await synchronizers.setRecordTime(number, recordTime)
    },
    states: (contractIds, records) => statesElsewhere(contractIds, others(), self.hosting, records),
    seenHere: <Item extends DecidedItem>(decided: readonly Item[], records: TransactionRecords) =>
      Promise.all(
        decided.map(async (one) => {
          if (one.kind !== 'transaction') return one
          const hosted = await hostedBy(self, one, records)
          return { ...one, item: seenAs(one.item, projectForSubmitter(projectable(one.item), hosted)) }
        }),
      ),
    async deliver(accepted, written) {
      const deliveries: Delivery[] = []
      for (const member of others()) {
        const seen = await seenBy(member, accepted, written.records)
        if (seen.length > 0) deliveries.push(await deliverUpdates(member, seen, written))
      }
      return deliveries
    },
    async deliverHosting(hostings, written) {
      const deliveries: Delivery[] = []
      for (const member of others()) {
        const connected = new Set(member.synchronizers.list().map(({ number }) => number))
        const seen = hostings.filter(({ synchronizer }) => connected.has(synchronizer))
        if (seen.length > 0) deliveries.push(await deliverHostings(member, seen, written))
      }
      return deliveries
    },
    publish(deliveries) {
      for (const delivery of deliveries) {
        others()
          .find(({ number }) => number === delivery.participant)
          ?.publish(delivery)
      }
    },
  }

  /** Those of which the member hosts an informee, with the parties that it hosts. */
  async function seenBy(member: Member, accepted: readonly Accepted[], records: TransactionRecords): Promise<Seen[]> {
    const seen: Seen[] = []
    for (const one of accepted) {
      const hosted = await hostedBy(member, one, records)
      if (hosted.size > 0) seen.push({ accepted: one, hosted })
    }
    return seen
  }

  /** The informees that the member hosts. */
  async function hostedBy(
    { participantId }: Member,
    one: Accepted,
    records: TransactionRecords,
  ): Promise<ReadonlySet<string>> {
    const { number } = one.item.synchronizer
    const hosted = new Set<string>()
    for (const party of informeesOf(one)) {
      const hosts = await self.hosting.hosts(party, records)
      const isThere =
        hosts.length === 0
          ? participantId === self.participantId
          : hosts.some((host) => host.synchronizer === number && host.participant === participantId)
      if (isThere) hosted.add(party)
    }
    return hosted
  }
}

type Seen = { readonly accepted: Accepted; readonly hosted: ReadonlySet<string> }

/** Contracts of one reassignment have the same stakeholders. */
function informeesOf(one: Accepted): readonly string[] {
  return one.kind === 'transaction' ? informeesOfTransaction(one.item) : one.item.contracts[0]!.stakeholders
}

/** What the member sees of one of them; undefined for nothing. */
function partOf({ accepted, hosted }: Seen) {
  if (accepted.kind !== 'transaction') return accepted
  const part = projectTransaction(projectable(accepted.item), hosted)
  return part && { ...accepted, item: seenAs(accepted.item, part) }
}

function projectable({ served, effects: { created, onlookers, tree } }: InterpretedCommand) {
  return { served, created, onlookers, tree }
}

function seenAs(item: InterpretedCommand, { served, created }: Projected): InterpretedCommand {
  return { ...item, served, effects: { ...item.effects, created } }
}

function namesIn(part: Accepted): readonly string[] {
  if (part.kind !== 'transaction') return part.item.contracts.flatMap((one) => [...one.stakeholders, one.template])
  return [...part.item.served.parties, ...part.item.served.templates]
}

async function deliverUpdates(
  member: Member,
  seen: readonly Seen[],
  { records, publishedAt }: Written,
): Promise<Delivery> {
  const own = records.of(member.number)
  const before = await own.state.get()
  const parts = seen.map(partOf).filter((part) => part !== undefined)
  const { numbers, added } = await numberNames(new Set(parts.flatMap(namesIn)), own, member.names, before.lastName)
  const rows = emptyRows()
  const recordTimes = new Map<bigint, bigint>()
  let { end, lastContract } = before
  for (const part of parts) {
    end += 1n
    if (part.kind === 'transaction') {
      const known = await own.contracts.states(part.item.effects.archived)
      lastContract = addTransaction(transactionAt(end, part, known, rows), numbers, lastContract, rows)
    } else addReassignment(await reassignmentAt(end, part, own), rows)
    recordTimes.set(part.item.synchronizer.number, part.recordTime)
  }
  const state = { ...before, end, lastContract, publishedAt: later(before.publishedAt, publishedAt) }
  return write(member, own, { rows, names: added, state, recordTimes, parties: [] })
}

/** Of the contracts that it archives, the member may know some, by its own numbers. */
function transactionAt(
  offset: bigint,
  part: AcceptedTransaction,
  known: readonly ContractState[],
  { archives }: Rows,
): AcceptedTransaction {
  const earlier = new Set(archives.map(({ number }) => number))
  return {
    ...part,
    item: { ...part.item, commandId: '', actAs: [] },
    decision: { ...part.decision, offset },
    archived: known.filter(({ number, archivedOffset }) => archivedOffset === undefined && !earlier.has(number)),
  }
}

async function deliverHostings(
  member: Member,
  hostings: readonly DeliveredHosting[],
  { records, publishedAt }: Written,
): Promise<Delivery> {
  const own = records.of(member.number)
  const before = await own.state.get()
  const lists = new Set(hostings.flatMap((hosting) => hosting.lists))
  const { numbers, added } = await numberNames(lists, own, member.names, before.lastName)
  const templates = listed([numbers.get(topologyName)!])
  const rows = emptyRows()
  let { end } = before
  for (const hosting of hostings) {
    const { updateId, meta, lists } = hosting
    end += 1n
    rows.updates.push({ offset: end, idKey: updateIdKey(updateId), templates, meta, body: new Uint8Array() })
    for (const name of lists) rows.seen.push({ party: numbers.get(name)!, offset: end, templates })
    await learnHosts(member.participantId, hosting, own)
  }
  const recordTimes = new Map(hostings.map(({ synchronizer, recordTime }) => [synchronizer, recordTime]))
  const state = { ...before, end, publishedAt: later(before.publishedAt, publishedAt) }
  const parties = hostings.flatMap(({ hosts }) => hosts.map(({ party }) => party))
  return write(member, own, { rows, names: added, state, recordTimes, parties })
}

async function write(
  { number }: Member,
  records: TransactionRecords,
  delivery: Pick<Delivery, 'names' | 'recordTimes' | 'parties'> & { rows: Rows; state: LedgerState },
): Promise<Delivery> {
  const { rows, names, recordTimes, parties } = delivery
  const last = await recordTimesIn(records)
  const state = { ...delivery.state, lastName: delivery.state.lastName + BigInt(names.length) }
  await writeRows(rows, names, records)
  await records.state.put(state)
  for (const [synchronizer, recordTime] of recordTimes)
    await records.synchronizers.setRecordTime(synchronizer, recordTime)
  return { participant: number, state, recordTimes: moved(last, recordTimes), names, parties }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
