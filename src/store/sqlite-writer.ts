// Transactions in a thread of their own. Until a transaction writes, it reads on the caller's connection: nobody else
// writes meanwhile, so both see the same. What it writes is gathered and handed over at once, with the commit.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { LedgerError } from '../base/errors.ts'
import type { Param, Queries, Row } from './database.ts'
import { deleteFrom, insertInto, isReading } from './sqlite-statements.ts'
import type { Step, WriterAnswer } from './sqlite-writing.ts'

export type WriterQueries = Queries & {
  /** A text of several statements. */
  script(sql: string): Promise<void>
}

export type Writer = {
  /** One at a time. */
  transaction<T>(body: (tx: WriterQueries) => Promise<T>): Promise<T>
  /** False once the thread is gone: what it had not committed is undone. */
  isAlive(): boolean
  close(): Promise<void>
}

/** More than this is handed over before the commit. */
const gatheredBytesMax = 4 * 1024 * 1024

export async function startWriter(file: string, reader: Pick<Queries, 'query'>): Promise<Writer> {
  const source = import.meta.url.endsWith('.ts') ? './sqlite-thread.ts' : './sqlite-thread.mjs'
  const thread = new Worker(new URL(source, import.meta.url), { workerData: { file } })
  await once(thread, 'message')
  thread.unref()
  let waiting: PromiseWithResolvers<WriterAnswer> | undefined
  let isAlive = true
  thread.on('message', (answer: WriterAnswer) => {
    thread.unref()
    waiting?.resolve(answer)
  })
  thread.on('error', () => undefined) // It ends then.
  thread.on('exit', () => {
    isAlive = false
    waiting?.reject(lost())
  })

  async function run(steps: readonly Step[]): Promise<Row[]> {
    if (!isAlive) throw lost()
    waiting = Promise.withResolvers()
    thread.ref() // A process does not end before it is answered.
    thread.postMessage(steps)
    const answer = await waiting.promise
    if (answer.kind === 'done') return answer.rows
    throw Object.assign(new Error(answer.message), { code: answer.code })
  }

  async function transaction<T>(body: (tx: WriterQueries) => Promise<T>): Promise<T> {
    let gathered: Step[] = []
    let gatheredBytes = 0
    let isOpen = false

    function handOver(last: Step): Promise<Row[]> {
      const steps = [...(isOpen ? [] : [begin]), ...gathered, last]
      gathered = []
      gatheredBytes = 0
      isOpen = true
      return run(steps)
    }

    async function gather(step: Step, bytes: number): Promise<void> {
      gathered.push(step)
      gatheredBytes += bytes
      if (gatheredBytes > gatheredBytesMax) await handOver(gathered.pop()!)
    }

    const tx: WriterQueries = {
      async script(sql) {
        await handOver({ kind: 'script', sql })
      },
      async query(sql, ...params) {
        const step: Step = { kind: 'query', sql, params }
        if (isReading(sql)) return isOpen || gathered.length > 0 ? handOver(step) : reader.query(sql, ...params)
        if (/\bRETURNING\b/i.test(sql)) return handOver(step)
        await gather(step, sizeOf(params))
        return []
      },
      async insert(table, columns, rows, key) {
        if (rows.length > 0) await gather({ kind: 'many', sql: insertInto(table, columns, key), rows }, sizeOfAll(rows))
      },
      async delete(table, columns, rows) {
        if (rows.length > 0) await gather({ kind: 'many', sql: deleteFrom(table, columns), rows }, 0)
      },
    }
    try {
      const result = await body(tx)
      if (isOpen || gathered.length > 0) await handOver(commit)
      return result
    } catch (error) {
      if (isOpen) await run([rollBack]).catch(() => undefined) // A thread that is gone has rolled back by itself.
      throw error
    }
  }

  return {
    transaction,
    isAlive: () => isAlive,
    async close() {
      if (!isAlive) return
      const ended = once(thread, 'exit')
      thread.postMessage('close')
      await ended
    },
  }
}

/** Whoever asked may try again, after a look at whether it was done. */
function lost(): LedgerError {
  return new LedgerError('INDEX_DB_SQL_TRANSIENT_ERROR', 'The thread that writes has ended')
}

const begin: Step = { kind: 'query', sql: 'BEGIN IMMEDIATE', params: [] }
const commit: Step = { kind: 'query', sql: 'COMMIT', params: [] }
const rollBack: Step = { kind: 'query', sql: 'ROLLBACK', params: [] }

function sizeOfAll(rows: readonly (readonly Param[])[]): number {
  return rows.reduce((sum, row) => sum + sizeOf(row), 0)
}

function sizeOf(row: readonly Param[]): number {
  let bytes = 0
  for (const value of row) if (value instanceof Uint8Array || typeof value === 'string') bytes += value.length
  return bytes
}
