// Takes over the packages of the original. Uploads take DARs, so each package that no other one needs becomes a DAR with all
// that it needs.
import { LedgerError, StartError } from '../../base/errors.ts'
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { writeDar } from '../../lf/dar/dar-writing.ts'
import { darProblem } from '../packages/first-packages.ts'
import type { Packages } from '../packages/packages.ts'
import type { Original } from './original.ts'

type PackageSource = Pick<Original, 'participantId' | 'packageIds' | 'packagePayload'>
type Payload = { readonly id: string; readonly payload: Uint8Array; readonly needs: readonly string[] }

export async function uploadPackages(
  original: PackageSource,
  { packages }: { readonly packages: Pick<Packages, 'upload' | 'list'> },
): Promise<void> {
  const known = new Set(await packages.list())
  const ids = await original.packageIds()
  if (ids.every((id) => known.has(id))) return
  const payloads = new Map<string, Payload>()
  for (const id of ids) payloads.set(id, await readOrRefuse(id, original))
  const needed = new Set([...payloads.values()].flatMap(({ needs }) => needs))
  for (const root of [...payloads.values()].filter(({ id }) => !needed.has(id))) {
    const all = withNeeds(root, payloads)
    if (all.every(({ id }) => known.has(id))) continue
    const bytes = writeDar(all.map(({ id, payload }) => ({ id, name: 'package', version: '0', payload })))
    try {
      await packages.upload({ bytes, synchronizerId: undefined, vetAllPackages: false })
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error
      throw new StartError(darProblem(`package ${root.id} of ${original.participantId}`, error))
    }
  }
}

async function readOrRefuse(id: string, original: PackageSource): Promise<Payload> {
  try {
    return await read(id, await original.packagePayload(id))
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw new StartError(`cannot read package ${id} of ${original.participantId}: ${error.message}`)
  }
}

/** What a package says that it imports leaves out the packages of the standard library; what it refers to does not. */
async function read(id: string, payload: Uint8Array): Promise<Payload> {
  const { decodePayload } = await import('../../lf/archive/archive.ts')
  const { package: described, checkBodies } = decodePayload(payload, id)
  return { id, payload, needs: [...new Set([...(described.imports ?? []), ...checkBodies()])] }
}

/** The root first. */
function withNeeds(root: Payload, payloads: ReadonlyMap<string, Payload>): Payload[] {
  const found = new Set([root])
  for (const { needs } of found) for (const id of needs) if (payloads.has(id)) found.add(payloads.get(id)!) // Sees what it adds.
  return [...found]
}
