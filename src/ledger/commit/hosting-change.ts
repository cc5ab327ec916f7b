// A change of where parties are hosted, as an item of the commit queue: it takes offsets, and commit is the only writer
// of those. Unlike a command it is refused without a trace: there is no completion, and no offset is used.

import {
  type HostingEvent,
  listsOf,
  type StoredTopology,
  type TraceContext,
  topologyName,
  topologyToText,
  updateIdKey,
} from '../../events/format/stored-update.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { ExternalPartyRecord } from '../../store/core/administration-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { listed } from '../model/name-numbers.ts'
import {
  type Committed,
  clocksAt,
  lastRecordTimes,
  moved,
  numberNames,
  publishedAfter,
  type Rules,
  stateAt,
  write,
} from './commit.ts'
import { updateIdFrom } from './ids.ts'
import { type DeliveredHosting, LineBusy } from './other-participants.ts'
import { emptyRows } from './rows.ts'

/** The result for the client, and what became hosted where: one update per synchronizer. */
export type Hosted<T> = {
  readonly result: T
  readonly added: readonly NewHosting[]
  /** Of new external parties. */
  readonly keys?: readonly ExternalPartyRecord[]
}

export type NewHosting = HostingEvent & {
  /** By number. */
  readonly synchronizer: bigint
  /** How many of the party's participants must confirm; one unless it is said. */
  readonly threshold?: number
}

export type HostingChange<T> = {
  /** Who asks, so that users share the queue. */
  readonly userId: string
  /** About what it writes. */
  readonly bytes: number
  readonly traceContext: TraceContext | null
  /** Checks the change and writes it, without its updates. Throws to refuse it; may be called again after a failure. */
  apply(records: TransactionRecords): Promise<Hosted<T>>
  /** Called once it is on disk, before anybody can read of it: caches must not be older than what is read. */
  written(): void
}

export type CommittedHosting<T> = Committed & { readonly result: T }

export async function commitHosting<T>(
  { apply, traceContext }: HostingChange<T>,
  records: TransactionRecords,
  rules: Rules & { readonly synchronizerId: (number: bigint) => string },
): Promise<CommittedHosting<T>> {
  const before = await stateAt(rules.end, records)
  const { result, added, keys = [] } = await apply(records)
  const { others } = rules
  const concerned = added.map(({ synchronizer }) => synchronizer)
  if (await others?.isBehind([...new Set(concerned)], records)) throw new LineBusy()
  const last = await lastRecordTimes(records, others)
  if (added.length === 0) {
    const isIn = async () => false // It leaves no trace that is its own, and may be applied again.
    return { result, decisions: [], state: before, recordTimes: moved(last, new Map()), names: [], isIn }
  }

  const clocks = clocksAt(rules.now, last)
  const updates = [...Map.groupBy(added, ({ synchronizer }) => synchronizer)].map(([synchronizer, hostings], index) => {
    const recordTime = clocks.get(synchronizer)! + 1n
    const offset = before.end + BigInt(index) + 1n
    const events = hostings.map(({ party, participantId, permission }) => ({ party, participantId, permission }))
    const facts = {
      recordTime: instantToText(recordTime),
      synchronizerId: rules.synchronizerId(synchronizer),
      traceContext,
      events,
    }
    return {
      synchronizer,
      recordTime,
      offset,
      hostings,
      meta: { kind: 'topology', updateId: updateIdOf(offset, facts), ...facts },
    }
  })
  const lists = updates.flatMap(({ meta }) => listsOf(meta as StoredTopology))
  const { numbers, added: names } = await numberNames(new Set(lists), records, rules.names, before.lastName)

  const publishedAt = publishedAfter(before, rules.now)
  const rows = emptyRows()
  const templates = listed([numbers.get(topologyName)!])
  for (const { offset, meta } of updates) {
    const update = meta as StoredTopology
    const text = topologyToText(update)
    rows.updates.push({ offset, idKey: updateIdKey(update.updateId), templates, meta: text, body: new Uint8Array() })
    for (const name of listsOf(update)) rows.seen.push({ party: numbers.get(name)!, offset, templates })
  }
  const committed = await write(
    {
      rows,
      names,
      decisions: [],
      end: updates.at(-1)!.offset,
      publishedAt,
      recordTimes: new Map(updates.map(({ synchronizer, recordTime }) => [synchronizer, recordTime])),
      before,
      last,
    },
    records,
    others,
  )
  if (others === undefined) return { ...committed, result }
  const delivered = updates.map(({ synchronizer, recordTime, hostings, meta }): DeliveredHosting => {
    const update = meta as StoredTopology
    const { updateId } = update
    const hosts = hostings.map(({ party, participantId, permission, threshold = 1 }) => {
      return { party, synchronizer, participant: participantId, permission, threshold }
    })
    const lists = listsOf(update)
    const ofKeys = keys.filter((one) => one.synchronizer === synchronizer)
    return { synchronizer, recordTime, updateId, meta: topologyToText(update), lists, hosts, keys: ofKeys }
  })
  const deliveries = await others.deliverHosting(delivered, { records, publishedAt })
  return { ...committed, result, deliveries }
}

/** Unique: a participant never has the same offset and record time twice. */
function updateIdOf(offset: bigint, facts: Omit<StoredTopology, 'kind' | 'updateId'>): string {
  return updateIdFrom(Buffer.from(JSON.stringify([String(offset), facts])))
}
