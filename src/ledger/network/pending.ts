// Commands that wait for the confirmation of participants that are away, and those that wait behind them. A command is
// decided when all who have to confirm it are there again, or when its time is over; until then nothing that was
// sequenced after it is published where it is seen. Mirrors Canton's mediator and RequestTracker.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Limits } from '../../base/settings.ts'
import type { Store, TransactionRecords } from '../../store/core/store.ts'
import type { Accepted, DecidedItem } from '../commit/commit-item.ts'
import { shutDown } from '../commit/commit-queue.ts'
import type { Held, MissingParty, Outcome } from '../commit/other-participants.ts'
import type { Part } from './application.ts'
import { stillMissing } from './confirmation.ts'
import { contentOf } from './line.ts'
import type { Member } from './member.ts'

export type PendingParts = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly limits: Pick<Limits, 'confirmationMs'>
}

export type Pending = {
  follow(held: Held, outcome: Outcome): void
  /** What waited at this place of the line is published. */
  settle(number: bigint, offset: bigint): void
  /** Tells all who wait that the participant stops. */
  close(): void
}

/** What participants see of a command: this one, and others. */
type PartsOf = {
  ownPart(decided: DecidedItem, records: TransactionRecords): Promise<Part>
  partFor(member: Member, accepted: Accepted, records: TransactionRecords): Promise<Part | undefined>
}

type Command = Held & { readonly outcome: Outcome; readonly sinceMs: number; readonly timers: Timer[] }

export function createPending(
  self: Member,
  others: () => readonly Member[],
  { ownPart, partFor }: PartsOf,
  { store, clock, log, limits }: PendingParts,
): Pending {
  /** By their places in the line of this participant. */
  const followed = new Map<bigint, Command>()
  const watched = new Set<Member>()
  let isClosed = false

  /** Commands that are decided have nobody missing. */
  function look(): void {
    for (const command of followed.values()) if (command.missing.length > 0) lookAt(command)
  }

  function lookAt(command: Command, isOver = false): void {
    const { number, item, sinceMs } = command
    if (isClosed || followed.get(number) !== command) return
    const waitedMs = clock.elapsedMs() - sinceMs
    const missing = stillMissing(command.missing, self, others(), item.synchronizer.number, waitedMs)
    if (missing.length === 0 || isOver) void conclude(command, missing, 1)
  }

  async function conclude(command: Command, missing: readonly MissingParty[], attempt: number): Promise<void> {
    const error = missing.length === 0 ? undefined : timedOut(missing)
    const decided = error === undefined ? command.decided : rejectedWith(command, error)
    followed.set(command.number, { ...command, decided, missing: [] })
    try {
      const isThere = await store.transaction((records) => write(command, error, records))
      if (!isThere) forget(command.number)?.outcome.reject(timedOut(command.missing))
      for (const member of [self, ...others()]) member.catchUp()
    } catch (failure) {
      if (isClosed) return
      log.warn({ reason: String(failure) }, 'a command that waited for participants could not be decided yet')
      followed.set(command.number, command)
      command.timers.push(clock.after(backoffMs(attempt), () => void conclude(command, missing, attempt + 1)))
    }
  }

  /** False if the command is not waiting any more. */
  async function write(
    { number, decided, places }: Held,
    error: LedgerError | undefined,
    records: TransactionRecords,
  ): Promise<boolean> {
    const line = records.of(self.number).waitingUpdates
    const own = await ownPart(error === undefined ? decided : rejectedWith({ decided }, error), records)
    const isThere = await line.decide(number, contentOf(own))
    if (error !== undefined) await line.release([number])
    for (const [participant, place] of places) {
      const { waitingUpdates } = records.of(participant)
      const member = others().find((one) => one.number === participant)
      const isSeen = isThere && error === undefined && member !== undefined && decided.kind !== 'rejected'
      const part = isSeen ? await partFor(member, decided, records) : undefined
      if (part === undefined) await waitingUpdates.delete([place])
      else await waitingUpdates.decide(place, contentOf(part))
    }
    return isThere
  }

  function forget(number: bigint): Command | undefined {
    const command = followed.get(number)
    followed.delete(number)
    for (const timer of command?.timers ?? []) timer.cancel()
    return command
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
      followed.set(held.number, command)
      if (held.missing.length === 0) return
      command.timers.push(clock.after(limits.confirmationMs, () => lookAt(command, true)))
      for (const delayMs of new Set(others().map(({ presence }) => presence.delayMs()))) {
        if (delayMs > 0) command.timers.push(clock.after(delayMs, () => lookAt(command)))
      }
      // They may have returned before anybody knew of it.
      lookAt(command)
    },
    settle(number, offset) {
      const command = forget(number)
      command?.outcome.resolve({ ...command.decided.decision, offset })
    },
    close() {
      isClosed = true
      for (const number of [...followed.keys()]) forget(number)?.outcome.reject(shutDown())
    },
  }
}

function rejectedWith({ decided }: Pick<Held, 'decided'>, error: LedgerError): Held['decided'] {
  const { item, recordTime, decision } = decided
  const { offset, deduplicationOffset } = decision
  return { kind: 'rejected', item, recordTime, decision: { kind: 'rejected', offset, deduplicationOffset, error } }
}

function timedOut(missing: readonly MissingParty[]): LedgerError {
  return new LedgerError(
    'MEDIATOR_SAYS_TX_TIMED_OUT',
    'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe.',
    { context: { unresponsiveParties: missing.map(({ party }) => party).join(', ') }, untraced: true },
  )
}
