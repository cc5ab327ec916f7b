// A command from its arrival until it is forgotten, as GetCommandStatus shows it. It refers to what the submission has
// anyway and renders nothing: commands are many, and questions about them are rare.
import { LedgerError } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import type { TraceContext } from '../../events/format/stored-update.ts'
import type { Commands } from '../model/commands.ts'

/** A signed transaction has no commands. */
export type ArrivedCommand = Pick<Commands, 'commandId' | 'userId' | 'submissionId' | 'actAs' | 'commands'>

export type CommandState = 'pending' | 'succeeded' | 'failed'

/** What happened at the end; a rejected command has an offset, too. */
export type CommandEnd = {
  /** Microseconds since 1970. */
  readonly at: bigint
  readonly afterMs: number
  readonly offset: bigint | undefined
  readonly updateId?: string
  /** Undefined for a command that succeeded. */
  readonly error?: LedgerError | undefined
}

/** A class, because every command creates one. */
export class TrackedCommand {
  readonly arrived: ArrivedCommand
  readonly traceContext: TraceContext | null
  /** Microseconds since 1970. */
  readonly startedAt: bigint
  readonly startedMs: number
  /** When it was interpreted. */
  interpretedMs: number | undefined
  synchronizerId = ''
  fetched = 0
  lookedUp = 0
  end: CommandEnd | undefined

  constructor(
    { commandId, userId, submissionId, actAs, commands }: ArrivedCommand,
    traceContext: TraceContext | null,
    startedAt: bigint,
    startedMs: number,
  ) {
    this.arrived = { commandId, userId, submissionId, actAs, commands }
    this.traceContext = traceContext
    this.startedAt = startedAt
    this.startedMs = startedMs
  }

  get state(): CommandState {
    if (this.end === undefined) return 'pending'
    return this.end.error === undefined ? 'succeeded' : 'failed'
  }

  /** The same without the commands, for one that would take too much memory. */
  withoutCommands(): TrackedCommand {
    const { commandId, userId, submissionId, actAs } = this.arrived
    const kept = new TrackedCommand(
      {
        commandId: shorten(commandId),
        userId: shorten(userId),
        submissionId: shorten(submissionId),
        actAs: actAs.slice(0, partiesKept).map((party) => shorten(party)),
        commands: [],
      },
      this.traceContext,
      this.startedAt,
      this.startedMs,
    )
    kept.interpretedMs = this.interpretedMs
    kept.synchronizerId = this.synchronizerId
    kept.fetched = this.fetched
    kept.lookedUp = this.lookedUp
    const { end } = this
    const error = end?.error && new LedgerError(end.error.code, shorten(end.error.message))
    kept.end = end && { ...end, error }
    return kept
  }
}

const partiesKept = 10

/**
 * About how many bytes the command keeps from being freed; at most a little more than `max`. Values of protobuf and of
 * large bodies are texts, so this looks at a few strings; only small JSON is walked.
 */
export function heldBytes({ arrived, end }: TrackedCommand, max: number): number {
  const { commandId, userId, submissionId, actAs, commands } = arrived
  const error = end?.error
  return sizeWithin([commandId, userId, submissionId, actAs, commands, error?.message, error?.details], max)
}

/** Of an object, a list or a field, besides its text. */
const valueBytes = 16

function sizeWithin(root: unknown, max: number): number {
  const open: unknown[] = [root]
  let size = 0
  while (open.length > 0 && size <= max) {
    const value = open.pop()
    if (typeof value === 'string') size += value.length
    else if (typeof value === 'object' && value !== null) {
      if (value instanceof Uint8Array) {
        size += value.length
        continue
      }
      if (!Array.isArray(value)) for (const name in value) size += name.length
      const values = Array.isArray(value) ? value : Object.values(value)
      size += valueBytes * values.length
      if (size <= max) for (const one of values) open.push(one)
    }
  }
  return size
}
