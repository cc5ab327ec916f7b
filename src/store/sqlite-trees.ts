// Tables of a SQLite file with damaged B-trees. They are not read any more, because a scan would silently leave out
// rows.
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { storedDataDamaged } from '../base/errors.ts'
import type { DamagedTable, LookThrough } from './sqlite-trees-thread.ts'

export type Trees = {
  /** Throws for a statement on a damaged table. */
  check(sql: string): void
  /** Settles when a small file has been checked, and at once for a large one. */
  readonly looked: Promise<void>
  close(): Promise<void>
}

/** A start waits for this: a few hundredths of a second. */
const waitedForBytesMax = 16 * 1024 * 1024

export const unwatchedTrees: Trees = {
  check: () => undefined,
  looked: Promise.resolve(),
  close: async () => undefined,
}

/** What is wrong with a file that nobody changes; undefined if nothing is. Checks all of it, in a thread. */
export async function damageIn(file: string): Promise<string | undefined> {
  let first: string | undefined
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const thread = startThread({ file, isWhole: true })
  thread.on('message', (found: DamagedTable) => {
    first ??= detailOf(found)
  })
  thread.on('error', reject)
  thread.on('exit', () => resolve())
  await promise
  return first
}

function startThread(workerData: LookThrough): Worker {
  const source = import.meta.url.endsWith('.ts') ? './sqlite-trees-thread.ts' : './sqlite-trees-thread.mjs'
  return new Worker(new URL(source, import.meta.url), { workerData })
}

/** Checks the file in its own thread; calls `onDamage` for each damaged table. */
export function lookThroughTrees(file: string, onDamage: (detail: string) => void): Trees {
  const damaged = new Map<string, DamagedTable>()
  const thread = startThread({ file, isWhole: false })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  thread.unref()
  thread.on('message', (found: DamagedTable) => {
    damaged.set(found.table, found)
    onDamage(detailOf(found))
  })
  thread.on('error', () => undefined) // Readers report a file that cannot be opened.
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
