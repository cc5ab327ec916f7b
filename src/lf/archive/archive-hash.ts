// The outer message of a dalf, and the hash of its payload, which is the package id. Apart from the rest of decoding,
// so that a store can identify a package without loading that.
import { createHash } from 'node:crypto'
import { packageIdProblem } from '../../base/names.ts'
import { type Cursor, readBytes, readInt32, readText } from '../../protobuf/wire-reading.ts'
import { openArchiveCursor, refuse } from './archive-error.ts'

/** Tags of the fields: number and wire type. */
const archiveTags = { hashFunction: 0x08, payload: 0x1a, hash: 0x22 }
const sha256 = 0

/** Whether the dalf is that of the package with this id. */
export function isArchiveOf(packageId: string, dalf: Uint8Array): boolean {
  try {
    const { payload, hash } = readArchive(openArchiveCursor(dalf, 'archive'))
    return hash === packageId && payloadHash(payload) === packageId
  } catch {
    return false
  }
}

/** What the size of a package is. */
export function payloadBytesOf(dalf: Uint8Array): number {
  return readArchive(openArchiveCursor(dalf, 'archive')).payload.length
}

export function payloadHash(payload: Uint8Array): string {
  return createHash('sha256').update(payload).digest('hex')
}

export function readArchive(cursor: Cursor): { payload: Uint8Array; hash: string } {
  let payload: Uint8Array | undefined
  let hash: string | undefined
  let hashFunction: number = sha256
  while (cursor.position < cursor.end) {
    const tag = readInt32(cursor)
    if (tag === archiveTags.hashFunction) hashFunction = readInt32(cursor)
    else if (tag === archiveTags.payload && payload === undefined) payload = readBytes(cursor)
    else if (tag === archiveTags.hash && hash === undefined) hash = readText(cursor)
    else refuse(cursor, `unknown or repeated field ${tag >>> 3} in Archive`)
  }
  if (hashFunction !== sha256) {
    refuse(cursor, `the hash function ${hashFunction} is not known`, 'Unrecognized hash function')
  }
  if (payload === undefined || hash === undefined) {
    const reason = hash === undefined ? `Invalid hash: ${packageIdProblem('')}` : undefined
    return refuse(cursor, 'the archive has no payload or no hash', reason)
  }
  return { payload, hash }
}
