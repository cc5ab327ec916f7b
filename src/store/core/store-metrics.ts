// Metrics of the store: its size and, where the node flushes the log itself, the flushes.
import { type Clock, settlesWithin } from '../../base/clock.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Database, LogMeasures } from './database.ts'

/** An unreachable database must not delay the metrics page. */
const withinMs = 1_000

export function measureStore(metrics: Metrics, { measures }: Pick<Database, 'measures'>, clock: Clock): void {
  async function size(): Promise<number | undefined> {
    let bytes: number | undefined
    const measuring = measures?.sizeBytes().then((found) => {
      bytes = found
    })
    await settlesWithin(measuring?.catch(() => undefined) ?? Promise.resolve(), withinMs, clock)
    return bytes
  }

  /** Left out if the database manages its log itself, and while it cannot be read. */
  const ofLog = (read: (log: LogMeasures) => number) => () => {
    try {
      const log = measures?.log?.()
      return log && read(log)
    } catch {
      return undefined
    }
  }

  metrics.gauge('tallystick_store_bytes', 'Size of the database', size)
  metrics.gauge(
    'tallystick_store_log_bytes',
    "Bytes in SQLite's log since its last restart",
    ofLog(({ bytes }) => bytes),
  )
  metrics.total(
    'tallystick_store_flushes_total',
    "Flushes of SQLite's log to the disk",
    ofLog(({ flushes }) => flushes),
  )
  metrics.total(
    'tallystick_store_flush_seconds_total',
    "Time spent on flushes of SQLite's log",
    ofLog(({ flushMs }) => flushMs / 1000),
  )
  metrics.total(
    'tallystick_store_checkpoints_total',
    "Checkpoints of SQLite's log into the database",
    ofLog(({ writeBacks }) => writeBacks),
  )
  metrics.total(
    'tallystick_store_checkpoint_seconds_total',
    'Time spent on checkpoints, in the background',
    ofLog(({ writeBackMs }) => writeBackMs / 1000),
  )
}
