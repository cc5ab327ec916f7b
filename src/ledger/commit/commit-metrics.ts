// Metrics of commits: commands and bytes per commit, and durations.
import { type Metrics, secondsBuckets } from '../../base/metrics.ts'

export type CommitMetrics = {
  /** One store transaction that is on disk. */
  committed(commands: number, bytes: number, durationMs: number): void
}

const batchBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

export function createCommitMetrics(
  metrics: Metrics,
  queue: { readonly commands: () => number; readonly bytes: () => number },
): CommitMetrics {
  const sizes = metrics.histogram('tallystick_commit_commands', 'Commands in one commit', batchBuckets).with()
  const bytes = metrics.counter('tallystick_commit_bytes_total', 'Bytes of the events of committed transactions').with()
  const durations = metrics
    .histogram('tallystick_commit_duration_seconds', 'Time of one commit, until it is on disk', secondsBuckets)
    .with()
  metrics.gauge('tallystick_commit_queue_commands', 'Commands and new parties waiting to be written', queue.commands)
  metrics.gauge(
    'tallystick_commit_queue_bytes',
    'Bytes of commands and new parties waiting to be written or being written',
    queue.bytes,
  )
  return {
    committed(commands, size, durationMs) {
      sizes.observe(commands)
      bytes.add(size)
      durations.observe(durationMs / 1000)
    },
  }
}
