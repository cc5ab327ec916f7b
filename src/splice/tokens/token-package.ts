// Our package of tokens: linked to the interfaces that a participant has, and uploaded with them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../base/errors.ts'
import { decodePayload, payloadOf } from '../../lf/archive/archive.ts'
import { payloadHash } from '../../lf/archive/archive-hash.ts'
import { openDar } from '../../lf/dar/dar.ts'
import { type PackageFile, writeDar } from '../../lf/dar/dar-writing.ts'
import type { Participant } from '../ledger/participant.ts'
import { checkDar } from '../packages/checked-dars.ts'
import { fileNameOf, type SplicePackage } from '../packages/releases.ts'
import { tokenStandard } from '../packages/token-standard.ts'

/** Where the interfaces of the token standard come from. */
export type InterfaceSource = {
  /** A folder with DARs of Splice, for a participant that does not have them. */
  readonly folder?: string | undefined
  /** Our own in place of Splice's. They have the same names and shapes, and other ids, so wallets do not know them. */
  readonly isStandIn: boolean
}

/** In the source tree, and in the bundle. */
const places = ['../../../packages/token/tallystick-token.dar', './tallystick-token.dar']

/** The package as it was compiled: over stand-ins for the interfaces. */
export function readStandInDar(): Uint8Array {
  return readFileSync(places.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place))!)
}

/**
 * The package over other interfaces of the same names and shapes. A reference to a package is its id, 64 characters in a table of
 * strings; so it is replaced in place, and the hash of the result is the id of the linked package.
 */
export function linkTokenPackage(interfaces: readonly SplicePackage[]): PackageFile {
  const [main, ...others] = openDar(readStandInDar()).packages
  const { name, version } = main!.decode().package
  let content = Buffer.from(payloadOf(main!.bytes)).toString('latin1')
  for (const { id, decode } of others) {
    const wanted = interfaces.find((one) => one.name === decode().package.name)
    if (wanted !== undefined) content = content.replaceAll(id, wanted.packageId)
  }
  const payload = Buffer.from(content, 'latin1')
  return { id: payloadHash(payload), name, version, payload }
}

/** Does nothing on a participant that has the package. */
export async function provideTokenPackage(
  participant: Participant,
  { folder, isStandIn }: InterfaceSource,
): Promise<void> {
  const standIn = readStandInDar()
  const linked = linkTokenPackage(tokenStandard)
  const known = await packageIdsOf(participant)
  if (known.has(linked.id) || known.has(openDar(standIn).packages[0]!.id)) return
  if (isStandIn) return upload(participant, standIn)
  if (folder !== undefined) await uploadInterfaces(participant, folder)
  await checkInterfaces(participant)
  await upload(participant, await darOf(linked, participant))
}

async function uploadInterfaces(participant: Participant, folder: string): Promise<void> {
  const known = await packageIdsOf(participant)
  for (const wanted of tokenStandard.filter(({ packageId }) => !known.has(packageId))) {
    const path = join(folder, fileNameOf(wanted))
    if (!existsSync(path)) throw new StartError(`there is no ${path}`)
    const bytes = readFileSync(path)
    checkDar(bytes, wanted)
    await upload(participant, bytes)
  }
}

async function checkInterfaces(participant: Participant): Promise<void> {
  const known = await packageIdsOf(participant)
  const missing = tokenStandard.find(({ packageId }) => !known.has(packageId))
  if (missing === undefined) return
  throw new StartError(
    `the participant has no package ${missing.name} (${missing.packageId}); --splice-dars names a folder with the DARs of Splice, and --stand-in does without them`,
  )
}

/** A DAR has exactly the packages that its main one needs; the participant has all the others. */
async function darOf(main: PackageFile, participant: Participant): Promise<Uint8Array> {
  const files = new Map([[main.id, main]])
  for (const { id, payload } of files.values()) {
    for (const needed of dependenciesOf(id, payload)) {
      if (!files.has(needed)) files.set(needed, await packageFrom(participant, needed))
    }
  }
  return writeDar([...files.values()])
}

async function packageFrom(participant: Participant, id: string): Promise<PackageFile> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await participant.download(`/v2/packages/${id}`)) chunks.push(chunk)
  return { id, name: 'package', version: '0', payload: Buffer.concat(chunks) }
}

function dependenciesOf(id: string, payload: Uint8Array): string[] {
  const { package: read, checkBodies } = decodePayload(payload, id)
  return [...new Set([...(read.imports ?? []), ...checkBodies()])].filter((other) => other !== id)
}

async function packageIdsOf(participant: Participant): Promise<ReadonlySet<string>> {
  return new Set((await participant.call('GET', '/v2/packages')).packageIds)
}

/** Vets it on every synchronizer. */
async function upload(participant: Participant, dar: Uint8Array): Promise<void> {
  const { connectedSynchronizers } = await participant.call('GET', '/v2/state/connected-synchronizers')
  for (const { synchronizerId } of connectedSynchronizers) {
    await participant.call('POST', `/v2/packages?synchronizerId=${encodeURIComponent(synchronizerId)}`, dar)
  }
}
