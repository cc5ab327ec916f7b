// Writes a DAR file from packages.
import { finishWriting } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import { manifestName } from './manifest.ts'
import { writeZip } from './zip-writing.ts'

export type PackageFile = {
  readonly id: string
  readonly name: string
  readonly version: string
  /** The package, as clients get it. */
  readonly payload: Uint8Array
}

/** Fields of an Archive. */
const archiveFields = { payload: 3, hash: 4 }

/** The first package is the main one. */
export function writeDar(packages: readonly PackageFile[]): Uint8Array {
  const dalfs = packages.map((one): [name: string, dalf: Uint8Array] => [
    `${one.name}-${one.version}-${one.id}.dalf`,
    archiveOf(one),
  ])
  const names = dalfs.map(([name]) => name)
  const lines = [
    'Manifest-Version: 1.0',
    `Main-Dalf: ${names[0]}`,
    `Dalfs: ${names.join(', ')}`,
    'Format: daml-lf',
    'Encryption: non-encrypted',
  ]
  const manifest = `${lines.map(wrapped).join('\n')}\n`
  return writeZip([[manifestName, Buffer.from(manifest)], ...dalfs])
}

function archiveOf({ id, payload }: PackageFile): Uint8Array {
  return finishWriting((writer) => {
    writer.tag(archiveFields.payload, wireTypes.bytes).bytes(payload)
    writer.tag(archiveFields.hash, wireTypes.bytes).string(id)
  })
}

/** A line of a manifest has at most 72 bytes; a space continues the one before it. */
function wrapped(line: string): string {
  return (line.match(/.{1,70}/g) ?? []).join('\n ')
}
