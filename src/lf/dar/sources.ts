// The Daml sources that a compiler puts into a DAR beside its main package.
import { readZipDirectory, readZipEntry } from './zip.ts'

/** The largest published source has 0.2 MB. */
const sourceBytesMax = 8 * 1024 * 1024

/** The source of a module of the main package; undefined if the DAR has none. */
export type SourceOf = (module: string) => string | undefined

/** Throws an ArchiveError for what is no zip file; a source that is damaged throws when it is read. */
export function openSources(dar: Uint8Array): SourceOf {
  const zip = readZipDirectory(dar)
  const byModule = new Map(
    [...zip.entries.values()].flatMap((entry) => {
      // They lie in a folder with the name of the package.
      const [, path] = /^[^/]+\/(.+)\.daml$/.exec(entry.name) ?? []
      return path === undefined ? [] : [[path.replaceAll('/', '.'), entry] as const]
    }),
  )
  return (module) => {
    const entry = byModule.get(module)
    return entry && Buffer.from(readZipEntry(zip, entry, sourceBytesMax)).toString('utf8')
  }
}
