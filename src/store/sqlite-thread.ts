// The thread that writes: a connection of its own, so that nobody else waits for the disk.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Row } from './database.ts'
import { createStatements } from './sqlite-statements.ts'
import { durably, type Step, type WriterAnswer } from './sqlite-writing.ts'

const db = new DatabaseSync((workerData as { readonly file: string }).file)
db.exec(durably)
const prepared = createStatements(db)

parentPort!.on('message', (steps: readonly Step[] | 'close') => {
  if (steps === 'close') {
    db.close()
    parentPort!.close()
    return
  }
  parentPort!.postMessage(answerTo(steps))
})
parentPort!.postMessage({ kind: 'done', rows: [] } satisfies WriterAnswer)

function answerTo(steps: readonly Step[]): WriterAnswer {
  try {
    let rows: Row[] = []
    for (const step of steps) rows = run(step)
    return { kind: 'done', rows }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    return { kind: 'failed', message, code }
  }
}

function run(step: Step): Row[] {
  if (step.kind === 'script') {
    db.exec(step.sql)
    return []
  }
  const statement = prepared(step.sql)
  if (step.kind === 'query') return statement.all(...step.params) as Row[]
  for (const row of step.rows) statement.run(...row)
  return []
}
