// Writes a zip file. The same contents make the same bytes: entries have no time. Node checks that counts and sizes fit
// into their fields, so what would need zip64 throws.
import { crc32, deflateRawSync } from 'node:zlib'
import { headerSizes, methods, signatures } from './zip.ts'

/** From version 2.0 on there is deflate. */
const version = 20
const namesAreUtf8 = 0x0800
/** The first day that a zip file can name. */
const january1980 = 0x21

/** Level 0 stores the files as they are. */
export function writeZip(files: Iterable<readonly [name: string, content: Uint8Array]>, level = 6): Buffer {
  const entries: Uint8Array[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const stored = level === 0 ? content : deflateRawSync(content, { level })
    const nameBytes = Buffer.from(name)
    const facts = factsOf(content, stored, level === 0 ? methods.stored : methods.deflated, nameBytes.length)
    const header = Buffer.concat([signatureOf('localHeader'), facts, nameBytes])
    directory.push(directoryEntry(facts, nameBytes, offset))
    entries.push(header, stored)
    offset += header.length + stored.length
  }
  return Buffer.concat([...entries, ...directory, directoryEnd(directory, offset)])
}

/** What the header and the directory say alike of an entry: everything from the version to the length of its extra field. */
function factsOf(content: Uint8Array, stored: Uint8Array, method: number, nameLength: number): Buffer {
  const facts = Buffer.alloc(headerSizes.localHeader - 4)
  facts.writeUInt16LE(version, 0)
  facts.writeUInt16LE(namesAreUtf8, 2)
  facts.writeUInt16LE(method, 4)
  facts.writeUInt16LE(january1980, 8)
  facts.writeUInt32LE(crc32(content), 10)
  facts.writeUInt32LE(stored.length, 14)
  facts.writeUInt32LE(content.length, 18)
  facts.writeUInt16LE(nameLength, 22)
  return facts
}

function directoryEntry(facts: Buffer, name: Buffer, headerOffset: number): Buffer {
  const madeBy = Buffer.of(version, 0)
  const rest = Buffer.alloc(headerSizes.directoryEntry - 4 - madeBy.length - facts.length)
  rest.writeUInt32LE(headerOffset, rest.length - 4)
  return Buffer.concat([signatureOf('directoryEntry'), madeBy, facts, rest, name])
}

function directoryEnd(directory: readonly Buffer[], directoryOffset: number): Buffer {
  const end = Buffer.alloc(headerSizes.directoryEnd)
  signatureOf('directoryEnd').copy(end)
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  const bytes = directory.reduce((sum, entry) => sum + entry.length, 0)
  end.writeUInt32LE(bytes, 12)
  end.writeUInt32LE(directoryOffset, 16)
  return end
}

function signatureOf(part: keyof typeof signatures): Buffer {
  const signature = Buffer.alloc(4)
  signature.writeUInt32LE(signatures[part])
  return signature
}
