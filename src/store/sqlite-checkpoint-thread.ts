// The thread that writes a SQLite log back into its database, whenever it is told to.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const db = new DatabaseSync((workerData as { readonly file: string }).file)
db.exec('PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)') // Keeps nobody from writing.

parentPort!.on('message', () => {
  checkpoint.get()
  parentPort!.postMessage('done')
})
