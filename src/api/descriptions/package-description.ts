// Descriptions for the users of one package, generated from the uploaded archive. Decoding a large package takes
// long, so a worker thread does it.
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import { confinedThread } from '../../base/thread-sandbox.ts'
import type { DescriptionWanted, FromDescriptionThread, ToDescriptionThread } from '../../codegen/description-thread.ts'
import type { Ledger } from '../../ledger/ledger.ts'

const heapMb = 2_048
const withinMs = 20_000

const packageId = /^[0-9a-f]{64}$/

/** The id of the package that a name stands for; refuses an unknown name. */
export async function describedPackage(name: string, { packages }: Ledger, mayBeId = false): Promise<string> {
  if (mayBeId && packageId.test(name) && (await packages.dalf(name)) !== undefined) return name
  const found = await packages.newest(name)
  if (found !== undefined) return found.id
  const text = `There is no package with the name ${shorten(name)} on this participant.`
  throw new LedgerError('PACKAGE_NAMES_NOT_FOUND', text, { about: { kind: 'packages', names: [name] } })
}

/** A refusal that can be cached, because it never changes. */
export class TooLarge extends LedgerError {
  constructor(reason: string) {
    const { code, message, details } = invalidArgument(`The description of this package ${reason}.`)
    super(code, message, details)
  }
}

/** The bytes of a package; undefined if there is none. */
type LoadDalf = (packageId: string) => Promise<Uint8Array | undefined>

/** JSON. Throws TooLarge if the package takes too much memory, or the result more bytes than `wanted` allows. */
export async function packageDescription(wanted: DescriptionWanted, load: LoadDalf, clock: Clock): Promise<Buffer> {
  const file = import.meta.url.endsWith('.ts') ? '../../codegen/description-thread.ts' : './description-thread.mjs'
  const worker = new Worker(new URL(file, import.meta.url), {
    ...confinedThread,
    workerData: wanted,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  worker.unref() // Shutdown does not wait for it.
  const outcome = Promise.withResolvers<Buffer>()
  const timer = clock.after(withinMs, () => outcome.reject(tookTooLong()))
  worker.on('message', (message: FromDescriptionThread) => {
    if (message.kind === 'described') outcome.resolve(Buffer.from(message.text.buffer))
    else if (message.kind === 'too large') outcome.reject(new TooLarge(`has more than ${wanted.bytesMax} bytes`))
    else load(message.packageId).then((dalf) => worker.postMessage(copied(dalf)), outcome.reject)
  })
  worker.once('error', (error) => {
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    outcome.reject(isMemory ? new TooLarge('takes too much memory') : error)
  })
  worker.once('exit', (code) => outcome.reject(new Error(`the thread that described a package ended with ${code}`)))
  try {
    return await outcome.promise
  } finally {
    timer.cancel()
    await worker.terminate()
  }
}

/** A database buffer may share memory with others, and postMessage would send all of it. */
function copied(dalf: Uint8Array | undefined): ToDescriptionThread {
  return dalf && new Uint8Array(dalf)
}

function tookTooLong(): LedgerError {
  return new LedgerError('PARTICIPANT_BACKPRESSURE', 'The description of the package took too long.')
}
