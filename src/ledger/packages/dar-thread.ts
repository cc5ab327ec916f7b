// The thread that reads one large DAR: asks which of its packages are known, posts its contents, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { confineThread } from '../../base/confinement.ts'
import { LedgerError } from '../../base/errors.ts'
import {
  type DarThreadData,
  type FromDarThread,
  type KnownPackage,
  type ReadingParts,
  readDar,
  type ToDarThread,
} from './dar-reading.ts'

confineThread()
const post = (message: FromDarThread): void => parentPort!.postMessage(message)
const { bytes, isChecking } = workerData as DarThreadData
post(await answerFor(bytes))
parentPort!.close()

async function answerFor(file: Uint8Array): Promise<FromDarThread> {
  const parts: ReadingParts = {
    knownAmong: (ids) => {
      const { promise, resolve } = Promise.withResolvers<readonly KnownPackage[]>()
      parentPort!.once('message', ({ known }: ToDarThread) => resolve(known))
      post({ kind: 'packages', ids })
      return promise
    },
    onProgress: (checked, of) => post({ kind: 'progress', checked, of }),
    isChecking,
  }
  try {
    const dar = await readDar(file, parts)
    const read = dar.map((one) => ('bytes' in one ? { ...one, bytes: new Uint8Array(one.bytes) } : one))
    return { kind: 'read', dar: read }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    return { kind: 'refused', code: error.code, message: error.message, details: error.details }
  }
}
