// A dalf: Archive and ArchivePayload of daml_lf.proto. The package id is the hash of the payload as it is stored, so
// the payload is never encoded again; keep the bytes to serve the package.
import { packageIdProblem } from '../../base/names.ts'
import { type Cursor, readBytes, readInt32, readText } from '../../protobuf/wire-reading.ts'
import { openArchiveCursor, refuse } from './archive-error.ts'
import { payloadHash, readArchive } from './archive-hash.ts'
import type { Check } from './decoding.ts'
import { minorFromText, refuseLanguage1 } from './language-check.ts'
import { type DecodedPackage, decodePackage } from './package.ts'

/** Tags of the fields: number and wire type. */
const payloadTags = { language1: 0x12, minor: 0x1a, language2: 0x22, patch: 0x28 }

/** A dalf whose package id is known, and nothing else yet. */
export type OpenArchive = {
  readonly id: string
  /** Reads it, but not its expressions: see `checkBodies`. `check` is also called when they are read. */
  readonly decode: (check?: Check) => DecodedPackage
  /** Reads as much of it as is used, and that when it is used: only for what was read in full before. */
  readonly decodeKnown: (check?: Check) => DecodedPackage
}

export function openArchive(bytes: Uint8Array): OpenArchive {
  const { payload, hash } = readArchive(openArchiveCursor(bytes, 'archive'))
  return openPayload(payload, hash)
}

export function decodeArchive(bytes: Uint8Array, check?: Check): DecodedPackage {
  return openArchive(bytes).decode(check)
}

/** Reads the payload of a dalf, which clients get as the package; its hash is the package id. */
export function decodePayload(payload: Uint8Array, hash: string, check?: Check): DecodedPackage {
  return openPayload(payload, hash).decode(check)
}

function openPayload(payload: Uint8Array, hash: string): OpenArchive {
  const packageId = payloadHash(payload)
  const cursor = openArchiveCursor(payload, `package ${packageId}`)
  if (hash !== packageId) {
    const problem = `the archive names another hash, ${JSON.stringify(hash.slice(0, 64))}: it was damaged or changed`
    const malformed = packageIdProblem(hash)
    const differs = `Mismatching hashes! Expected ${packageId} but got ${hash}`
    refuse(cursor, problem, malformed === undefined ? differs : `Invalid hash: ${malformed}`)
  }
  return {
    id: packageId,
    decode: (check) => decodeOpened(payload, packageId, { check }),
    decodeKnown: (check) => decodeOpened(payload, packageId, { isKnown: true, check }),
  }
}

function decodeOpened(
  payload: Uint8Array,
  packageId: string,
  options: Parameters<typeof decodePackage>[3],
): DecodedPackage {
  const cursor = openArchiveCursor(payload, `package ${packageId}`)
  const { language, minor, patch, content } = readPayload(cursor)
  if (language === 1) return refuseLanguage1(minor, packageId)
  const known = minorFromText(minor, packageId)
  if (patch !== 0) refuse(cursor, `patch ${patch} of LF 2.${minor} is not known`)
  return decodePackage(content, packageId, known, options)
}

/** The payload of a dalf: what clients get as the package, and what the package id is the hash of. */
export function payloadOf(dalf: Uint8Array): Uint8Array {
  return readArchive(openArchiveCursor(dalf, 'archive')).payload
}

type Payload = { language: 1 | 2; minor: string; patch: number; content: Uint8Array }

function readPayload(cursor: Cursor): Payload {
  let language: 1 | 2 | undefined
  let content: Uint8Array | undefined
  let minor = ''
  let patch = 0
  while (cursor.position < cursor.end) {
    const tag = readInt32(cursor)
    if (tag === payloadTags.minor) minor = readText(cursor)
    else if (tag === payloadTags.patch) patch = readInt32(cursor)
    else if ((tag === payloadTags.language1 || tag === payloadTags.language2) && content === undefined) {
      language = tag === payloadTags.language1 ? 1 : 2
      content = readBytes(cursor)
    } else refuse(cursor, `unknown or repeated field ${tag >>> 3} in ArchivePayload`)
  }
  if (language === undefined || content === undefined) {
    return refuse(cursor, 'the payload holds no Daml-LF package', 'Unrecognized or Unsupported LF version')
  }
  return { language, minor, patch, content }
}
