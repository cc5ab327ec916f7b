// The thread that writes a description for the users of one package, of the API or of the types alone, and then ends. It
// decodes packages here because large ones take long; their bytes come from the main thread, one package at a time.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { confineThread } from '../base/thread-sandbox.ts'
import { decodeArchive } from '../lf/archive/archive.ts'
import type { Package } from '../lf/syntax/ast.ts'
import { collectPackages } from './package-set.ts'
import { packageTypes } from './package-types.ts'
import type { PackageTypes } from './type-description.ts'
import { type Document, typedDocument } from './typed-document.ts'

export type DescriptionWanted = {
  readonly packageId: string
  /** The API description to specialise; undefined if only the types are wanted. */
  readonly general: Document | undefined
  readonly bytesMax: number
}

export type FromDescriptionThread =
  | { readonly kind: 'wanted'; readonly packageId: string }
  | { readonly kind: 'described'; readonly text: Uint8Array }
  | { readonly kind: 'too large' }

/** The answer to a `wanted`: the bytes of the package, if it exists. */
export type ToDescriptionThread = Uint8Array | undefined

confineThread()
const { packageId, general, bytesMax } = workerData as DescriptionWanted
const main = (await load(packageId))!
const packages = await collectPackages(main, load)
tell(written(general === undefined ? packageTypes(packages) : typedDocument(general, packages)))

async function load(id: string): Promise<Package | undefined> {
  tell({ kind: 'wanted', packageId: id })
  const [bytes] = (await once(parentPort!, 'message')) as [ToDescriptionThread]
  return bytes && decodeArchive(bytes).package
}

function written(document: Document | PackageTypes): FromDescriptionThread {
  const text = textOf(document)
  if (text === undefined || Buffer.byteLength(text) > bytesMax) return { kind: 'too large' }
  return { kind: 'described', text: new Uint8Array(Buffer.from(text)) }
}

/** Undefined when the text would be longer than a string can be. */
function textOf(document: Document | PackageTypes): string | undefined {
  try {
    return JSON.stringify(document)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function tell(message: FromDescriptionThread): void {
  parentPort!.postMessage(message)
}
