// Databases in memory that begin with the same content, one after the other. When one is closed, its changes are rolled back
// and its connection serves the next, with all that was prepared on it: that takes less than another copy of the content.
import { DatabaseSync } from 'node:sqlite'
import { wallClock } from '../../base/clock.ts'
import type { Database } from '../core/database.ts'
import { type LentConnection, openSqliteOver } from './sqlite.ts'
import { createStatements } from './statements.ts'

/** The next one is often opened before the last one is closed. */
const freeMax = 2

/** Each call opens one. */
export function memoryCopies(content: Uint8Array): () => Database {
  const free: LentConnection[] = []

  function connect(): LentConnection {
    const db = new DatabaseSync(':memory:')
    db.deserialize(content)
    db.exec('BEGIN')
    const lent: LentConnection = {
      db,
      statements: createStatements({ connected: () => db, check: () => undefined, clock: wallClock }),
      giveBack() {
        // SQLite ends the transaction itself after some errors; then the changes are not known any more.
        if (!db.isTransaction || free.length >= freeMax) return db.close()
        db.exec('ROLLBACK')
        db.exec('BEGIN')
        free.push(lent)
      },
    }
    return lent
  }

  return () => openSqliteOver(free.pop() ?? connect())
}
