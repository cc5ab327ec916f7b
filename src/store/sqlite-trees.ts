// Tables of a SQLite file with damaged B-trees. They are not read any more, because a scan would silently leave out
// rows.
import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
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

function source(): URL {
  const path = import.meta.url.endsWith('.ts') ? './sqlite-trees-thread.ts' : './sqlite-trees-thread.mjs'
  return new URL(path, import.meta.url)
}

function startThread(workerData: LookThrough): Worker {
  return new Worker(source(), { workerData })
}

type Looking = { readonly ended: Promise<void>; end(): Promise<void> }

function inThread(file: string, onFound: (found: DamagedTable) => void): Looking {
  const thread = startThread({ file, isWhole: false })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  thread.unref()
  thread.on('message', onFound)
  thread.on('error', () => undefined) // Readers report a file that cannot be opened.
  thread.on('exit', () => resolve())
  return {
    ended,
    async end() {
      await thread.terminate()
    },
  }
}

/**
 * SQLite cannot be interrupted within a table, which takes seconds in a large file. A thread would keep a stop and a
 * restore waiting for it, because the old connection must be gone before the same file is opened with another log. A
 * process can be killed.
 */
function inProcess(file: string, onFound: (found: DamagedTable) => void): Looking {
  const child = fork(fileURLToPath(source()), [], {
    execArgv: [], // Not those of the node, such as an inspector's port.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.unref()
  child.channel?.unref()
  child.on('message', (found) => onFound(found as DamagedTable))
  child.on('error', () => resolve()) // It could not be started.
  child.on('exit', () => resolve())
  child.send({ file, isWhole: false } satisfies LookThrough, () => undefined) // A failure is also an exit.
  return {
    ended,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      if (child.kill('SIGKILL')) await ended
    },
  }
}

/** Checks the file beside other work; calls `onDamage` for each damaged table. */
export function lookThroughTrees(file: string, onDamage: (detail: string) => void): Trees {
  const damaged = new Map<string, DamagedTable>()
  const isSmall = statSync(file).size <= waitedForBytesMax
  const { ended, end } = (isSmall ? inThread : inProcess)(file, (found) => {
    damaged.set(found.table, found)
    onDamage(detailOf(found))
  })
  return {
    check(sql) {
      if (damaged.size === 0) return
      for (const found of damaged.values()) {
        if (new RegExp(`\\b${found.table}\\b`).test(sql)) throw storedDataDamaged(detailOf(found))
      }
    },
    looked: isSmall ? ended : Promise.resolve(),
    close: end,
  }
}

function detailOf({ table, problem }: DamagedTable): string {
  return `the table ${table}: ${problem}`
}
