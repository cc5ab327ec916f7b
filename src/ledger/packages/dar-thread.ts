// The thread that reads one large DAR, posts its contents, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { confineThread } from '../../base/confinement.ts'
import { LedgerError } from '../../base/errors.ts'
import { type FromDarThread, readDar } from './dar-reading.ts'

confineThread()
parentPort!.postMessage(answerFor(workerData as Uint8Array))

function answerFor(bytes: Uint8Array): FromDarThread {
  try {
    return { kind: 'read', dar: readDar(bytes).map((read) => ({ ...read, bytes: new Uint8Array(read.bytes) })) }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    return { kind: 'refused', code: error.code, message: error.message, details: error.details }
  }
}
