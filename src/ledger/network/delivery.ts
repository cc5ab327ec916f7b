// What other participants see of a commit: finds it, and gives it to them in the transaction of the commit (line.ts).
import { informeesOf as informeesOfTransaction } from '../../engine/requests/served-transaction.ts'
import { type Projected, projectForSubmitter, projectTransaction } from '../../events/format/transaction-projection.ts'
import type { NewWaitingUpdate } from '../../store/core/ledger-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { recordTimesIn } from '../commit/commit.ts'
import type { Accepted, CommitItem, DecidedItem, InterpretedCommand } from '../commit/commit-item.ts'
import type { Delivery, Held, MissingParty, OtherParticipants, Written } from '../commit/other-participants.ts'
import { ownPartOf, type Part } from './application.ts'
import { confirmersOn, missingOf } from './confirmation.ts'
import { give, waitingFrom } from './line.ts'
import { isOn, type Member } from './member.ts'
import { createPending, type Pending, type PendingParts, publishedOffset } from './pending.ts'
import { asSeenBy } from './reassignment-delivery.ts'
import { statesElsewhere } from './states-elsewhere.ts'

/** The clocks of synchronizers are rows of the first participant. */
const clockKeeper = 1

/** For the participant itself. */
export type Deliveries = OtherParticipants &
  Pick<Pending, 'settle' | 'settlePublished' | 'close'> & {
    /** Something was given to this participant. */
    given(): void
  }

export function createDeliveries(self: Member, members: () => readonly Member[], parts: PendingParts): Deliveries {
  const others = () => members().filter(({ number }) => number !== self.number)
  const pending = createPending(self, others, { ownPart, partFor }, parts)
  const { follow, settle, settlePublished, close } = pending
  /** Called when something was given to this participant. */
  let retries: (() => void)[] = []

  return {
    follow,
    settle,
    settlePublished,
    close() {
      close()
      for (const retry of retries) retry()
    },
    whenGiven: (retry) => void retries.push(retry),
    given() {
      const due = retries
      retries = []
      for (const retry of due) retry()
    },
    isBehind: async (synchronizers, { waitingUpdates }) => (await waitingUpdates.behind(synchronizers)).size > 0,
    waiting: async (ids, { waitingUpdates }) => (ids.length === 0 ? [] : waitingUpdates.taken(ids)),
    async confirmersHere(items, records) {
      const found = new Map<CommitItem, readonly string[]>()
      for (const item of items) found.set(item, await confirmersOn(self, item, records))
      return found
    },
    async heldOf(batch, records) {
      const concerned = [...new Set(batch.map(({ synchronizer }) => synchronizer.number))]
      const behind = new Set(await records.waitingUpdates.behind(concerned))
      const held = new Map<CommitItem, { missing: readonly MissingParty[] }>()
      for (const item of batch) {
        const missing = await missingOf(self, others(), item, records)
        const { number } = item.synchronizer
        if (missing.length === 0 && !behind.has(number)) continue
        held.set(item, { missing })
        behind.add(number)
      }
      return held
    },
    async hold(decided, items, written) {
      const held: Held[] = []
      const deliveries: Delivery[] = [{ kind: 'waiting', participant: self.number }]
      const line = written.records.of(self.number).waitingUpdates
      const first = decided[0]!
      for (const one of decided) {
        const { item } = one
        const missing = one.kind === 'rejected' ? [] : items.get(item)!.missing
        const isPending = missing.length > 0
        const waiting = waitingFrom(await ownPart(one, written.records))
        const [number] = await line.append([isPending ? undecided(waiting) : waiting])
        const places = isPending ? await reserve(one as Accepted, waiting, written.records) : new Map()
        held.push({ item, number: number!, since: first.decision.offset - 1n, decided: one, missing, places })
        if (!isPending && one.kind !== 'rejected') deliveries.push(...(await deliver([one], written)))
      }
      return { held, deliveries }
    },
    async isHeld(held, records) {
      const isWaiting = (await records.waitingUpdates.find(held.number, held.decided.recordTime)) !== undefined
      return isWaiting || (await publishedOffset(held, (await records.state.get()).end, records)) !== undefined
    },
    recordTimes: (records) => recordTimesIn(records.of(clockKeeper)),
    async advance(recordTimes, records) {
      if (self.number === clockKeeper) return
      const { synchronizers } = records.of(clockKeeper)
      for (const [number, recordTime] of recordTimes) await synchronizers.setRecordTime(number, recordTime)
    },
    states: (contractIds, records) => statesElsewhere(contractIds, others(), self.hosting, records),
    seenHere: (decided, records) => Promise.all(decided.map((one) => seenBySelf(one, records))),
    deliver,
    async deliverHosting(hostings, written) {
      const deliveries: Delivery[] = []
      for (const member of others()) {
        const seen = hostings.filter(({ synchronizer }) => isOn(member, synchronizer))
        const parts = seen.map((hosting) => ({ kind: 'hosting' as const, ...hosting }))
        if (parts.length > 0) deliveries.push(...(await give(member, parts, written)))
      }
      return deliveries
    },
    publish(deliveries) {
      for (const delivery of deliveries) {
        const member = members().find(({ number }) => number === delivery.participant)
        if (delivery.kind === 'given') member?.publish(delivery)
        else member?.catchUp()
      }
    },
  }

  async function seenBySelf<Item extends DecidedItem>(one: Item, records: TransactionRecords): Promise<Item> {
    if (one.kind !== 'transaction') return one
    const hosted = await hostedBy(self, one, records)
    return { ...one, item: seenAs(one.item, projectForSubmitter(projectable(one.item), hosted)) }
  }

  async function ownPart(decided: DecidedItem, records: TransactionRecords): Promise<Part> {
    return ownPartOf(await seenBySelf(decided, records))
  }

  async function deliver(accepted: readonly Accepted[], written: Written): Promise<Delivery[]> {
    const deliveries: Delivery[] = []
    for (const member of others()) {
      const seen = await seenBy(member, accepted, written.records)
      const parts = seen.map(partOf).filter((part) => part !== undefined)
      if (parts.length > 0) deliveries.push(...(await give(member, parts, written)))
    }
    return deliveries
  }

  async function partFor(member: Member, accepted: Accepted, records: TransactionRecords): Promise<Part | undefined> {
    const [seen] = await seenBy(member, [accepted], records)
    return seen && partOf(seen)
  }

  /** Nothing passes a command that is not decided, wherever it is seen. Returns its places by participant. */
  async function reserve(
    accepted: Accepted,
    waiting: NewWaitingUpdate,
    records: TransactionRecords,
  ): Promise<ReadonlyMap<number, bigint>> {
    const places = new Map<number, bigint>()
    for (const member of others()) {
      if ((await partFor(member, accepted, records)) === undefined) continue
      const [number] = await records.of(member.number).waitingUpdates.append([undecided(waiting)])
      places.set(member.number, number!)
    }
    return places
  }

  /** Those of which the member hosts an informee, with the parties that it hosts. */
  async function seenBy(member: Member, accepted: readonly Accepted[], records: TransactionRecords): Promise<Seen[]> {
    const seen: Seen[] = []
    for (const one of accepted) {
      const hosted = await hostedBy(member, one, records)
      if (hosted.size === 0) continue
      if (one.kind === 'transaction') seen.push({ accepted: one, hosted })
      else seen.push({ accepted: await asSeenBy(member.participantId, one, self.hosting, records), hosted })
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

const undecided = (waiting: NewWaitingUpdate): NewWaitingUpdate => ({ ...waiting, content: new Uint8Array() })

type Seen = { readonly accepted: Accepted; readonly hosted: ReadonlySet<string> }

/** Contracts of one reassignment have the same stakeholders. */
function informeesOf(one: Accepted): readonly string[] {
  return one.kind === 'transaction' ? informeesOfTransaction(one.item) : one.item.contracts[0]!.stakeholders
}

/** What the member sees of one of them; undefined for nothing. */
function partOf({ accepted, hosted }: Seen): Accepted | undefined {
  if (accepted.kind !== 'transaction') return accepted
  const part = projectTransaction(projectable(accepted.item), hosted)
  if (part === undefined) return undefined
  const { archived } = accepted.item.effects
  const item = seenAs(withoutSubmission(accepted.item), part)
  return { ...accepted, item: { ...item, effects: { ...noEffects, archived, created: part.created } }, archived: [] }
}

function projectable({ served, effects: { created, onlookers, tree } }: InterpretedCommand) {
  return { served, created, onlookers, tree }
}

function seenAs(item: InterpretedCommand, { served, created }: Projected): InterpretedCommand {
  return { ...item, served, effects: { ...item.effects, created } }
}

/** Who submitted it, and how, stays with the participant that it was submitted to. */
function withoutSubmission(item: InterpretedCommand): InterpretedCommand {
  const change = { userId: '', commandId: '', actAs: [] }
  return { ...item, ...change, submissionId: '', change, changeId: new Uint8Array() }
}

const noEffects: InterpretedCommand['effects'] = {
  created: [],
  archived: [],
  inputContracts: [],
  laterInput: undefined,
  keyInputs: [],
  packages: [],
  onlookers: [],
  fetched: 0,
  lookedUp: 0,
  views: [],
}
