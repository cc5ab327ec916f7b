// The thread of `dar check`: opens DARs, checks them, posts the account, and ends. A thread, because packages nest deeper
// than the stack of the main one, as at upload.
import { parentPort, workerData } from 'node:worker_threads'
import { confineThread } from '../base/thread-sandbox.ts'
import { ArchiveError } from '../lf/archive/archive-error.ts'
import { type OpenPackage, openDar } from '../lf/dar/dar.ts'
import { accountOf, type DarAccount, readingFile } from '../lf/upgrading/account.ts'

export type CheckedFile = { readonly file: string; readonly bytes: Uint8Array }

/** The file to check comes first. */
export type DarCheckWanted = { readonly files: readonly CheckedFile[] }

export type FromDarCheckThread =
  | { readonly kind: 'account'; readonly account: DarAccount }
  | { readonly kind: 'refused'; readonly message: string }

confineThread()
parentPort!.postMessage(answerTo(workerData as DarCheckWanted))

function answerTo({ files }: DarCheckWanted): FromDarCheckThread {
  try {
    const [dar, ...others] = files.map(({ file, bytes }) => ({ file, dar: readingFile(file, () => openDar(bytes)) }))
    const account = accountOf(dar!, others)
    const mistaken = others.find(({ dar: { packages } }) => !packages.some((one) => nameOf(one) === account.name))
    if (mistaken === undefined) return { kind: 'account', account }
    const main = nameOf(mistaken.dar.packages[0]!)
    return refused(`${mistaken.file} has no package named ${account.name}: its main package is ${main}`)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    return refused(error.message)
  }
}

function nameOf(one: OpenPackage): string {
  return one.decode().package.name
}

function refused(message: string): FromDarCheckThread {
  return { kind: 'refused', message }
}
