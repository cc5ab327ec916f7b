// Decoders of uploads: DAR files, the packages in them, their manifests.
import { readFileSync } from 'node:fs'
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { ArchiveError } from '../../../src/lf/archive/archive-error.ts'
import { bodiesIn, decodePackage } from '../../../src/lf/archive/package.ts'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import { manifestFromText } from '../../../src/lf/dar/manifest.ts'
import { readZipDirectory, readZipEntry } from '../../../src/lf/dar/zip.ts'
import { sampleArchive, sampleDar, samplePackage } from '../../../test/support/lf/sample-package.ts'
import { bytesDecoder, textDecoder } from '../decoder.ts'

const minors = [1, 2, 3] as const
const isArchiveError = (error: unknown) => error instanceof ArchiveError && error.message.length < 2_000
const entryBytesMax = 1 << 20

export const darFiles = bytesDecoder({
  name: 'DAR files',
  corpus: () => minors.map((minor) => sampleDar(minor)),
  read(input) {
    decodeDar(input)
    return true
  },
  isRefusal: isArchiveError,
})

export const zipFiles = bytesDecoder({
  name: 'zip files',
  corpus: () => minors.map((minor) => sampleDar(minor)),
  read(input) {
    const zip = readZipDirectory(input)
    for (const entry of zip.entries.values()) readZipEntry(zip, entry, entryBytesMax)
    return true
  },
  isRefusal: isArchiveError,
})

export const archives = bytesDecoder({
  name: 'archives',
  corpus: () => minors.map((minor) => sampleArchive(minor)),
  read(input) {
    decodeArchive(input).checkBodies()
    return true
  },
  isRefusal: isArchiveError,
})

/** Below the hash check, which would reject every mutated package. The first byte is the LF version. */
export const packages = bytesDecoder({
  name: 'LF packages',
  corpus: () => minors.map((minor) => Buffer.concat([Buffer.of(minor - 1), samplePackage(minor)])),
  read(input) {
    const minor = minors[(input[0] ?? 0) % minors.length]!
    const { package: decoded, checkBodies } = decodePackage(input.subarray(1), 'ab'.repeat(32), minor)
    checkBodies()
    // Checked content must be readable without errors: a refusal here would come in the middle of a command.
    for (const module of decoded.modules.values()) for (const body of bodiesIn(module)) readChecked(body)
    return true
  },
  isRefusal: isArchiveError,
})

function readChecked(body: () => unknown): void {
  try {
    body()
  } catch (error) {
    throw new Error('a body that was checked cannot be read', { cause: error })
  }
}

export const manifests = textDecoder({
  name: 'manifests',
  corpus() {
    const zip = readZipDirectory(readFileSync(new URL('../../../packages/quickstart/quickstart.dar', import.meta.url)))
    const entry = zip.entries.get('META-INF/MANIFEST.MF')!
    return [Buffer.from(readZipEntry(zip, entry, entryBytesMax)).toString()]
  },
  read(input) {
    manifestFromText(input)
    return true
  },
  isRefusal: isArchiveError,
})
