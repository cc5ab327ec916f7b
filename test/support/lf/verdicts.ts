// What the type checker says of packages in one line each, to compare with the reference.
import { createHash } from 'node:crypto'

import { decodeArchive, payloadOf } from '../../../src/lf/archive/archive.ts'
import { ArchiveError } from '../../../src/lf/archive/archive-error.ts'
import type { DecodedPackage } from '../../../src/lf/archive/package.ts'
import { createPackageChecker } from '../../../src/lf/checking/check-package.ts'
import { ValidationError } from '../../../src/lf/checking/validation-error.ts'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import { type Mutation, mutate } from './mutants.ts'

type Opened = { readonly bytes: Uint8Array; readonly decoded: DecodedPackage }

/** The packages of a DAR, the main one first. */
export function openPackages(dar: Uint8Array): ReadonlyMap<string, Opened> {
  return new Map(
    decodeDar(dar).packages.map(({ bytes, package: { id } }) => [id, { bytes, decoded: decodeArchive(bytes) }]),
  )
}

/** `ok`, `unreadable`, or the error as the reference prints it. */
export function verdictOf(archive: Uint8Array, packages: ReadonlyMap<string, Opened>): string {
  try {
    const decoded = decodeArchive(archive)
    const find = (id: string) => (id === decoded.package.id ? decoded : packages.get(id)?.decoded)?.package
    createPackageChecker(find).check(decoded)
    return 'ok'
  } catch (error) {
    if (error instanceof ArchiveError) return 'unreadable'
    if (!(error instanceof ValidationError)) throw error
    return `com.digitalasset.daml.lf.validation.${error.name}: ${error.message}`
  }
}

/** Mutants of the main package of a DAR; seeds count from `first`. */
export function* mutantsOf(dar: Uint8Array, first: number, count: number): Generator<Mutation> {
  const [main] = openPackages(dar).values()
  const content = contentOf(payloadOf(main!.bytes))
  const minor = main!.decoded.package.languageVersion.slice(2)
  for (let seed = first; seed < first + count; seed++) yield mutate(content, minor, seed)
}

/** The package in a payload: its field 4, the last one of ours. */
function contentOf(payload: Uint8Array): Uint8Array {
  const bytes = Buffer.from(payload)
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const size = varint() // Fields of a payload are texts and bytes, or a zero.
    if ((tag & 7) !== 2) continue
    if (tag >>> 3 === 4) return bytes.subarray(at, at + size)
    at += size
  }
  throw new Error('the payload holds no package')
}

/** The reference goes on with the expressions of the fields, which we do not print. */
const fieldsOf = ' * record expression: '

/** Without the part of a verdict that we do not print as the reference does. */
export function comparableText(verdict: string): string {
  const at = verdict.indexOf(fieldsOf)
  return at < 0 ? verdict : verdict.slice(0, at)
}

/** Recorded verdicts of mutants are fingerprints: the mutants can be made again, and their texts are long. */
export function fingerprintOf(verdict: string): string {
  return createHash('sha256').update(verdict).digest('base64').slice(0, fingerprintLength)
}

export const fingerprintLength = 6

/** What was recorded of the reference. */
export type RecordedVerdicts = {
  /** By name, with the id of the package as `self`. */
  readonly invalid: Readonly<Record<string, string>>
  readonly mutants: readonly {
    readonly dar: string
    readonly first: number
    readonly count: number
    /** Of each mutant, one after the other. */
    readonly fingerprints: string
  }[]
}
