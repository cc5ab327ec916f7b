// What people see of the participants of a network, and may do to them: connect and disconnect them, and to see how an
// application copes, stop and delay them.
import { invalidField, LedgerError } from '../../base/errors.ts'
import type { WaitingSummary } from '../../store/core/ledger-records.ts'
import type { OnAccount } from '../reading/reader.ts'
import type { UpdateFormat } from '../reading/requests/queries.ts'
import type { Member } from './member.ts'

export type ParticipantState = {
  readonly name: string
  readonly participantId: string
  /** Where it listens; undefined if this process does not serve it. */
  readonly url: string | undefined
  readonly isStopped: boolean
  readonly delayMs: number
  /** Of its ledger end. */
  readonly offset: bigint
  readonly synchronizers: readonly SynchronizerLag[]
}

export type SynchronizerLag = {
  readonly alias: string
  readonly id: string
  readonly isConnected: boolean
  /** Updates that it has not been given, and their bytes. */
  readonly waiting: number
  readonly waitingBytes: number
  /** How long the first of them has waited. */
  readonly lagMs: number
}

export type ParticipantView = {
  readonly name: string
  /** As JSON; undefined if the participant does not see the update. */
  readonly update: string | undefined
}

export type NetworkControl = {
  /** Of a participant that is named by its name or its id. Refuses others. */
  idOf(participant: string): string
  list(): Promise<readonly ParticipantState[]>
  /** An update as each participant shows it, to all of its parties together. */
  views(updateId: string, asking?: OnAccount): Promise<readonly ParticipantView[]>
  /** All of its synchronizers without an alias. */
  setConnected(participant: string, alias: string, isConnected: boolean): Promise<void>
  /** Until it is resumed, it receives and confirms nothing and answers no request. */
  setStopped(participant: string, isStopped: boolean): Promise<void>
  /** It receives and confirms so much later. */
  delay(participant: string, ms: number): Promise<void>
}

export function createNetworkControl(members: () => readonly Member[]): NetworkControl {
  function memberNamed(name: string): Member {
    const found = members().find((member) => member.participantId === name || member.name === name)
    if (found !== undefined) return found
    const names = members().map((member) => member.name)
    throw invalidField('participant', `there is no participant '${name.slice(0, 80)}'; there are ${names.join(', ')}`)
  }

  return {
    idOf: (participant) => memberNamed(participant).participantId,
    list: () => Promise.all(members().map(stateOf)),
    async views(updateId, asking) {
      const views: ParticipantView[] = []
      // One after the other: the update may be large.
      for (const member of members()) views.push(await viewOf(member, updateId, asking))
      return views
    },
    async setConnected(participant, alias, isConnected) {
      const { synchronizers, joined } = memberNamed(participant)
      const all = synchronizers.all().filter((one) => joined === undefined || joined.has(one.alias))
      const aliases = alias === '' ? all.map((one) => one.alias) : [synchronizers.byAlias(alias).alias]
      for (const each of aliases) await synchronizers.setConnected(each, isConnected)
    },
    setStopped: async (participant, isStopped) => memberNamed(participant).presence.setStopped(isStopped),
    delay: async (participant, ms) => memberNamed(participant).presence.delay(ms),
  }
}

const everyEvent = { filtersByParty: new Map(), filtersForAnyParty: [] }
const everything: UpdateFormat = {
  transactions: { eventFormat: everyEvent, shape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
  reassignments: everyEvent,
  topology: [],
}

async function viewOf(
  { name, updateWithId }: Member,
  updateId: string,
  asking: OnAccount | undefined,
): Promise<ParticipantView> {
  try {
    return { name, update: await updateWithId(updateId, everything, asking) }
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'UPDATE_NOT_FOUND') return { name, update: undefined }
    throw error
  }
}

async function stateOf(member: Member): Promise<ParticipantState> {
  const { name, participantId, url, presence, synchronizers, joined, store, end, time } = member
  const summaries = new Map((await store.waitingUpdates.summaries()).map((one) => [one.synchronizer, one]))
  const all = synchronizers
    .all()
    .filter((one) => joined === undefined || joined.has(one.alias) || one.isConnected || summaries.has(one.number))
  return {
    name,
    participantId,
    url: url(),
    isStopped: presence.isStopped(),
    delayMs: presence.delayMs(),
    offset: end.current().offset,
    synchronizers: all.map(({ number, alias, id, isConnected }) => {
      const {
        count: waiting = 0,
        bytes: waitingBytes = 0,
        since,
      } = summaries.get(number) ?? ({} as Partial<WaitingSummary>)
      return {
        alias,
        id,
        isConnected,
        waiting,
        waitingBytes,
        lagMs: since === undefined ? 0 : lagMs(since, time.now()),
      }
    }),
  }
}

/** Times are microseconds since 1970. */
export function lagMs(since: bigint, now: bigint): number {
  return since > now ? 0 : Number((now - since) / 1000n)
}
