// Returns the space of deleted data to the file system, in small steps.
import type { Clock } from '../../base/clock.ts'
import { createPace } from '../../base/pace.ts'
import type { Queries } from '../core/database.ts'

const pagesPerStepMax = 500
/** SQLite's number for the mode. */
const incrementalVacuum = 2n

type Reclaiming = {
  readonly queries: Queries
  readonly whenFree: <T>(task: () => Promise<T>) => Promise<T>
  readonly durably: <T>(task: () => Promise<T>) => Promise<T>
  readonly clock: Clock
  readonly writtenBack: () => Promise<void>
  readonly exec: (sql: string) => void
  readonly truncate: () => Promise<void>
}

/** In small steps: other work runs in between, and a long log is checkpointed. */
export async function reclaim(parts: Reclaiming, signal: AbortSignal | undefined): Promise<void> {
  const { queries, whenFree, durably, clock, writtenBack, exec, truncate } = parts
  const [mode] = await whenFree(() => queries.query('PRAGMA auto_vacuum'))
  if (mode?.auto_vacuum !== incrementalVacuum) return // A database in memory cannot shrink.
  const pace = createPace(clock, pagesPerStepMax)
  while (!signal?.aborted) {
    const [row] = await whenFree(() => queries.query('PRAGMA freelist_count'))
    if (row?.freelist_count === 0n) break
    await durably(() => pace.step(async (pages) => exec(`PRAGMA incremental_vacuum(${pages})`)))
    await writtenBack() // Back-pressure: otherwise the log would grow to the size of the moved pages.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  if (signal?.aborted) return
  await writtenBack()
  await durably(truncate)
}
