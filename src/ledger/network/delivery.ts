// What other participants see of a commit: finds it, and gives it to them in the transaction of the commit (line.ts).
import { informeesOf as informeesOfTransaction } from '../../engine/requests/served-transaction.ts'
import { type Projected, projectForSubmitter, projectTransaction } from '../../events/format/transaction-projection.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { recordTimesIn } from '../commit/commit.ts'
import type { Accepted, DecidedItem, InterpretedCommand } from '../commit/commit-item.ts'
import type { Delivery, OtherParticipants } from '../commit/other-participants.ts'
import { give } from './line.ts'
import { isOn, type Member } from './member.ts'
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
        const parts = seen.map(partOf).filter((part) => part !== undefined)
        if (parts.length > 0) deliveries.push(...(await give(member, parts, written)))
      }
      return deliveries
    },
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
        const member = others().find(({ number }) => number === delivery.participant)
        if (delivery.kind === 'given') member?.publish(delivery)
        else member?.catchUp()
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
