// Writes a DAR file from packages.
import { manifestName } from './manifest.ts'
import { writeZip } from './zip-writing.ts'

export type PackageFile = {
  readonly id: string
  readonly name: string
  readonly version: string
  /** The package, as clients get it. */
  readonly payload: Uint8Array
}

/** Tags of the fields of an Archive: number and wire type. */
const payloadTag = 0x1a
const hashTag = 0x22

/** The first package is the main one. */
export function writeDar(packages: readonly PackageFile[]): Uint8Array {
  const dalfs = packages.map((one): [name: string, dalf: Buffer] => [
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

function archiveOf({ id, payload }: PackageFile): Buffer {
  return Buffer.concat([
    Buffer.of(payloadTag, ...varint(payload.length)),
    payload,
    Buffer.of(hashTag, ...varint(id.length)),
    Buffer.from(id),
  ])
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}

/** A line of a manifest has at most 72 bytes; a space continues the one before it. */
function wrapped(line: string): string {
  return (line.match(/.{1,70}/g) ?? []).join('\n ')
}
