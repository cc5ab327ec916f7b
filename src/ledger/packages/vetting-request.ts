// Vetting requests as clients send them, and their validation. Canton reads them as protobuf messages and reports
// problems by the names of its own exceptions (ledger-api-core, ledger/api/package.scala).
import { LedgerError } from '../../base/errors.ts'
import { packageIdProblem, packageNameProblem, shorten, uniqueIdentifierProblem } from '../../base/names.ts'
import { isPackageVersion } from '../../lf/syntax/names.ts'
import { textsOfToken, tokenOfTexts } from '../model/paging.ts'

/** "" means unspecified. */
export type PackageReference = {
  readonly packageId: string
  readonly packageName: string
  readonly packageVersion: string
}

/** Times are microseconds since 1970; an absent one is no bound. */
export type VettingOperation =
  | {
      readonly kind: 'vet'
      readonly packages: readonly PackageReference[]
      readonly validFrom: bigint | undefined
      readonly validUntil: bigint | undefined
    }
  | { readonly kind: 'unvet'; readonly packages: readonly PackageReference[] }

export type UpdateRequest = {
  /** Undefined for a change that names no operation. */
  readonly changes: readonly (VettingOperation | undefined)[]
  readonly dryRun: boolean
  /** "" lets the node choose. */
  readonly synchronizerId: string
  /** The serial of the last change; 'none' when there must be none; undefined for no check. */
  readonly expectedSerial: number | 'none' | undefined
  readonly allowsIncompatibleUpgrades: boolean
  readonly allowsUnvettedDependencies: boolean
}

export type ListRequest = {
  readonly packageIds: readonly string[]
  readonly packageNamePrefixes: readonly string[]
  readonly participantIds: readonly string[]
  readonly synchronizerIds: readonly string[]
  readonly pageToken: string
  readonly pageSize: number
}

/** The key of a list entry: the vetting of one participant on one synchronizer. */
export type Place = { readonly synchronizerId: string; readonly participantId: string }

const timeMin = -62_135_596_800_000_000n
const timeMax = 253_402_300_799_999_999n

export function checkUpdateRequest({ changes, synchronizerId, expectedSerial }: UpdateRequest): void {
  for (const change of changes) {
    if (change === undefined) throw malformed('FieldNotSet(operation)')
    for (const reference of change.packages) checkReference(reference)
    if (change.kind === 'vet') for (const time of [change.validFrom, change.validUntil]) checkTime(time)
  }
  if (synchronizerId !== '') checkIdentifier('synchronizer_id', synchronizerId)
  if (typeof expectedSerial === 'number' && expectedSerial <= 0) {
    const problem = `Received the non-positive ${expectedSerial} as argument, but we require a positive value here.`
    throw violated('expected_topology_serial', problem)
  }
}

/** Returns the place that the page comes after; undefined for the first page. */
export function checkListRequest(request: ListRequest, pageMax: number): Place | undefined {
  for (const id of request.packageIds) refuse('package_ids', packageIdProblem(id))
  for (const id of request.synchronizerIds) checkIdentifier('synchronizer_ids', id)
  for (const id of request.participantIds) checkIdentifier('participant_ids', id)
  const after = readPlaceToken(request.pageToken)
  const { pageSize } = request
  if (pageSize < 0) {
    const problem = `Received the negative ${pageSize} as argument, but we require a non-negative value here.`
    throw violated('page_size', problem)
  }
  if (pageSize > pageMax) throw violated('page_size', `Page size must not exceed the server's maximum of ${pageMax}`)
  return after
}

/** Fields 1 and 2 are the ids. */
export function placeToken({ synchronizerId, participantId }: Place): string {
  return tokenOfTexts([synchronizerId, participantId])
}

/** Accepts only what `placeToken` makes. */
function readPlaceToken(token: string): Place | undefined {
  if (token === '') return undefined
  const isBase64 = /^[A-Za-z0-9_-]*={0,2}$/.test(token) && token.replace(/=+$/, '').length % 4 !== 1
  if (!isBase64) throw badToken('Failed base64 decoding')
  const ids = textsOfToken(token.replace(/=+$/, ''), 2)
  if (ids === undefined) throw badToken('Failed proto decoding')
  const [synchronizerId = '', participantId = ''] = ids
  for (const [what, id] of [
    ['synchronizer', synchronizerId],
    ['participant', participantId],
  ] as const) {
    const problem = uniqueIdentifierProblem(id)
    if (problem !== undefined) throw badToken(`Couldn't extract token's ${what} ID: ${problem}`)
  }
  return { synchronizerId, participantId }
}

function checkReference({ packageId, packageName, packageVersion }: PackageReference): void {
  if (packageId !== '') refuse('package_id', packageIdProblem(packageId))
  if (packageName !== '') refuse('package_name', packageNameProblem(packageName))
  if (packageVersion !== '') refuse('package_version', versionProblem(packageVersion))
  const shape = [packageId, packageName, packageVersion].map((part) => (part === '' ? '-' : '+')).join('')
  if (['+--', '-+-', '-++', '+++'].includes(shape)) return
  const wanted = 'Either package_id must be set, or package_name and package_version must be set, or all three must be'
  throw violated('package_name', `${wanted} set.`)
}

function versionProblem(version: string): string | undefined {
  if (isPackageVersion(version)) return undefined
  const rule = 'non-empty strings consisting of segments of digits (without leading zeros) separated by dots'
  return `Invalid package version string: \`${version}\`. Package versions are ${rule}.`
}

function checkTime(time: bigint | undefined): void {
  if (time === undefined || (time >= timeMin && time <= timeMax)) return
  throw malformed(`TimestampConversionError(timestamp ${time} is out of range)`)
}

export function checkIdentifier(field: string, id: string): void {
  refuse(field, uniqueIdentifierProblem(id))
}

function refuse(field: string, problem: string | undefined): void {
  if (problem !== undefined) throw malformed(`ValueConversionError(${field},${problem})`)
}

function badToken(problem: string): LedgerError {
  return malformed(`ValueConversionError(page_token,Invalid page token for ListVettedPackagesRequest: ${problem})`)
}

function violated(field: string, problem: string): LedgerError {
  return malformed(`InvariantViolation(Some(${field}),${problem})`)
}

/** A part of a message is missing or cannot be read. */
export function malformed(reason: string): LedgerError {
  const text = 'Deserialization of protobuf message failed'
  return new LedgerError('PROTO_DESERIALIZATION_FAILURE', text, { context: { reason: shorten(reason, 1000) } })
}
