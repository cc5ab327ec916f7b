// Whether the parts of a node can do their work. A part registers once, says when it fails and when it works again, and
// everybody else asks here: `/readyz` answers 503 and names the parts that fail, `tallystick_part_failing` counts them, and
// commands are refused while a part fails that they need. `/livez` does not look: a part that fails mends itself or is
// waited for, and a restart would not help.
//
//   const part = health.part('store', { stopsCommands: true })
//   part.fail('the disk is full', error.message)   // The reason is public; the detail goes to the log alone.
//   part.work()                                    // Cheap when nothing changed, so it may be said after every success.
//
// Before a command is taken: `health.checkCommands()`, which throws a refusal that asks the client to try again.
import type { Clock } from './clock.ts'
import { type LedgerError, storeUnavailable } from './errors.ts'
import type { Log } from './log.ts'

export type PartHealth = {
  readonly name: string
  readonly state: 'ok' | 'failing'
  /** Why it fails, in words that anybody may read: no addresses, paths or payloads. */
  readonly reason: string
  /** Since when it is in this state, in milliseconds since 1970. */
  readonly since: number
}

export type HealthPart = {
  fail(reason: string, detail?: string): void
  work(): void
}

export type Health = {
  /** One part has one name; to register it again gives the same part. */
  part(name: string, options: { readonly stopsCommands: boolean }): HealthPart
  parts(): readonly PartHealth[]
  failing(): readonly PartHealth[]
  /** Throws while a part fails that commands need. */
  checkCommands(): void
  /** The refusal that `checkCommands` would throw. */
  refusal(): LedgerError | undefined
}

type Entry = PartHealth & { readonly stopsCommands: boolean }

export function createHealth(clock: Clock, log: Log): Health {
  const entries = new Map<string, Entry>()
  let failing = 0 // Asked for with every command.

  function change(name: string, state: PartHealth['state'], reason: string): void {
    entries.set(name, { ...entries.get(name)!, state, reason, since: clock.nowMs() })
    failing = [...entries.values()].filter((entry) => entry.state === 'failing').length
  }

  function refusal(): LedgerError | undefined {
    if (failing === 0) return undefined
    const stopping = [...entries.values()].find(({ state, stopsCommands }) => state === 'failing' && stopsCommands)
    return stopping && storeUnavailable(stopping.reason)
  }

  return {
    part(name, { stopsCommands }) {
      if (!entries.has(name)) {
        entries.set(name, { name, state: 'ok', reason: '', since: clock.nowMs(), stopsCommands })
      }
      return {
        fail(reason, detail) {
          const known = entries.get(name)!
          if (known.state === 'failing' && known.reason === reason) return
          change(name, 'failing', reason)
          log.warn({ part: name, reason, ...(detail !== undefined && { detail }) }, 'a part of the node fails')
        },
        work() {
          const known = entries.get(name)!
          if (known.state === 'ok') return
          const forMs = clock.nowMs() - known.since
          change(name, 'ok', '')
          log.info({ part: name, forMs }, 'a part of the node works again')
        },
      }
    },
    parts: () => [...entries.values()],
    failing: () => (failing === 0 ? [] : [...entries.values()].filter(({ state }) => state === 'failing')),
    checkCommands() {
      const error = refusal()
      if (error !== undefined) throw error
    },
    refusal,
  }
}
