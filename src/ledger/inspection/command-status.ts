// What GetCommandStatus answers, as JSON. Commands are shown as they were sent; what an accepted one did is read from
// the ledger, so that tracking keeps no events.
import { invalidField } from '../../base/errors.ts'
import { ledgerStringProblem } from '../../base/names.ts'
import type { Settings } from '../../base/settings.ts'
import { parseEvents } from '../../lf/codec/hidden-somes.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import { asSent, type Command } from '../model/commands.ts'
import { errorStatus, okStatus } from '../model/error-status.ts'
import type { OnAccount } from '../reading/reader.ts'
import type { TransactionFormat, Updates } from '../reading/requests/queries.ts'
import type { CommandTracking } from './command-tracking.ts'
import type { CommandState, TrackedCommand } from './tracked-command.ts'

export type CommandStatusQuery = {
  readonly commandIdPrefix: string
  /** Undefined for all. */
  readonly state: CommandState | undefined
  readonly limit: number
}

export type CommandInspection = {
  /** The whole response. */
  find(query: CommandStatusQuery, asking: OnAccount): Promise<string>
}

type Parts = {
  readonly tracking: CommandTracking
  readonly updates: Updates
  /** The package that a name stands for; undefined if there is none. */
  readonly packageNamed: (name: string) => Promise<string | undefined>
  readonly compatibility: Settings['compatibility']
}

const limitByDefault = 100
/** Characters of an answer after which further statuses have neither commands nor updates: clients accept 4 MiB. */
const answerCharactersMax = 2 * 2 ** 20

const everything: TransactionFormat = {
  eventFormat: { filtersByParty: new Map(), filtersForAnyParty: [] },
  shape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
}

const stateNames: Readonly<Record<CommandState, string>> = {
  pending: 'COMMAND_STATE_PENDING',
  succeeded: 'COMMAND_STATE_SUCCEEDED',
  failed: 'COMMAND_STATE_FAILED',
}

export function createCommandInspection({ tracking, updates, packageNamed, compatibility }: Parts): CommandInspection {
  async function statusOf(command: TrackedCommand, isDetailed: boolean, asking: OnAccount): Promise<string> {
    const { arrived, startedAt, end } = command
    const commands = isDetailed ? await Promise.all(arrived.commands.map(shown)) : []
    const facts = {
      started: instantToText(startedAt),
      completed: end === undefined ? undefined : instantToText(end.at),
      state: stateNames[command.state],
      requestStatistics: {},
      updates: isDetailed ? await updatesOf(command, asking) : {},
      synchronizerId: command.synchronizerId,
      timings: timingsOf(command),
    }
    const completion = completionOf(command)
    return `${JSON.stringify(facts).slice(0, -1)},"completion":${completion},"commands":[${commands.join(',')}]}`
  }

  /** With the type by package id, for the values that came as JSON. */
  async function shown(command: Command): Promise<string> {
    const { templateId } = command
    const colon = templateId.indexOf(':')
    const name = templateId.startsWith('#') ? templateId.slice(1, colon) : undefined
    const packageId = name === undefined ? templateId.slice(0, colon) : await packageNamed(name)
    const typeId = packageId === undefined ? undefined : `${packageId}${templateId.slice(colon)}`
    const [[kind, fields] = ['', {}]] = Object.entries(asSent(command))
    try {
      return JSON.stringify({ [kind]: { ...fields, typeId } })
    } catch (error) {
      if (error instanceof RangeError) return JSON.stringify({ [kind]: { templateId } }) // Nested too deep.
      throw error
    }
  }

  async function updatesOf({ end, fetched, lookedUp }: TrackedCommand, asking: OnAccount): Promise<object> {
    const counts = { fetched, lookedUpByKey: lookedUp }
    if (end?.offset === undefined || end.error !== undefined) return counts
    let transaction: string
    try {
      transaction = await updates.transactionAt(end.offset, everything, 'transaction', asking)
    } catch (error) {
      asking.signal.throwIfAborted()
      if (error instanceof Error && 'code' in error) return counts // Pruned, or not readable now.
      throw error
    }
    const created: object[] = []
    const archived: object[] = []
    let exercised = 0
    for (const event of parseEvents(transaction).events) {
      const { CreatedEvent, ExercisedEvent } = event
      if (CreatedEvent !== undefined) created.push(contractOf(CreatedEvent))
      else if (ExercisedEvent !== undefined) {
        exercised += 1
        if (ExercisedEvent.consuming) archived.push(contractOf(ExercisedEvent))
      }
    }
    return { ...counts, created, archived, exercised }
  }

  return {
    async find({ commandIdPrefix, state, limit }, asking) {
      const problem = commandIdPrefix === '' ? undefined : ledgerStringProblem(commandIdPrefix)
      if (problem !== undefined) throw invalidField('command_id_prefix', problem)
      // The specification has a default, which Canton does not apply: there, no limit is a limit of zero.
      const byDefault = compatibility === 'canton-3.5' ? 0 : limitByDefault
      const statuses: string[] = []
      let characters = 0
      for (const command of tracking.find(commandIdPrefix, state, limit === 0 ? byDefault : limit)) {
        const status = await statusOf(command, characters < answerCharactersMax, asking)
        characters += status.length
        statuses.push(status)
      }
      return `{"commandStatus":[${statuses.join(',')}]}`
    },
  }
}

type ShownEvent = { readonly contractId: string; readonly templateId: string; readonly contractKey?: unknown }

function contractOf({ contractId, templateId, contractKey }: ShownEvent): object {
  return { contractId, templateId, contractKey }
}

function timingsOf({ startedMs, interpretedMs, end }: TrackedCommand): object[] {
  const timings: object[] = []
  const interpretedAfter = interpretedMs === undefined ? 0 : interpretedMs - startedMs
  if (interpretedMs !== undefined) timings.push(timing('1a_interpretation', interpretedAfter))
  if (end?.offset !== undefined) timings.push(timing('7b_indexing', end.afterMs - interpretedAfter))
  return timings
}

function timing(description: string, ms: number): object {
  return { description, durationMs: Math.max(0, Math.trunc(ms)) }
}

function completionOf({ arrived, traceContext, end }: TrackedCommand): string {
  const { commandId, userId, submissionId, actAs } = arrived
  const facts = {
    commandId,
    userId,
    submissionId,
    traceContext,
    ...(end && { updateId: end.updateId, actAs, offset: Number(end.offset ?? 0) }),
  }
  if (end === undefined) return JSON.stringify(facts)
  const traceId = traceContext?.traceparent.split('-')[1]
  const status = end.error === undefined ? okStatus : errorStatus(end.error, traceId)
  return `${JSON.stringify(facts).slice(0, -1)},"status":${status}}`
}
