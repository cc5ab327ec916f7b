// Tables of a SQLite file with damaged B-trees. They are not read any more, because a scan would silently leave out
// rows.
import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { storedDataDamaged } from '../../base/errors.ts'
import type { Finding, LookThrough } from './damaged-trees-thread.ts'
import type { Look, Verdict } from './suspicion.ts'

export type Trees = {
  /** Throws for a statement on a damaged table. */
  check(sql: string): void
  /** The file is whole: tables that could not be read then are read again. */
  trust(): void
  /** Settles when a small file has been checked, and at once for a large one. */
  readonly looked: Promise<void>
  close(): Promise<void>
}

/** A start waits for this: a few hundredths of a second. */
const waitedForBytesMax = 16 * 1024 * 1024

export const unwatchedTrees: Trees = {
  check: () => undefined,
  trust: () => undefined,
  looked: Promise.resolve(),
  close: async () => undefined,
}

/** What is wrong with a file that nobody changes; undefined if nothing is. Checks all of it, in a thread. */
export async function damageIn(file: string): Promise<string | undefined> {
  let first: string | undefined
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const thread = startThread({ file, manner: 'unchanging' })
  thread.on('message', (found: Finding) => {
    if (found.cause !== 'disk') first ??= detailOf(found)
  })
  thread.on('error', reject)
  thread.on('exit', () => resolve())
  await promise
  return first
}

function source(): URL {
  const path = import.meta.url.endsWith('.ts') ? './damaged-trees-thread.ts' : './damaged-trees-thread.mjs'
  return new URL(path, import.meta.url)
}

function startThread(workerData: LookThrough): Worker {
  return new Worker(source(), { workerData })
}

type Looking = { readonly ended: Promise<void>; end(): Promise<void> }

function inThread(file: string, onFound: (found: Finding) => void): Looking {
  const thread = startThread({ file, manner: 'start' })
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
function inProcess(file: string, onFound: (found: Finding) => void): Looking {
  return askProcess<Finding>({ file, manner: 'start' }, onFound)
}

function askProcess<Answer>(request: LookThrough, onAnswer: (answer: Answer) => void): Looking {
  const child = fork(fileURLToPath(source()), [], {
    execArgv: [], // Not those of the node, such as an inspector's port.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.unref()
  child.channel?.unref()
  child.on('message', (answer) => onAnswer(answer as Answer))
  child.on('error', () => resolve()) // It could not be started.
  child.on('close', () => resolve()) // When its last message is read; its exit may be heard before.
  child.send(request, () => undefined) // A failure is also an end.
  return {
    ended,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      child.channel?.ref()
      if (child.kill('SIGKILL')) await ended
    },
  }
}

/** Whether a file that SQLite called malformed is damaged. Takes about 10 ms per MB. */
export function lookAgain(file: string): Look {
  let verdict: Verdict = { kind: 'unreadable', problem: 'the process that looks at the file has ended' }
  const { ended, end } = askProcess<Verdict>({ file, manner: 'suspected' }, (answer) => {
    verdict = answer
  })
  return { verdict: ended.then(() => verdict), end }
}

export type TreeReport = {
  readonly damaged: (detail: string) => void
  /** SQLite may not have been able to read it. Returns the refusal for whoever reads the table. */
  readonly suspected: (detail: string) => Error
}

/** Checks the file beside other work; reports each damaged table. */
export function lookThroughTrees(file: string, report: TreeReport): Trees {
  const distrusted = new Map<string, Finding>()
  const isSmall = statSync(file).size <= waitedForBytesMax
  const { ended, end } = (isSmall ? inThread : inProcess)(file, (found) => {
    if (found.cause === 'disk') return // It says nothing about the data.
    distrusted.set(found.table, found)
    if (found.cause === 'data') report.damaged(detailOf(found))
    else report.suspected(detailOf(found))
  })
  return {
    check(sql) {
      if (distrusted.size === 0) return
      for (const found of distrusted.values()) {
        if (!new RegExp(`\\b${found.table}\\b`).test(sql)) continue
        throw found.cause === 'data' ? storedDataDamaged(detailOf(found)) : report.suspected(detailOf(found))
      }
    },
    trust() {
      for (const [table, { cause }] of distrusted) if (cause === 'either') distrusted.delete(table)
    },
    looked: isSmall ? ended : Promise.resolve(),
    close: end,
  }
}

function detailOf({ table, problem }: Finding): string {
  return `the table ${table}: ${problem}`
}
