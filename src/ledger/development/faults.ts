// Faults on order, for people who test how their application copes: submissions that fail, take long, or are committed
// while the answer is lost, and streams that end. They are of the whole network, whichever participant is asked for them.

import type { Clock } from '../../base/clock.ts'
import { AnswerLost, type ErrorCode, errorCodes, invalidField, LedgerError } from '../../base/errors.ts'
import type { RejectedRequest } from './rejected-request.ts'

export type FaultAction =
  | { readonly kind: 'fail'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'lose-answer' }
  | { readonly kind: 'end-streams' }

export type FaultOrder = {
  /**
   * Empty texts match everything. A template is as the command names it, or only its module and entity; a participant is the
   * one that the command is submitted to.
   */
  readonly match: {
    readonly templateId: string
    readonly commandId: string
    readonly userId: string
    readonly participant: string
  }
  /** Of the submissions that match, each n-th. */
  readonly every: number
  /** How often it strikes; 0 until it is deleted. */
  readonly times: number
  readonly action: FaultAction
}

export type Fault = FaultOrder & { readonly id: number; readonly met: number; readonly struck: number }

/** As a participant has them. */
export type Faults = {
  /** Refuses a participant that there is not. */
  add(order: FaultOrder): Fault
  list(): readonly Fault[]
  /** False if there is none with this id. */
  delete(id: number): boolean
  clear(): void
  /** Runs a submission under the faults that it meets. `onRefused` hears of one that a fault refuses. */
  around<T>(request: () => RejectedRequest, surroundings: Surroundings, submit: () => Promise<T>): Promise<T>
  /** Replaces the participant's listener. */
  onEndStreams(listener: (refusal: LedgerError) => void): void
}

type Surroundings = { readonly signal: AbortSignal; onRefused(error: LedgerError): void }

const faultsMax = 1000

/** For each of the participants, by name. */
export function createFaults(clock: Clock, participants: readonly string[]): (participant: string) => Faults {
  const faults = new Map<number, { -readonly [Field in keyof Fault]: Fault[Field] }>()
  let last = 0
  const listeners = new Map<string, (refusal: LedgerError) => void>()

  /** What strikes this submission. A fault that has done its part is gone. */
  function meet(request: RejectedRequest, participant: string): Fault[] {
    const { userId, commandId } = request.sender
    const facts = { userId, commandId, templateIds: request.templateIds(), participant }
    const struck: Fault[] = []
    for (const fault of faults.values()) {
      if (!isMatch(fault.match, facts)) continue
      fault.met += 1
      if (fault.met % fault.every !== 0) continue
      fault.struck += 1
      struck.push(fault)
      if (fault.struck === fault.times) faults.delete(fault.id)
    }
    return struck
  }

  /** Of one participant, or of all. */
  function endStreams(participant: string): void {
    for (const [name, listener] of listeners) if (participant === '' || name === participant) listener(ordered())
  }

  function checkParticipant(name: string): void {
    if (name === '' || participants.includes(name)) return
    const known = participants.join(', ')
    throw invalidField('match.participant', `there is no participant '${name.slice(0, 80)}'; there are ${known}`)
  }

  return (participant) => ({
    add(order) {
      checkParticipant(order.match.participant)
      if (faults.size >= faultsMax) throw invalidField('faults', `there are ${faultsMax} already; delete some`)
      last += 1
      const fault = { ...order, id: last, met: 0, struck: 0 }
      faults.set(last, fault)
      return fault
    },
    list: () => [...faults.values()],
    delete: (id) => faults.delete(id),
    clear: () => faults.clear(),
    onEndStreams(listener) {
      listeners.set(participant, listener)
    },
    around: (request, surroundings, submit) =>
      faults.size === 0 ? submit() : around(() => meet(request(), participant), surroundings, submit),
  })

  async function around<T>(
    meeting: () => readonly Fault[],
    { signal, onRefused }: Surroundings,
    submit: () => Promise<T>,
  ): Promise<T> {
    const met = meeting()
    for (const { action, match } of met) {
      if (action.kind === 'delay') await pause(action.ms, signal, clock)
      if (action.kind === 'fail') {
        const refusal = new LedgerError(action.code, action.message)
        onRefused(refusal)
        throw refusal
      }
      if (action.kind === 'end-streams') endStreams(match.participant)
    }
    const result = await submit()
    if (met.some(({ action }) => action.kind === 'lose-answer')) throw new AnswerLost()
    return result
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code)
}

type Facts = Omit<FaultOrder['match'], 'templateId'> & { readonly templateIds: readonly string[] }

function isMatch({ templateId, commandId, userId, participant }: FaultOrder['match'], facts: Facts): boolean {
  const isOne = (wanted: string, actual: string) => wanted === '' || wanted === actual
  const isTemplate = (id: string) => id === templateId || id.endsWith(`:${templateId}`)
  return (
    isOne(commandId, facts.commandId) &&
    isOne(userId, facts.userId) &&
    isOne(participant, facts.participant) &&
    (templateId === '' || facts.templateIds.some(isTemplate))
  )
}

function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    function abort(): void {
      timer.cancel()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
}

function ordered(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'The stream was ended by a fault on order (/dev/faults).')
}
