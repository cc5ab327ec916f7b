// A thread that reads packages: DARs, and archives that may be upgrades. It does one task at a time and stays for the
// next, with its code warm and the packages decoded that uploads refer to again and again.
import { parentPort } from 'node:worker_threads'
import { LedgerError } from '../../base/errors.ts'
import { confineThread } from '../../base/thread-sandbox.ts'
import { createPackageChecker } from '../../lf/checking/check-package.ts'
import type { SeenEntries } from '../../lf/dar/dar.ts'
import { describeAndCheck, readDar } from './dar-reading.ts'
import { createDecodedPackages } from './decoded-packages.ts'
import type {
  Archives,
  FromPackageThread,
  KnownPackage,
  ReadDar,
  ReadingParts,
  ToPackageThread,
} from './package-tasks.ts'
import { answerTo } from './upgrade-questions.ts'

/** Of archives; decoded they take about eight times as much. */
const decodedBytesMax = 32 * 1024 * 1024

confineThread()
const decoded = createDecodedPackages(decodedBytesMax)
const seen: SeenEntries = new Map()
let answered: (known: readonly KnownPackage[]) => void = () => {}
let received: (archives: Archives) => void = () => {}
const post = (message: FromPackageThread): void => parentPort!.postMessage(message)

parentPort!.on('message', async (message: ToPackageThread) => {
  if (message.kind === 'known') answered(message.known)
  else if (message.kind === 'dar') post(await answerFor(message))
  else if (message.kind === 'archives') received(message.archives)
  else post({ kind: 'answer', answer: await answerTo(message.question, archivesOf, decoded) })
})

function archivesOf(ids: readonly string[]): Promise<Archives> {
  const { promise, resolve } = Promise.withResolvers<Archives>()
  received = resolve
  post({ kind: 'wanted', ids })
  return promise
}

/** Without the rest of the buffers that the packages were unpacked into. */
function forSending(dar: ReadDar): ReadDar {
  return dar.map((one) => ('bytes' in one ? { ...one, bytes: new Uint8Array(one.bytes) } : one))
}

type DarTask = ToPackageThread & { readonly kind: 'dar' }

async function answerFor({ bytes, typeCheck, fileName }: DarTask): Promise<FromPackageThread> {
  const parts: ReadingParts = {
    knownAmong: (ids) => {
      const { promise, resolve } = Promise.withResolvers<readonly KnownPackage[]>()
      answered = resolve
      post({ kind: 'packages', ids })
      return promise
    },
    onProgress: (checked, of) => post({ kind: 'progress', checked, of }),
    createChecker: typeCheck === 'none' ? undefined : createPackageChecker,
    decoded,
    seen,
    fileName,
  }
  try {
    if (typeCheck !== 'last') return { kind: 'read', dar: forSending(await readDar(bytes, parts)) }
    await describeAndCheck(bytes, parts, (dar) => post({ kind: 'described', dar: forSending(dar) }))
    return { kind: 'valid' }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    return { kind: 'refused', code: error.code, message: error.message, details: error.details }
  }
}
