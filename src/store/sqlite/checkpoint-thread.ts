// The thread that checkpoints a SQLite write-ahead log into its database, on request.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const db = new DatabaseSync((workerData as { readonly file: string }).file)
db.exec('PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)') // Does not block writers.

parentPort!.on('message', () => {
  checkpoint.get()
  parentPort!.postMessage('done')
})
