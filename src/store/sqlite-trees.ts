// Tables of a SQLite file whose trees do not hold together: nothing is read from them any more, because a walk through
// them would leave rows out and nobody would notice.
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { storedDataDamaged } from '../base/errors.ts'
import type { DamagedTable } from './sqlite-trees-thread.ts'

export type Trees = {
  /** Throws for a statement about a table that is damaged. */
  check(sql: string): void
  /** Settles once a small file was looked through, and at once for a large one. */
  readonly looked: Promise<void>
  close(): Promise<void>
}

/** A start waits for it: some hundredths of a second. */
const waitedForBytesMax = 16 * 1024 * 1024

export const unwatchedTrees: Trees = {
  check: () => undefined,
  looked: Promise.resolve(),
  close: async () => undefined,
}

/** Looks through the file in a thread of its own; `onDamage` is told of each table that is damaged. */
export function lookThroughTrees(file: string, onDamage: (detail: string) => void): Trees {
  const damaged = new Map<string, DamagedTable>()
  const source = import.meta.url.endsWith('.ts') ? './sqlite-trees-thread.ts' : './sqlite-trees-thread.mjs'
  const thread = new Worker(new URL(source, import.meta.url), { workerData: { file } })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  thread.unref()
  thread.on('message', (found: DamagedTable) => {
    damaged.set(found.table, found)
    onDamage(detailOf(found))
  })
  thread.on('error', () => undefined) // A file that cannot be opened is told by those who read it.
  thread.on('exit', () => resolve())
  return {
    check(sql) {
      if (damaged.size === 0) return
      for (const found of damaged.values()) {
        if (new RegExp(`\\b${found.table}\\b`).test(sql)) throw storedDataDamaged(detailOf(found))
      }
    },
    looked: statSync(file).size <= waitedForBytesMax ? ended : Promise.resolve(),
    async close() {
      await thread.terminate()
    },
  }
}

function detailOf({ table, problem }: DamagedTable): string {
  return `the table ${table}: ${problem}`
}
