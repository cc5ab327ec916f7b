// The commands in flight and the last ones, for administrators who look for one (Canton: CommandProgressTracker). In
// memory, and bounded in number and bytes.
import type { Clock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import type { Limits } from '../../base/settings.ts'
import type { TraceContext } from '../../events/format/stored-update.ts'
import type { Decision } from '../commit/commit-item.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { type ArrivedCommand, type CommandState, heldBytes, TrackedCommand } from './tracked-command.ts'

export type CommandTracking = {
  begin(arrived: ArrivedCommand, traceContext: TraceContext | null): TrackedCommand
  interpreted(command: TrackedCommand, synchronizerId: string, effects: Reads): void
  /** The command was refused before it could be committed. */
  refused(command: TrackedCommand, error: unknown): void
  follow(command: TrackedCommand, outcome: Promise<Decision>): void
  /** Failed ones, then pending ones, then those that succeeded; the newest first. */
  find(commandIdPrefix: string, state: CommandState | undefined, limit: number): readonly TrackedCommand[]
}

type Reads = { readonly fetched: number; readonly lookedUp: number }

type Parts = {
  readonly limits: Pick<Limits, 'commandStatusesKept'>
  readonly time: Pick<LedgerTime, 'now'>
  readonly clock: Pick<Clock, 'elapsedMs'>
}

/** Canton's limit. More commands in flight are not tracked. */
const pendingMax = 1000
/** Memory for each command that is kept, on average. */
const bytesOfEach = 20 * 1024
/** No command takes more than this part of the memory: a larger one is kept without its commands. */
const shares = 16

export function createCommandTracking({ limits, time, clock }: Parts): CommandTracking {
  const countMax = limits.commandStatusesKept
  const pending = new Set<TrackedCommand>()
  const failed = createLast(countMax, countMax * bytesOfEach)
  const succeeded = createLast(countMax, countMax * bytesOfEach)

  function end(command: TrackedCommand, error?: LedgerError, decision?: Decision): void {
    if (!pending.delete(command)) return
    const afterMs = clock.elapsedMs() - command.startedMs
    const updateId = decision?.kind === 'accepted' ? decision.updateId : ''
    command.end = { at: time.now(), afterMs, updateId, error, offset: decision?.offset }
    ;(error === undefined ? succeeded : failed).add(command)
  }

  return {
    begin(arrived, traceContext) {
      const command = new TrackedCommand(arrived, traceContext, time.now(), clock.elapsedMs())
      if (countMax > 0 && pending.size < pendingMax) pending.add(command)
      return command
    },
    interpreted(command, synchronizerId, { fetched, lookedUp }) {
      command.interpretedMs = clock.elapsedMs()
      command.synchronizerId = synchronizerId
      command.fetched = fetched
      command.lookedUp = lookedUp
    },
    refused: (command, error) => end(command, refusalOf(error)),
    follow(command, outcome) {
      outcome.then(
        (decision) => end(command, decision.kind === 'rejected' ? decision.error : undefined, decision),
        (error: unknown) => end(command, refusalOf(error)),
      )
    },
    find(commandIdPrefix, state, limit) {
      const found: TrackedCommand[] = []
      const pools = [
        ['failed', failed.newestFirst()],
        ['pending', [...pending].reverse()],
        ['succeeded', succeeded.newestFirst()],
      ] as const
      for (const [kind, commands] of pools) {
        if (state !== undefined && state !== kind) continue
        for (const command of commands) {
          if (found.length >= limit) return found
          if (command.arrived.commandId.startsWith(commandIdPrefix)) found.push(command)
        }
      }
      return found
    },
  }
}

/** What is no refusal is a client that went away, or a bug, of which clients learn nothing. */
function refusalOf(error: unknown): LedgerError {
  return error instanceof LedgerError
    ? error
    : new LedgerError('LEDGER_API_INTERNAL_ERROR', 'The command was not processed to its end')
}

type Last = { add(command: TrackedCommand): void; newestFirst(): readonly TrackedCommand[] }

function createLast(countMax: number, bytesMax: number): Last {
  const commands: TrackedCommand[] = []
  const sizes: number[] = []
  const oneMax = bytesMax / shares
  let bytes = 0
  return {
    add(command) {
      let size = heldBytes(command, oneMax)
      let kept = command
      if (size > oneMax) {
        kept = command.withoutCommands()
        size = heldBytes(kept, oneMax)
      }
      commands.push(kept)
      sizes.push(size)
      bytes += size
      while (commands.length > countMax || bytes > bytesMax) {
        commands.shift()
        bytes -= sizes.shift()!
      }
    },
    newestFirst: () => commands.toReversed(),
  }
}
