// The state of the node's parts. A part registers once and reports when it fails and when it works again. `/readyz`
// answers 503 and names the failing parts, `tallystick_part_failing` counts them, and commands are refused while a part
// they need is failing. `/livez` ignores them: a failing part recovers by itself or with what it waits for, and a
// restart would not help. `health.checkCommands()`, called before a command is accepted, throws a retryable refusal.
import type { Clock } from './clock.ts'
import { type LedgerError, storeUnavailable } from './errors.ts'
import type { Log } from './log.ts'

export type PartHealth = {
  readonly name: string
  readonly state: 'ok' | 'failing'
  /** Public text: no addresses, paths or payloads. */
  readonly reason: string
  /** Start of the current state, in milliseconds since 1970. */
  readonly since: number
}

export type HealthPart = {
  /** The reason is public; the detail only goes to the log. */
  fail(reason: string, detail?: string): void
  /** Cheap if nothing changed, so it may be called after every success. */
  work(): void
}

export type Health = {
  /** Parts are identified by name; registering one again returns the same part. */
  part(name: string, options: { readonly stopsCommands: boolean }): HealthPart
  parts(): readonly PartHealth[]
  failing(): readonly PartHealth[]
  /** Throws while a part that commands need is failing. */
  checkCommands(): void
  /** The refusal that `checkCommands` would throw, if any. */
  refusal(): LedgerError | undefined
}

type Entry = PartHealth & { readonly stopsCommands: boolean }

export function createHealth(clock: Clock, log: Log): Health {
  const entries = new Map<string, Entry>()
  let failing = 0 // Checked for every command.

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
