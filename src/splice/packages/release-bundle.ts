// Fetches the DARs of a release from the bundle that Splice publishes, into a cache. Only files with the right package ids get in.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createGunzip } from 'node:zlib'
import { StartError } from '../../base/errors.ts'
import { checkDar } from './checked-dars.ts'
import { fileNameOf, type SpliceRelease } from './releases.ts'
import { tarEntries } from './tar-entries.ts'

export const releasesUrl = 'https://github.com/digital-asset/decentralized-canton-sync/releases/download'

/** No DAR of a release has half as much. */
const darBytesMax = 64 * 1024 * 1024

export function bundleUrl({ version }: SpliceRelease, base = releasesUrl): string {
  return `${base}/v${version}/${version}_splice-node.tar.gz`
}

/** The folder with the DARs of the release; fetched if the cache has none. Throws with what to do instead. */
export async function cachedReleaseDars(release: SpliceRelease, cacheFolder: string, url: string): Promise<string> {
  const folder = join(cacheFolder, release.version)
  if (existsSync(folder)) return folder
  mkdirSync(dirname(folder), { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`) // The folder is there as a whole or not at all.
  try {
    await fetchDars(release, url, unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (error instanceof StartError && existsSync(folder)) return folder // Another process was faster.
    throw error
  }
  return folder
}

async function fetchDars(release: SpliceRelease, url: string, folder: string): Promise<void> {
  const wanted = new Map(Object.values(release.packages).map((one) => [fileNameOf(one), one]))
  const missing = new Set(wanted.keys())
  const isWanted = (name: string, size: number) => missing.has(basename(name)) && size <= darBytesMax
  try {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`it answered ${response.status}`)
    const unpacked = Readable.fromWeb(response.body as ReadableStream).compose(createGunzip())
    for await (const { name, content } of tarEntries(unpacked, isWanted)) {
      const file = basename(name)
      checkDar(content, wanted.get(file)!)
      writeFileSync(join(folder, file), content)
      missing.delete(file)
      if (missing.size === 0) break // The rest of the bundle is large.
    }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `cannot fetch the packages of Splice ${release.version} from ${url} (${reasonOf(error as Error)}); download the ` +
        'bundle elsewhere, unpack it, and name its folder dars with --splice-dars',
    )
  }
  const [absent] = missing
  if (absent !== undefined) throw new StartError(`the bundle of Splice ${release.version} at ${url} has no ${absent}`)
}

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message
}
