// Commands and reassignments that wait for the confirmation of participants that are away, and those that wait behind
// them. A command is decided when all who have to confirm it are there again, or when its time is over; until then nothing that was
// sequenced after it is published where it is seen. Mirrors Canton's mediator and RequestTracker.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Limits } from '../../base/settings.ts'
import { unpackCompletion } from '../../events/format/stored-completion.ts'
import type { WaitingUpdate } from '../../store/core/ledger-records.ts'
import type { Records, Store, TransactionRecords } from '../../store/core/store.ts'
import type { Accepted, DecidedItem } from '../commit/commit-item.ts'
import { shutDown } from '../commit/commit-queue.ts'
import { completionOf } from '../commit/completion.ts'
import type { Held, MissingParty, Outcome } from '../commit/other-participants.ts'
import type { Part } from './application.ts'
import { stillMissing } from './confirmation.ts'
import { contentOf, isDecided, waitingFrom } from './line.ts'
import type { Member, Sequenced } from './member.ts'

export type PendingParts = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly limits: Pick<Limits, 'confirmationMs'>
}

export type Pending = {
  follow(held: Held, outcome: Outcome): void
  /** What this participant submitted, and was sequenced then, is published. */
  settle(sequenced: Sequenced, offset: bigint): void
  /** Settles what other nodes over the same database have published. */
  settlePublished(): Promise<void>
  /** Tells all who wait that the participant stops. */
  close(): void
}

/** What participants see of a command: this one, and others. */
type PartsOf = {
  ownPart(decided: DecidedItem, records: TransactionRecords): Promise<Part>
  partFor(member: Member, accepted: Accepted, records: TransactionRecords): Promise<Part | undefined>
}

const keyOf = ({ synchronizer, recordTime }: Sequenced): string => `${synchronizer} ${recordTime}`

const keyOfHeld = ({ item, decided }: Held): string =>
  keyOf({ synchronizer: item.synchronizer.number, recordTime: decided.recordTime })

type Command = Held & { readonly outcome: Outcome; readonly sinceMs: number; readonly timers: Timer[] }

export function createPending(
  self: Member,
  others: () => readonly Member[],
  { ownPart, partFor }: PartsOf,
  { store, clock, log, limits }: PendingParts,
): Pending {
  const followed = new Map<string, Command>()
  const watched = new Set<Member>()
  let isClosed = false

  /** Commands that are decided have nobody missing. */
  function look(): void {
    for (const command of followed.values()) if (command.missing.length > 0) lookAt(command)
  }

  function lookAt(command: Command, isOver = false): void {
    const { item, sinceMs } = command
    if (isClosed || followed.get(keyOfHeld(command)) !== command) return
    const waitedMs = clock.elapsedMs() - sinceMs
    const missing = stillMissing(command.missing, self, others(), item.synchronizer.number, waitedMs)
    if (missing.length === 0 || isOver) void conclude(command, missing, 1)
  }

  async function conclude(command: Command, missing: readonly MissingParty[], attempt: number): Promise<void> {
    const key = keyOfHeld(command)
    if (isClosed || followed.get(key) !== command) return
    let concluded: Command = { ...command, missing: [] }
    followed.set(key, concluded)
    try {
      await store.transaction(async (records) => {
        const written = await write(command, missing, records)
        // Before it is on disk: whoever publishes it then finds it here.
        concluded = { ...concluded, ...written }
        followed.set(key, concluded)
      })
      for (const member of [self, ...others()]) member.catchUp()
    } catch (failure) {
      if (isClosed) return
      log.warn({ reason: String(failure) }, 'a command that waited for participants could not be decided yet')
      if (!followed.has(key)) return
      const again = { ...command, decided: concluded.decided }
      followed.set(key, again)
      command.timers.push(clock.after(backoffMs(attempt), () => void conclude(again, missing, attempt + 1)))
    }
  }

  /**
   * Accepted only if it still waits in every line: a node that took this one for dead has given up its places, and with
   * them what it locks. Returns its place and how it was decided.
   */
  async function write(
    command: Held,
    missing: readonly MissingParty[],
    records: TransactionRecords,
  ): Promise<Pick<Held, 'number' | 'decided'>> {
    const { recordTime } = command.decided
    const line = records.of(self.number).waitingUpdates
    const own = await line.find(command.number, recordTime)
    // By an attempt that got no answer.
    if (own !== undefined && isDecided(own)) return { number: own.number, decided: command.decided }
    const places: { readonly participant: number; readonly place: WaitingUpdate }[] = []
    for (const [participant, number] of command.places) {
      const place = await records.of(participant).waitingUpdates.find(number, recordTime)
      if (place !== undefined) places.push({ participant, place })
    }
    const isWhole = own !== undefined && places.length === command.places.size
    const decided = missing.length === 0 && isWhole ? command.decided : timedOut(command, missing)
    for (const { participant, place } of places) {
      const { waitingUpdates } = records.of(participant)
      const member = others().find((one) => one.number === participant)
      const isSeen = decided.kind !== 'rejected' && member !== undefined
      const part = isSeen ? await partFor(member, decided, records) : undefined
      if (part === undefined) await waitingUpdates.delete([place.number])
      else await waitingUpdates.decide(place, contentOf(part))
    }
    const part = await ownPart(decided, records)
    if (own === undefined) return { number: (await line.append([waitingFrom(part)]))[0]!, decided }
    await line.decide(own, contentOf(part))
    if (decided.kind === 'rejected') await line.release([own.number])
    return { number: own.number, decided }
  }

  function forget(key: string): Command | undefined {
    const command = followed.get(key)
    followed.delete(key)
    for (const timer of command?.timers ?? []) timer.cancel()
    return command
  }

  function settle(sequenced: Sequenced, offset: bigint): void {
    const command = forget(keyOf(sequenced))
    command?.outcome.resolve({ ...command.decided.decision, offset })
  }

  function watch(): void {
    for (const member of others()) {
      if (watched.has(member)) continue
      watched.add(member)
      member.presence.onChange(look)
    }
  }

  return {
    follow(held, outcome) {
      if (isClosed) return outcome.reject(shutDown())
      watch()
      const command: Command = { ...held, outcome, sinceMs: clock.elapsedMs(), timers: [] }
      followed.set(keyOfHeld(held), command)
      if (held.missing.length === 0) return
      command.timers.push(clock.after(limits.confirmationMs, () => lookAt(command, true)))
      for (const delayMs of new Set(others().map(({ presence }) => presence.delayMs()))) {
        if (delayMs > 0) command.timers.push(clock.after(delayMs, () => lookAt(command)))
      }
      // They may have returned before anybody knew of it.
      lookAt(command)
    },
    settle,
    async settlePublished() {
      for (const command of [...followed.values()]) {
        const { number, item, missing } = command
        const { recordTime } = command.decided
        if (missing.length > 0 || (await store.waitingUpdates.find(number, recordTime)) !== undefined) continue
        const offset = await publishedOffset(command, self.end.current().offset, store)
        if (offset !== undefined) settle({ synchronizer: item.synchronizer.number, recordTime }, offset)
      }
    },
    close() {
      isClosed = true
      for (const key of [...followed.keys()]) forget(key)?.outcome.reject(shutDown())
    },
  }
}

/** Where something was published; undefined if it was not. */
export async function publishedOffset(
  { since, decided: { item, decision, recordTime } }: Pick<Held, 'since' | 'decided'>,
  end: bigint,
  { completions }: Pick<Records, 'completions'>,
): Promise<bigint | undefined> {
  for (let after = since; after < end; ) {
    const { rows, last } = await completions.range(item.userId, { after, upTo: end, limit: 100 })
    const found = rows.find(({ offset, tail }) => {
      return tail === unpackCompletion(completionOf(item, { ...decision, offset }, recordTime).tail)
    })
    if (found !== undefined || last === undefined) return found?.offset
    after = last
  }
  return undefined
}

/** `missing` are those that have not confirmed by now. */
function timedOut({ decided, missing: before }: Held, missing: readonly MissingParty[]): Held['decided'] {
  const { item, recordTime, decision } = decided
  const { offset, deduplicationOffset } = decision
  const unresponsive = missing.length > 0 ? missing : before
  const error = new LedgerError(
    'MEDIATOR_SAYS_TX_TIMED_OUT',
    'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe.',
    { context: { unresponsiveParties: unresponsive.map(({ party }) => party).join(', ') }, untraced: true },
  )
  return { kind: 'rejected', item, recordTime, decision: { kind: 'rejected', offset, deduplicationOffset, error } }
}
