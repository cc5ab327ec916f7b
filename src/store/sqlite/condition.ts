// The condition of a SQLite database: whether it can be read and written, and what happens when it cannot.
//
// - A write fails (the disk is full, read-only or broken): the transaction is rolled back, the caller may retry, and a
//   probe checks from time to time whether the disk accepts writes again.
// - A flush fails: a transaction was committed, and may or may not be on disk. Nothing is read or written until it is
//   (flushing.ts). If the log has lost something, the process ends as in a crash: on closing, SQLite would checkpoint
//   what it believes to be in the log; the next start reads what is really there.
// - SQLite calls the database malformed: it is still read, but not written, because that could damage more, until the file
//   was looked at again (suspicion.ts). If it is whole, a read had failed, and the node goes on. If it is damaged,
//   it is never written again.
// - The files are deleted, moved or replaced: nothing is ever acknowledged again, because it would be lost.
import type { Clock, Timer } from '../../base/clock.ts'
import { LedgerError, storedDataDamaged, storeUnavailable } from '../../base/errors.ts'
import type { HealthPart } from '../../base/health.ts'
import { damagedReason, failureOf, suspectedReason, unreadReason } from './errors.ts'
import type { CommitLog } from './flushing.ts'
import { createSuspicion, type Look, type Verdict } from './suspicion.ts'

export type Surroundings = {
  readonly health: HealthPart
  readonly clock: Clock
  /** Kills the process without closing anything. */
  readonly abandon: (reason: string) => void
}

type Parts = Surroundings & {
  readonly log: CommitLog
  /** Writes a little, durably; throws if it cannot. */
  readonly probe: () => Promise<void>
  /** Looks whether the file is damaged; undefined if there is none. */
  readonly look: (() => Look) | undefined
  /** Called when the file is whole although SQLite called it malformed. */
  readonly onWhole: () => void
}

export type Condition = {
  /** Throws when nothing may be read now. */
  check(): void
  /** Throws when nothing may be written now. */
  checkWriting(): void
  /** Settles when the commit is on disk, however long that takes. */
  settle(): Promise<void>
  /** Called when the node stops: ends the wait for the disk. */
  giveUp(): void
  /** Notes an error; returns the error for the caller. */
  told(error: unknown): unknown
  /** From now on nothing is written. */
  damaged(detail: string): void
  /** Nothing is written until the file was looked at. Returns the refusal for the caller. */
  suspected(detail: string): LedgerError
  /** From now on nothing is acknowledged. */
  lose(reason: string): LedgerError
  isLost(): boolean
  /** Called before the database is closed; afterwards everything is refused. */
  close(): Promise<void>
}

const retryMs = 200
const probeMs = 500
const notTaken = 'the disk does not take what was committed'

export function createCondition(parts: Parts): Condition {
  const { log, probe, health, clock, abandon } = parts
  let lost: LedgerError | undefined
  /** Set while a commit may not be on disk. */
  let unsettled: LedgerError | undefined
  /** Set while the database is damaged, or may be. */
  let damage: { readonly refusal: LedgerError; readonly isCertain: boolean } | undefined
  const suspicion = parts.look && createSuspicion({ clock, look: parts.look, onVerdict })
  /** The writer that waits for it. */
  let waiting: PromiseWithResolvers<void> | undefined
  let timer: Timer | undefined
  let isClosed = false

  function later(delayMs: number, action: () => Promise<void>): void {
    if (timer !== undefined || isClosed || lost !== undefined) return
    timer = clock.after(delayMs, () => {
      timer = undefined
      void action()
    })
  }

  /** A successful commit says nothing about other problems. */
  function noteWorking(): void {
    if (lost === undefined && unsettled === undefined && damage === undefined) health.work()
  }

  async function settleAgain(): Promise<void> {
    try {
      if (!(await log.flushAgain())) {
        lost = unsettled
        abandon('a flush failed, and the log has lost what was to be written')
        waiting?.reject(lost)
        return
      }
      unsettled = undefined
      noteWorking()
      waiting?.resolve()
    } catch (error) {
      health.fail(notTaken, (error as Error).message)
      later(retryMs, settleAgain)
    }
  }

  function distrust(reason: string, detail: string, isCertain: boolean): LedgerError {
    damage = { refusal: storeUnavailable(reason), isCertain }
    health.fail(reason, detail)
    return damage.refusal
  }

  function suspected(detail: string): LedgerError {
    if (suspicion === undefined || damage?.isCertain) {
      distrust(damagedReason, detail, true)
      return storedDataDamaged(detail)
    }
    suspicion.raise()
    return damage?.refusal ?? distrust(suspectedReason, detail, false)
  }

  function onVerdict(verdict: Verdict): void {
    if (damage?.isCertain) return
    if (verdict.kind === 'damaged') distrust(damagedReason, verdict.problem, true)
    else if (verdict.kind === 'unreadable') distrust(unreadReason, verdict.problem, false)
    else {
      parts.onWhole()
      damage = undefined
      noteWorking()
    }
  }

  async function probeAgain(): Promise<void> {
    try {
      await probe()
      noteWorking()
    } catch {
      later(probeMs, probeAgain)
    }
  }

  return {
    check() {
      const problem = lost ?? unsettled
      if (problem !== undefined) throw problem
    },
    checkWriting() {
      const problem = lost ?? unsettled ?? damage?.refusal
      if (problem !== undefined) throw problem
    },
    async settle() {
      try {
        await log.flush()
        noteWorking()
      } catch (error) {
        unsettled = storeUnavailable(notTaken)
        health.fail(notTaken, (error as Error).message)
        timer?.cancel() // A probe can wait.
        timer = undefined
        later(retryMs, settleAgain)
        waiting = Promise.withResolvers()
        await waiting.promise
      }
    },
    giveUp: () => waiting?.reject(unsettled),
    told(error) {
      const failure = failureOf(error)
      if (failure === undefined) return error
      if (failure.kind === 'suspicion') return suspected(failure.detail)
      if (failure.kind === 'damage') {
        distrust(failure.reason, failure.detail, true)
        return storedDataDamaged(failure.detail)
      }
      health.fail(failure.reason, failure.detail)
      later(probeMs, probeAgain)
      return storeUnavailable(failure.reason)
    },
    damaged(detail) {
      distrust(damagedReason, detail, true)
    },
    suspected,
    lose(reason) {
      if (lost === undefined) {
        lost = storeUnavailable(reason)
        timer?.cancel()
        waiting?.reject(lost)
        health.fail(reason, 'nothing is taken any more: see to the files, then start the node again')
      }
      return lost
    },
    isLost: () => lost !== undefined,
    async close() {
      timer?.cancel()
      isClosed = true
      await suspicion?.close()
      if (unsettled !== undefined && lost === undefined) {
        await settleAgain()
        if (unsettled !== undefined && lost === undefined) abandon(notTaken)
      }
      lost ??= new LedgerError('SERVICE_NOT_RUNNING', 'The ledger is closed.')
    },
  }
}
